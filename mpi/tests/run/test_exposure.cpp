// Many frames over all ranks: outputs do not depend on the schedule.

#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "mpi/comm/collective.hpp"
#include "mpi/run/groups.hpp"
#include "mpi/tests/run/exposure_runs.hpp"
#include "reference/fits/write/atomic_write.hpp"
#include "reference/tests/support/zlib_inflater.hpp"

namespace spex::mpi {
namespace {

class Exposure : public ExposureRuns {};

TEST_F(Exposure, EveryScheduleGivesTheBytesOfASingleRank) {
  for (const Schedule schedule : schedules()) {
    for (std::size_t frames = 1; frames <= files.size(); ++frames) {
      SCOPED_TRACE(to_string(schedule) + ", frames " + std::to_string(frames));
      const ExposureJob job = first_frames(schedule, frames);
      const ExposureSummary summary = run(job);
      EXPECT_EQ(summary.failed, 0);
      if (world.is_root()) {
        ASSERT_EQ(summary.outcomes.size(), frames);
        for (std::size_t i = 0; i < frames; ++i) {
          EXPECT_EQ(summary.outcomes[i].frame, static_cast<int>(i));
          EXPECT_EQ(summary.outcomes[i].counts.patches, patches);
          EXPECT_FALSE(summary.outcomes[i].failure);
        }
        EXPECT_GT(summary.times.get(Stage::solve), 0);
      }
      expect_outputs(job);
    }
  }
}

TEST_F(Exposure, GroupsGiveTheSameBytes) {
  for (int groups = 1; groups <= world.size(); ++groups) {
    ExposureJob job = all_frames(Schedule::sequential);
    job.groups = groups;
    EXPECT_EQ(run(job).failed, 0);
    expect_outputs(job);
  }
}

TEST_F(Exposure, RanksPerBundleGivesTheSameBytes) {
  if (world.size() < 2) return;
  for (const Schedule schedule : {Schedule::sequential, Schedule::interleave_io}) {
    if (schedule == Schedule::interleave_io && world.size() < 4) continue;
    ExposureJob job = first_frames(schedule, 2);
    job.settings.ranks_per_bundle = 2;
    EXPECT_EQ(run(job).failed, 0);
    expect_outputs(job);
  }
}

// The ranks of a device share the patches of its bundles, here of two devices.
class SharedBundles : public ExposureRuns {
 protected:
  SharedBundles() : ExposureRuns(2, Milestone::multi_gpu) {
    settings.device = world.rank() % 2 == 0 ? "even" : "odd";
  }
};

TEST_F(SharedBundles, GiveTheBytesOfASingleRank) {
  for (const Schedule schedule : schedules()) {
    const ExposureJob job = all_frames(schedule);
    EXPECT_EQ(run(job).failed, 0);
    expect_outputs(job);
  }
}

TEST_F(SharedBundles, DevicesAreNumberedByFirstAppearance) {
  std::vector<int> devices;
  for (int rank = 0; rank < world.size(); ++rank) devices.push_back(rank % 2);
  EXPECT_EQ(devices_of_ranks(world, settings.device), devices);
}

TEST_F(Exposure, AnyNumberOfPipelineThreadsGivesTheSameBytes) {
  for (const int in_flight : {1, 2, 9})
    for (const int extractors : {1, 3}) {
      ExposureJob job = all_frames(Schedule::pipeline);
      job.readers = 3;
      job.extractors = extractors;
      job.writers = 1;
      job.frames_in_flight = in_flight;
      EXPECT_EQ(run(job).failed, 0);
      expect_outputs(job);
    }
}

// Devices are found when the first frames are read, and then say the number of threads.
TEST_F(Exposure, ThreadsOfDevicesThatAreFoundLate) {
  ExposureJob job = all_frames(Schedule::pipeline);
  job.readers = job.writers = 1;
  job.frames_in_flight = 1;
  std::atomic<int> found = 0, read_before = 0;
  std::atomic<bool> read_one = false;
  job.hook = [&](Phase phase, const std::string&) {
    if (phase != Phase::read) return;
    if (found == 0) ++read_before;
    read_one = true;
  };
  const bool has_frames = world.rank() < static_cast<int>(files.size());
  job.find_devices = [&] {
    while (has_frames && !read_one) std::this_thread::yield();
    ++found;
    return PipelineThreads{
        .readers = 2, .extractors = 2, .writers = 2, .frames_in_flight = 5, .devices = 1};
  };
  EXPECT_EQ(run(job).failed, 0);
  EXPECT_EQ(found, 1);
  EXPECT_EQ(read_before, has_frames ? 1 : 0);
  expect_outputs(job);
}

TEST_F(Exposure, NoDeviceIsFound) {
  ExposureJob job = all_frames(Schedule::pipeline);
  job.find_devices = [&]() -> PipelineThreads {
    throw CollectiveError(ErrorKind::no_gpu, "", "there is no GPU here");
  };
  EXPECT_THROW(run(job), CollectiveError);
  on_root(world, [&] { EXPECT_TRUE(outputs->names().empty()); });
}

// The readers of pipeline take the inflater's bytes. One that fails fails its frames alone.
TEST_F(Exposure, ImagesInflatedByADevice) {
  ExposureJob job = all_frames(Schedule::pipeline);
  on_root(world, [&] {
    for (FrameFiles& one : job.frames) {
      const std::string bytes = test::read_file(one.input);
      one.input = inputs->file("gz-" + one.camera + ".fits.gz");
      atomic_write(one.input, {bytes.begin(), bytes.end()});
    }
  });
  broadcast(world, job.frames);
  std::vector<std::string> of_cpus;
  for (const test::Inflates what :
       {test::Inflates::refuses, test::Inflates::by_zlib, test::Inflates::device_error}) {
    const bool fails = what == test::Inflates::device_error;
    test::ZlibInflater inflater(what);
    job.settings.inflater = &inflater;
    EXPECT_EQ(run(job).failed, fails ? static_cast<int>(files.size()) : 0);
    const int rank = world.rank(), ranks = world.size();
    const int frames = static_cast<int>(files.size());
    EXPECT_EQ(inflater.asked, frames / ranks + (rank < frames % ranks ? 1 : 0));
    EXPECT_EQ(inflater.inflated, what == test::Inflates::by_zlib ? inflater.asked.load() : 0);
    on_root(world, [&] {
      std::vector<std::string> written;
      for (const FrameFiles& one : job.frames)
        if (!fails) written.push_back(test::read_file(one.output));
      if (what == test::Inflates::refuses) of_cpus = written;
      EXPECT_TRUE(fails || written == of_cpus);
      for (const std::string& name : outputs->names()) std::filesystem::remove(outputs->file(name));
    });
  }
}

TEST_F(Exposure, FactoryMakesOnlyUsedExtractors) {
  for (const Schedule schedule : schedules()) {
    ExposureJob job = first_frames(schedule, 1);
    job.extractors = 2;
    std::mutex mutex;
    std::set<int> slots;
    const ExposureSummary summary = run_exposure(world, job, [&](int slot) {
      const std::lock_guard lock(mutex);
      slots.insert(slot);
      return cpu_extractor(1);
    });
    EXPECT_EQ(summary.failed, 0);
    std::set<int> due{0};
    if (schedule == Schedule::pipeline) due = {0, 1};
    if (schedule == Schedule::interleave_io && world.rank() < 2) due = {};
    EXPECT_EQ(slots, due) << to_string(schedule) << ", rank " << world.rank();
    expect_outputs(job);
  }
}

TEST_F(Exposure, FactoryErrorOnTheLastRankEndsAllRanks) {
  for (const Schedule schedule : schedules()) {
    const ExposureJob job = all_frames(schedule);
    const ExtractorFactory make = [&](int /*slot*/) -> PatchExtractor {
      if (world.rank() == world.size() - 1) throw std::runtime_error("no device");
      return cpu_extractor(1);
    };
    try {
      static_cast<void>(run_exposure(world, job, make));
      ADD_FAILURE() << "nothing was thrown";
    } catch (const CollectiveError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("no device"));
    }
    expect_outputs(job, {0, 1, 2, 3});
  }
}

// The error of a job that is rejected before any work.
class ImpossibleExposure : public Exposure {
 protected:
  void expect_refused(const ExposureJob& job, const std::string& text) const {
    try {
      static_cast<void>(run(job));
      ADD_FAILURE() << "nothing was thrown";
    } catch (const CollectiveError& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage) << error.what();
      EXPECT_THAT(error.what(), testing::HasSubstr(text));
    }
  }
};

TEST_F(ImpossibleExposure, InterleaveNeedsThreeRanksPerGroup) {
  ExposureJob job = all_frames(Schedule::interleave_io);
  job.groups = world.size() / 3 + 1;
  expect_refused(job, "at least 3 ranks");
}

TEST_F(ImpossibleExposure, GroupsNeedAtLeastOneRank) {
  ExposureJob job = all_frames(Schedule::sequential);
  job.groups = world.size() + 1;
  expect_refused(job, "--groups");
  job.groups = 0;
  expect_refused(job, "--groups");
}

TEST_F(ImpossibleExposure, MoreRanksPerBundleThanRanks) {
  ExposureJob job = all_frames(Schedule::sequential);
  job.settings.ranks_per_bundle = world.size() + 1;
  expect_refused(job, "--ranks-per-bundle");
}

TEST_F(ImpossibleExposure, PipelineHasNoGroups) {
  ExposureJob job = all_frames(Schedule::pipeline);
  job.groups = 1;
  expect_refused(job, "--groups");
}

TEST_F(ImpossibleExposure, NoFrames) {
  expect_refused(first_frames(Schedule::sequential, 0), "no frame");
}

class BaselineExposure : public ExposureRuns {
 protected:
  BaselineExposure() : ExposureRuns(2, Milestone::baseline) {}
};

TEST_F(BaselineExposure, DistributesThePatchesOfEveryFrame) {
  for (const Schedule schedule : schedules()) {
    const ExposureJob job = all_frames(schedule);
    EXPECT_EQ(run(job).failed, 0);
    expect_outputs(job);
  }
}

class ThirtyFrames : public ExposureRuns {
 protected:
  ThirtyFrames() : ExposureRuns(30) {}
};

TEST_F(ThirtyFrames, EveryScheduleGivesTheBytesOfASingleRank) {
  for (const Schedule schedule : schedules()) {
    const ExposureJob job = all_frames(schedule);
    ASSERT_EQ(job.frames.size(), 30U);
    EXPECT_EQ(run(job).failed, 0);
    expect_outputs(job);
  }
}

}  // namespace
}  // namespace spex::mpi
