// A failed frame is named and an older output stays; all other frames are complete; no run hangs.

#include <atomic>
#include <new>
#include <stdexcept>
#include <thread>

#include <fmt/format.h>

#include "mpi/tests/run/exposure_runs.hpp"

namespace spex::mpi {
namespace {

class ExposureFaults : public ExposureRuns {
 protected:
  void expect_failure(const ExposureJob& job, int frame, const std::string& text) const {
    SCOPED_TRACE(fmt::format("{}, frame {}, {}", to_string(job.schedule), frame, text));
    const std::string& output = job.files(frame).output;
    bool earlier = std::filesystem::exists(std::filesystem::path(output).parent_path());
    broadcast(world, earlier);
    if (world.is_root() && earlier) test::write_file(output, earlier_bytes);
    testing::internal::CaptureStderr();
    const ExposureSummary summary = run(job);
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_EQ(summary.failed, 1);  // on every rank
    if (world.is_root()) {
      for (const FrameOutcome& outcome : summary.outcomes) {
        EXPECT_EQ(outcome.failure.has_value(), outcome.frame == frame) << outcome.frame;
        if (outcome.failure) {
          EXPECT_THAT(outcome.failure->text, testing::HasSubstr(text));
          EXPECT_EQ(outcome.output, earlier ? OutputState::earlier : OutputState::none);
        } else {
          EXPECT_EQ(outcome.output, OutputState::written);
          EXPECT_EQ(outcome.counts.patches, patches);
        }
      }
    }
    // One line from one rank.
    const int mine = static_cast<int>(std::count(said.begin(), said.end(), '\n'));
    int lines = 0;
    SPEX_MPI_CHECK(MPI_Allreduce(&mine, &lines, 1, MPI_INT, MPI_SUM, world.get()));
    EXPECT_EQ(lines, 1) << said;
    if (mine > 0) {
      EXPECT_THAT(said, testing::StartsWith("test: " + output + ": frame "));
      EXPECT_THAT(said, testing::HasSubstr(text));
      EXPECT_EQ(said.find("earlier run") != std::string::npos, earlier) << said;
    }
    expect_outputs(job, {frame}, earlier ? std::set{frame} : std::set<int>{});
  }
};

// Throws `what` when a phase of the camera's frame begins.
template <class Exception>
PhaseHook fault(Phase phase, const std::string& camera, const Exception& what) {
  return [=](Phase now, const std::string& of) {
    if (now == phase && of == camera) throw what;
  };
}
const std::runtime_error injected("an injected fault");

TEST_F(ExposureFaults, FailureInAnyPhaseAffectsOnlyItsFrame) {
  for (const Schedule schedule : schedules())
    for (const int frame : {0, 1, 3}) {
      const std::string camera = fmt::format("b{}", frame);
      ExposureJob job = all_frames(schedule);
      for (const Phase phase : {Phase::read, Phase::extract, Phase::write}) {
        job.hook = fault(phase, camera, injected);
        expect_failure(job, frame, injected.what());
      }
      job.hook = fault(Phase::extract, camera, std::bad_alloc());
      expect_failure(job, frame, "out of memory");
    }
}

TEST_F(ExposureFaults, OneRankFailsAFrame) {
  for (const Schedule schedule : {Schedule::sequential, Schedule::interleave_io}) {
    if (schedule == Schedule::interleave_io && world.size() < 3) continue;
    const int last = world.size() - 1;
    ExposureJob job = all_frames(schedule);
    if (world.rank() == last) job.hook = fault(Phase::extract, "b1", injected);
    expect_failure(job, 1, last > 0 ? fmt::format("rank {}: ", last) : injected.what());
  }
}

TEST_F(ExposureFaults, MissingInput) {
  for (const Schedule schedule : schedules()) {
    ExposureJob job = all_frames(schedule);
    job.frames[2].input += ".missing";
    expect_failure(job, 2, "no such file");
  }
}

TEST_F(ExposureFaults, InputOfAnotherCamera) {
  for (const Schedule schedule : schedules()) {
    ExposureJob job = all_frames(schedule);
    job.frames[2].input = job.frames[1].input;
    expect_failure(job, 2, "CAMERA is b1 (expected b2)");
  }
}

TEST_F(ExposureFaults, OutputInAFolderThatDoesNotExist) {
  for (const Schedule schedule : schedules()) {
    ExposureJob job = all_frames(schedule);
    job.frames[0].output = job.frames[0].psf + ".missing/frame.fits";
    expect_failure(job, 0, "its folder does not exist");
  }
}

TEST_F(ExposureFaults, RunLogListsFilesOfAnEarlierRun) {
  for (const Schedule schedule : schedules()) {
    ExposureJob job = first_frames(schedule, 3);
    job.frames[1].psf += ".missing";
    job.frames[2].psf += ".missing";
    if (world.is_root()) {
      job.events = inputs->file("events.json");
      for (const int frame : {0, 1}) test::write_file(job.files(frame).output, earlier_bytes);
    }
    testing::internal::CaptureStderr();
    EXPECT_EQ(run(job).failed, 2);
    testing::internal::GetCapturedStderr();
    if (world.is_root()) {
      const auto log = nlohmann::json::parse(test::read_file(*job.events));
      const char* const states[] = {"written", "earlier", "none"};
      for (std::size_t i = 0; i < 3; ++i)
        EXPECT_EQ(log.at("frames").at(i).at("output_state"), states[i]);
    }
    expect_outputs(job, {1, 2}, {1});
  }
}

TEST_F(ExposureFaults, RunLogOfPathsThatAreNotUtf8) {
  ExposureJob job = first_frames(Schedule::sequential, 1);
  job.frames[0].input = "\xff\xfe";
  if (world.is_root()) job.events = inputs->file("events.json");
  testing::internal::CaptureStderr();
  EXPECT_EQ(run(job).failed, 1);
  testing::internal::GetCapturedStderr();
  if (!world.is_root()) return;
  const auto log = nlohmann::json::parse(test::read_file(*job.events));
  EXPECT_EQ(log.at("frames").at(0).at("input"), "\xef\xbf\xbd\xef\xbf\xbd");
}

TEST_F(ExposureFaults, AllFramesFail) {
  for (const Schedule schedule : schedules()) {
    ExposureJob job = all_frames(schedule);
    for (FrameFiles& frame : job.frames) frame.psf += ".missing";
    testing::internal::CaptureStderr();
    EXPECT_EQ(run(job).failed, 4);
    testing::internal::GetCapturedStderr();
    expect_outputs(job, {0, 1, 2, 3});
  }
}

// Extractors that fail permanently from some frame on, like a GPU with a broken context.
class LostExtractors : public ExposureRuns {
 protected:
  static constexpr const char* broken = "the context is broken";

  // Slot 0 of the last rank breaks at its frame number `healthy`. `given` counts its frames. If
  // `others_wait`, the rank's other slots wait with a frame until slot 0 has had one.
  [[nodiscard]] ExtractorFactory first_breaks_after(int healthy, bool others_wait = false) {
    return [this, healthy, others_wait](int slot) -> PatchExtractor {
      if (world.rank() != world.size() - 1) return cpu_extractor(1);
      return [this, healthy, others_wait, slot](const ExtractInputs& of,
                                                const std::vector<Patch>& share, StageTimes& times,
                                                const std::function<void(long)>& done) {
        if (slot == 0 && given++ >= healthy) throw Error(ErrorKind::device, "GPU", broken);
        while (others_wait && given == 0) std::this_thread::yield();
        return cpu_extractor(1)(of, share, times, done);
      };
    };
  }
  // The outcomes of a run, on rank 0 only; drops the lines on stderr.
  std::vector<FrameOutcome> outcomes(const ExposureJob& job, const ExtractorFactory& make) const {
    testing::internal::CaptureStderr();
    ExposureSummary summary = run_exposure(world, job, make);
    testing::internal::GetCapturedStderr();
    return std::move(summary.outcomes);
  }
  static std::set<int> failed(const std::vector<FrameOutcome>& outcomes) {
    std::set<int> frames;
    for (const FrameOutcome& outcome : outcomes)
      if (outcome.failure) frames.insert(outcome.frame);
    return frames;
  }
  // Frames of the last rank with the schedule pipeline.
  [[nodiscard]] std::set<int> frames_of_last() const {
    std::set<int> frames;
    for (int k = world.size() - 1; k < static_cast<int>(files.size()); k += world.size())
      frames.insert(k);
    return frames;
  }

  std::atomic<int> given = 0;
};

TEST_F(LostExtractors, FrameIsRetriedByAnotherExtractor) {
  for (const int extractors : {2, 3}) {
    ExposureJob job = all_frames(Schedule::pipeline);
    job.extractors = extractors;
    job.readers = extractors;
    given = 0;
    // With enough frames slot 0 certainly gets one.
    const bool sure = static_cast<int>(frames_of_last().size()) >= extractors;
    EXPECT_EQ(failed(outcomes(job, first_breaks_after(0, sure))), std::set<int>{});
    if (sure && world.rank() == world.size() - 1) {
      EXPECT_EQ(given, 1);
    }
    EXPECT_LE(given, 1);
    expect_outputs(job);
  }
}

TEST_F(LostExtractors, WithoutExtractorsTheRanksFramesFail) {
  for (const int healthy : {0, 1}) {
    ExposureJob job = all_frames(Schedule::pipeline);
    job.readers = 1;  // so that frames come in order
    given = 0;
    const std::vector<FrameOutcome> ended = outcomes(job, first_breaks_after(healthy));
    std::set<int> due = frames_of_last();
    if (healthy == 1 && !due.empty()) due.erase(due.begin());
    if (world.is_root()) {
      EXPECT_EQ(failed(ended), due);
      for (const int frame : due) {
        const Failure& failure = *ended[frame].failure;
        EXPECT_EQ(failure.kind, ErrorKind::device);
        EXPECT_THAT(failure.text, testing::HasSubstr(broken));
        EXPECT_EQ(failure.text.find("the rank has no extractor left") != std::string::npos,
                  frame != *due.begin())
            << frame;
      }
    }
    EXPECT_LE(given, healthy + 1);
    expect_outputs(job, due);
  }
}

// Extractors 0 and 2 share a device that breaks at the first frame of either extractor.
TEST_F(LostExtractors, ExtractorsOfTheSameDeviceAreLost) {
  ExposureJob job = all_frames(Schedule::pipeline);
  job.extractors = 4;
  job.readers = 4;
  job.devices = 2;
  std::atomic<int> broke = 0;
  const bool sure = frames_of_last().size() >= 3;
  const auto make = [&](int slot) -> PatchExtractor {
    return [&, slot](const ExtractInputs& of, const std::vector<Patch>& share, StageTimes& times,
                     const std::function<void(long)>& done) {
      if (slot % 2 == 0 && ++broke > 0) throw Error(ErrorKind::device, "GPU", broken);
      while (sure && world.rank() == world.size() - 1 && broke == 0) std::this_thread::yield();
      return cpu_extractor(1)(of, share, times, done);
    };
  };
  EXPECT_EQ(failed(outcomes(job, make)), std::set<int>{});
  // Both may have had a frame when the first failed; neither gets another frame.
  EXPECT_LE(broke, 2);
  expect_outputs(job);
}

// A frame that breaks every extractor costs two extractors, and no other frame.
TEST_F(LostExtractors, BreakingFrameIsRetriedOnce) {
  ExposureJob job = all_frames(Schedule::pipeline);
  job.extractors = 3;
  std::atomic<int> broke = 0;
  job.hook = [&](Phase phase, const std::string& camera) {
    if (phase != Phase::extract || camera != "b1") return;
    ++broke;
    throw Error(ErrorKind::device, "GPU", broken);
  };
  const std::vector<FrameOutcome> ended = outcomes(job, make_cpu_extractor);
  if (world.is_root()) {
    EXPECT_EQ(failed(ended), std::set<int>{1});
  }
  EXPECT_EQ(broke, world.rank() == 1 % world.size() ? 2 : 0);
  expect_outputs(job, {1});
}

// A group extracts every frame together.
TEST_F(LostExtractors, LaterFramesOfAGroupFailAtOnce) {
  for (const Schedule schedule : {Schedule::sequential, Schedule::interleave_io}) {
    if (schedule == Schedule::interleave_io && world.size() < 3) continue;
    ExposureJob job = all_frames(schedule);
    job.groups = 1;
    given = 0;
    const std::vector<FrameOutcome> ended = outcomes(job, first_breaks_after(1));
    if (world.is_root()) {
      EXPECT_EQ(failed(ended), (std::set{1, 2, 3}));
      EXPECT_THAT(ended[3].failure->text, testing::HasSubstr("an extractor was lost earlier"));
      EXPECT_THAT(ended[3].failure->text, testing::HasSubstr(broken));
    }
    EXPECT_LE(given, 2);
    expect_outputs(job, {1, 2, 3});
  }
}

}  // namespace
}  // namespace spex::mpi
