// A frame that fails is named, and the file of an earlier run stays; all others are complete;
// nothing hangs.

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
    // One line, by one rank.
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

TEST_F(ExposureFaults, EveryStageOfEveryScheduleFailsItsFrameAlone) {
  for (const Schedule schedule : schedules())
    for (const char* stage : {"read", "extract", "memory", "write"})
      for (const int frame : {0, 1, 3}) {
        setenv("SPEX_FAULT", fmt::format("{}:b{}", stage, frame).c_str(), 1);
        expect_failure(all_frames(schedule), frame,
                       stage == std::string("memory") ? "out of memory" : "SPEX_FAULT");
      }
}

TEST_F(ExposureFaults, OneRankAloneFailsAFrame) {
  for (const Schedule schedule : {Schedule::sequential, Schedule::interleave_io}) {
    if (schedule == Schedule::interleave_io && world.size() < 3) continue;
    const int rank = world.size() - 1;
    setenv("SPEX_FAULT", fmt::format("extract:b1:{}", rank).c_str(), 1);
    expect_failure(all_frames(schedule), 1,
                   world.size() > 1 ? fmt::format("rank {}: ", rank) : "SPEX_FAULT");
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

TEST_F(ExposureFaults, RunLogSaysWhichFilesAreOfAnEarlierRun) {
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

TEST_F(ExposureFaults, WrongHooksAreRefused) {
  for (const char* text : {"read", "nothing:b1", "read:b1:x", "read:b1:0:0"}) {
    setenv("SPEX_FAULT", text, 1);
    EXPECT_THROW(static_cast<void>(run(all_frames(Schedule::sequential))), Error) << text;
  }
}

}  // namespace
}  // namespace spex::mpi
