// Which stages overlap and which follow each other, by the event log. Delays make the order of two
// starts sure; no duration is compared with a number.

#include "mpi/tests/run/exposure_runs.hpp"

namespace spex::mpi {
namespace {

class ExposureOrder : public ExposureRuns {
 protected:
  // On rank 0, the log of a run with a delay; its outputs have been checked.
  std::unique_ptr<Log> logged_run(ExposureJob job, const std::string& delay) const {
    setenv("SPEX_DELAY", delay.c_str(), 1);
    if (world.is_root()) job.events = inputs->file("events.json");
    EXPECT_EQ(run(job).failed, 0);
    expect_outputs(job);
    if (!world.is_root()) return nullptr;
    auto log = std::make_unique<Log>(*job.events);
    for (int k = 0; k < static_cast<int>(job.frames.size()); ++k) {
      EXPECT_EQ(log->count(k, "read"), 1);
      EXPECT_EQ(log->count(k, "write"), 1);
      EXPECT_GE(log->count(k, "extract"), 1);
      EXPECT_LE(log->end(k, "read"), log->start(k, "extract")) << "frame " << k;
      EXPECT_LE(log->end(k, "extract"), log->start(k, "write")) << "frame " << k;
    }
    return log;
  }
  const int last = 3;
};

TEST_F(ExposureOrder, SequentialDoesOneThingAtATime) {
  ExposureJob job = all_frames(Schedule::sequential);
  job.groups = 1;
  const auto log = logged_run(job, "read:all:1");
  if (!log) return;
  for (int k = 0; k < last; ++k) EXPECT_LE(log->end(k, "write"), log->start(k + 1, "read"));
}

TEST_F(ExposureOrder, GroupsTakeFramesInTurn) {
  ExposureJob job = all_frames(Schedule::sequential);
  job.groups = world.size() >= 2 ? 2 : 1;
  const auto log = logged_run(job, "read:all:1");
  if (!log) return;
  std::map<int, std::set<int>> ranks;
  for (const auto& event : log->events())
    if (!event.at("frame").is_null())  // null: the start of an extractor
      ranks[event.at("frame").get<int>()].insert(event.at("rank").get<int>());
  EXPECT_EQ(ranks[0], ranks[2]);
  EXPECT_EQ(ranks[1], ranks[3]);
  EXPECT_EQ(ranks[0] == ranks[1], world.size() == 1);
}

class InterleaveOrder : public ExposureOrder {
 protected:
  void SetUp() override {
    if (world.size() < 3) GTEST_SKIP() << "interleave-io needs 3 ranks";
  }
};

TEST_F(InterleaveOrder, ReadsAheadAndWritesBehindWhileItExtracts) {
  const auto log = logged_run(all_frames(Schedule::interleave_io), "extract:all:100");
  if (!log) return;
  for (int k = 0; k < last; ++k) {
    EXPECT_LT(log->start(k + 1, "read"), log->end(k, "extract")) << "frame " << k;
    EXPECT_LT(log->start(k, "write"), log->end(k + 1, "extract")) << "frame " << k;
  }
}

TEST_F(InterleaveOrder, ReadsAtMostOneFrameAhead) {
  const auto log = logged_run(all_frames(Schedule::interleave_io), "extract:all:50");
  if (!log) return;
  for (int k = 0; k + 2 <= last; ++k)
    EXPECT_LE(log->end(k, "extract"), log->start(k + 2, "read")) << "frame " << k;
}

TEST_F(InterleaveOrder, SlowReaderKeepsReadingWhileTheOthersFinish) {
  const auto log = logged_run(all_frames(Schedule::interleave_io), "read:all:100");
  if (!log) return;
  for (int k = 0; k < last; ++k)
    EXPECT_LT(log->start(k + 1, "read"), log->end(k, "write")) << "frame " << k;
  for (int k = 0; k < last; ++k)  // one reader: one frame at a time
    EXPECT_LE(log->end(k, "read"), log->start(k + 1, "read"));
}

TEST_F(InterleaveOrder, SlowWriterDoesNotHoldUpTheNextFrame) {
  const auto log = logged_run(all_frames(Schedule::interleave_io), "write:all:100");
  if (!log) return;
  for (int k = 0; k < last; ++k) {
    EXPECT_LT(log->start(k + 1, "extract"), log->end(k, "write")) << "frame " << k;
    EXPECT_LE(log->end(k, "write"), log->start(k + 1, "write"));
  }
}

TEST_F(InterleaveOrder, ReaderWriterAndWorkersAreDifferentRanks) {
  const auto log = logged_run(all_frames(Schedule::interleave_io), "read:all:1");
  if (!log) return;
  std::map<std::string, std::set<int>> ranks;
  for (const auto& event : log->events())
    if (!event.at("frame").is_null())  // null: the start of an extractor
      ranks[event.at("stage").get<std::string>()].insert(event.at("rank").get<int>());
  EXPECT_EQ(ranks["read"], (std::set<int>{0}));
  EXPECT_EQ(ranks["write"], (std::set<int>{1}));
  EXPECT_EQ(ranks["extract"].size(), static_cast<std::size_t>(world.size() - 2));
  EXPECT_EQ(*ranks["extract"].begin(), 2);
}

class PipelineOrder : public ExposureOrder {
 protected:
  // So that rank 0 has all frames, whatever the number of ranks: the others' places are empty.
  [[nodiscard]] ExposureJob of_one_rank() const {
    ExposureJob job = all_frames(Schedule::pipeline);
    job.readers = job.writers = 1;
    return job;
  }
  void SetUp() override {
    if (world.size() > 1) GTEST_SKIP() << "a rank's frames follow each other with one rank alone";
  }
};

TEST_F(PipelineOrder, ReadsAndWritesWhileItExtracts) {
  const auto log = logged_run(of_one_rank(), "extract:all:100");
  for (int k = 0; k < last; ++k) {
    EXPECT_LT(log->start(k + 1, "read"), log->end(k, "extract")) << "frame " << k;
    EXPECT_LT(log->start(k, "write"), log->end(k + 1, "extract")) << "frame " << k;
  }
}

TEST_F(PipelineOrder, SlowFilesDoNotHoldUpTheOthers) {
  ExposureJob job = of_one_rank();
  job.readers = 2;
  const auto slow_read = logged_run(job, "read:all:100");
  EXPECT_LT(slow_read->start(1, "read"), slow_read->end(0, "read"));
  const auto slow_write = logged_run(job, "write:all:100");
  for (int k = 0; k < last; ++k)
    EXPECT_LT(slow_write->start(k + 1, "extract"), slow_write->end(k, "write")) << "frame " << k;
}

TEST_F(PipelineOrder, FramesInFlightAreBounded) {
  for (const int most : {1, 2}) {
    ExposureJob job = of_one_rank();
    job.readers = 3;
    job.frames_in_flight = most;
    const auto log = logged_run(job, "write:all:20");
    for (int k = 0; k <= last; ++k) {
      int in_flight = 0;  // when k begins to be read
      for (int other = 0; other <= last; ++other)
        if (log->start(other, "read") <= log->start(k, "read") &&
            log->end(other, "write") > log->start(k, "read"))
          ++in_flight;
      EXPECT_LE(in_flight, most) << "frame " << k;
    }
  }
}

}  // namespace
}  // namespace spex::mpi
