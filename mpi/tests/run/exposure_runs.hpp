// A simulated exposure and runs by every schedule, for tests under mpirun.
#pragma once

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "mpi/comm/broadcast.hpp"
#include "mpi/comm/collective.hpp"
#include "mpi/run/exposure.hpp"
#include "mpi/run/exposure_folders.hpp"
#include "mpi/run/exposure_job.hpp"
#include "mpi/run/frame_list.hpp"
#include "reference/model/milestones.hpp"
#include "reference/sim/simulate.hpp"
#include "reference/tests/support/scratch.hpp"

namespace spex::mpi {

/// `frames` tiny frames of cameras b0 ... b9 and, beyond ten, of further exposures. Every run must
/// reproduce the frames extracted by a single rank. Rank 0 has the files.
class ExposureRuns : public testing::Test {
 protected:
  explicit ExposureRuns(int frames = 4, Milestone milestone = Milestone::cpu_refactor) {
    settings.program = "test";
    settings.show_progress = false;
    settings.options.milestone = milestone;
    settings.options.wavelength = WaveRange{3600, 3608, 0.8};
    settings.options.bundlesize = 5;
    settings.options.nsubbundles = 5;
    settings.options.nwavestep = 11;
    settings.options.wavepad = 2;
    const Communicator alone = *world.split(world.rank());
    on_root(world, [&] {
      const Night& night = night_of(frames, alone);
      expected = night.expected;
      patches = night.patches;
      inputs = night.inputs.get();
      for (const std::string& name : inputs->names())
        std::filesystem::remove_all(inputs->file(name));
      std::filesystem::copy(night.kept->file("night"), inputs->file("night"));
      outputs = std::make_unique<test::ScratchFolder>();
      files = frames_of_folders({inputs->file("night"), inputs->file("night"), outputs->file("")});
    });
    broadcast(world, files);
  }
  /// The schedules that are possible with this number of ranks.
  [[nodiscard]] std::vector<Schedule> schedules() const {
    std::vector<Schedule> all{Schedule::sequential, Schedule::pipeline};
    if (world.size() >= 3) all.push_back(Schedule::interleave_io);
    return all;
  }

  [[nodiscard]] ExposureJob all_frames(Schedule schedule) const {
    ExposureJob job;
    job.settings = settings;
    job.frames = files;
    job.schedule = schedule;
    return job;
  }
  [[nodiscard]] ExposureJob first_frames(Schedule schedule, std::size_t count) const {
    ExposureJob job = all_frames(schedule);
    job.frames.resize(count);
    return job;
  }

  ExposureSummary run(const ExposureJob& job) const {
    return run_exposure(world, job, make_cpu_extractor);
  }

  /// The content of an existing output before a run.
  inline static const std::string earlier_bytes = "of an earlier run";

  /// On rank 0: every output must have the bytes of the single-rank run; outputs of failed frames
  /// must be unchanged or absent; there must be no other files. Removes the outputs.
  void expect_outputs(const ExposureJob& job, const std::set<int>& failed = {},
                      const std::set<int>& earlier = {}) const {
    if (!world.is_root()) return;
    std::set<std::string> names;
    for (std::size_t i = 0; i < job.frames.size(); ++i) {
      const bool fails = failed.contains(static_cast<int>(i));
      if (fails && !earlier.contains(static_cast<int>(i))) continue;
      const std::string& output = job.frames[i].output;
      names.insert(std::filesystem::path(output).filename().string());
      ASSERT_TRUE(std::filesystem::exists(output)) << output;
      EXPECT_TRUE(test::read_file(output) == (fails ? earlier_bytes : expected.at(i)))
          << output << " has other bytes";
    }
    EXPECT_EQ(outputs->names(), names);
    for (const std::string& name : outputs->names()) std::filesystem::remove(outputs->file(name));
  }

  static PatchExtractor make_cpu_extractor(int /*slot*/) { return cpu_extractor(1); }

  const Communicator world = Communicator::world();
  FrameSettings settings;
  std::vector<FrameFiles> files;
  int patches = 0;  // per frame
  // On rank 0:
  const test::ScratchFolder* inputs = nullptr;
  std::unique_ptr<test::ScratchFolder> outputs;
  std::vector<std::string> expected;

 private:
  // Inputs in folders `night`, of which a test may change those in `inputs`, and what a single rank
  // makes of them.
  struct Night {
    std::unique_ptr<test::ScratchFolder> kept = std::make_unique<test::ScratchFolder>();
    std::unique_ptr<test::ScratchFolder> inputs = std::make_unique<test::ScratchFolder>();
    std::vector<std::string> expected;
    int patches = 0;
  };

  // Made once in a process, because that takes longer than most tests. Outputs name their inputs,
  // so that all tests have them in the same place.
  [[nodiscard]] const Night& night_of(int frames, const Communicator& alone) const {
    static std::map<std::pair<int, Milestone>, Night> nights;
    const std::pair<int, Milestone> key(frames, settings.options.milestone);
    if (const auto found = nights.find(key); found != nights.end()) return found->second;
    Night night;
    const std::string folder = night.inputs->file("night");
    simulate_frames(frames, folder);
    std::filesystem::copy(folder, night.kept->file("night"));
    ExposureJob job = all_frames(Schedule::sequential);
    job.frames = frames_of_folders({folder, folder, night.kept->file("")});
    for (int i = 0; i < frames; ++i) {
      FrameJob one = job.frame_job(i);
      one.files.output = night.kept->file("expected.fits");
      night.patches = run_one_frame(alone, one, make_cpu_extractor).outcomes.at(0).counts.patches;
      night.expected.push_back(test::read_file(one.files.output));
    }
    return nights.emplace(key, std::move(night)).first->second;
  }

  static void simulate_frames(int frames, const std::string& folder) {
    SimOptions options;
    options.folder = folder;
    options.size = SimSize::tiny;
    options.program = "test";
    for (int first = 0; first < frames; first += 10, ++options.expid) {
      options.cameras.clear();
      for (int i = first; i < std::min(frames, first + 10); ++i)
        options.cameras.push_back(parse_cameras("b" + std::to_string(i - first)).at(0));
      simulate(options);
    }
  }
};

/// The event log of a run, with queries for tests.
class Log {
 public:
  explicit Log(const std::string& path)
      : events_(nlohmann::json::parse(test::read_file(path)).at("events")) {}

  [[nodiscard]] const nlohmann::json& events() const { return events_; }
  /// The earliest start and latest end of a stage of a frame over all ranks.
  [[nodiscard]] double start(int frame, const std::string& stage) const {
    double first = 1e300;
    for_each(frame, stage,
             [&](const auto& e) { first = std::min(first, e.at("start").template get<double>()); });
    return first;
  }
  [[nodiscard]] double end(int frame, const std::string& stage) const {
    double last = -1e300;
    for_each(frame, stage,
             [&](const auto& e) { last = std::max(last, e.at("end").template get<double>()); });
    return last;
  }
  [[nodiscard]] int count(int frame, const std::string& stage) const {
    int found = 0;
    for_each(frame, stage, [&](const auto&) { ++found; });
    return found;
  }

 private:
  template <class Visit>
  void for_each(int frame, const std::string& stage, const Visit& visit) const {
    for (const auto& event : events_)
      if (event.at("frame") == frame && event.at("stage") == stage) visit(event);
  }

  nlohmann::json events_;
};

}  // namespace spex::mpi
