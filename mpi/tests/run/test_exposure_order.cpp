// Overlap and order of phases. To prove an overlap, one phase waits until the other begins, which
// would time out without an overlap. The order is read from the event log. No test compares times
// with constants.

#include <chrono>
#include <stdexcept>
#include <thread>

#include "mpi/tests/run/exposure_runs.hpp"

namespace spex::mpi {
namespace {

// A phase of a frame.
struct Moment {
  Phase phase;
  int frame;

  [[nodiscard]] std::string name() const {
    return to_string(phase) + ("-b" + std::to_string(frame));
  }
};

// Files in a folder, with which phases signal their start to other threads and ranks.
class Moments {
 public:
  explicit Moments(std::string folder) : folder_(std::move(folder)) {}

  void note(const std::string& name) const { test::write_file(folder_ + "/" + name, ""); }
  // Throws after a timeout.
  void await(const Moment& moment) const {
    constexpr int max_ms = 60'000;
    for (int ms = 0; !std::filesystem::exists(folder_ + "/" + moment.name()); ++ms) {
      if (ms == max_ms) throw std::runtime_error("timeout waiting for " + moment.name());
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

 private:
  std::string folder_;
};

// Moment `first` waits until `then` has begun.
struct Wait {
  Moment first;
  Moment then;
};

class ExposureOrder : public ExposureRuns {
 protected:
  // The event log of a run, on rank 0, after checking its outputs.
  std::unique_ptr<Log> logged_run(ExposureJob job, const std::vector<Wait>& waits = {}) const {
    std::unique_ptr<test::ScratchFolder> folder;
    std::string path;
    on_root(world, [&] {
      folder = std::make_unique<test::ScratchFolder>();
      path = folder->file("");
      job.events = inputs->file("events.json");
    });
    broadcast(world, path);
    const Moments moments(path);
    job.hook = [&moments, &waits](Phase phase, const std::string& camera) {
      const std::string name = to_string(phase) + ("-" + camera);
      moments.note(name);
      for (const Wait& wait : waits)
        if (wait.first.name() == name) moments.await(wait.then);
    };
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
  // For every frame except the last: phase `first` waits for phase `then` of the next frame.
  [[nodiscard]] std::vector<Wait> waits_for_next(Phase first, Phase then) const {
    std::vector<Wait> waits;
    for (int k = 0; k < last; ++k) waits.push_back({{first, k}, {then, k + 1}});
    return waits;
  }
  // For every frame except the first: its extraction waits until the previous frame is being
  // written.
  [[nodiscard]] std::vector<Wait> extractions_wait_for_writes() const {
    std::vector<Wait> waits;
    for (int k = 0; k < last; ++k) waits.push_back({{Phase::extract, k + 1}, {Phase::write, k}});
    return waits;
  }
  const int last = 3;
};

TEST_F(ExposureOrder, SequentialDoesNotOverlap) {
  ExposureJob job = all_frames(Schedule::sequential);
  job.groups = 1;
  const auto log = logged_run(job);
  if (!log) return;
  for (int k = 0; k < last; ++k) EXPECT_LE(log->end(k, "write"), log->start(k + 1, "read"));
}

TEST_F(ExposureOrder, GroupsTakeFramesInTurn) {
  ExposureJob job = all_frames(Schedule::sequential);
  job.groups = world.size() >= 2 ? 2 : 1;
  const auto log = logged_run(job);
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

TEST_F(InterleaveOrder, ReadsAheadWhileItExtracts) {
  static_cast<void>(
      logged_run(all_frames(Schedule::interleave_io), waits_for_next(Phase::extract, Phase::read)));
}

TEST_F(InterleaveOrder, WritesThePreviousFrameWhileItExtracts) {
  static_cast<void>(logged_run(all_frames(Schedule::interleave_io), extractions_wait_for_writes()));
}

TEST_F(InterleaveOrder, ReadsAtMostOneFrameAhead) {
  const auto log =
      logged_run(all_frames(Schedule::interleave_io), waits_for_next(Phase::extract, Phase::read));
  if (!log) return;
  for (int k = 0; k + 2 <= last; ++k)
    EXPECT_LE(log->end(k, "extract"), log->start(k + 2, "read")) << "frame " << k;
}

TEST_F(InterleaveOrder, ReadsWhileItWrites) {
  const auto log =
      logged_run(all_frames(Schedule::interleave_io), waits_for_next(Phase::write, Phase::read));
  if (!log) return;
  for (int k = 0; k < last; ++k)  // one reader: one frame at a time
    EXPECT_LE(log->end(k, "read"), log->start(k + 1, "read"));
}

TEST_F(InterleaveOrder, WriterDoesNotDelayTheNextFrame) {
  const auto log =
      logged_run(all_frames(Schedule::interleave_io), waits_for_next(Phase::write, Phase::extract));
  if (!log) return;
  for (int k = 0; k < last; ++k) EXPECT_LE(log->end(k, "write"), log->start(k + 1, "write"));
}

TEST_F(InterleaveOrder, ReaderWriterAndWorkersAreDifferentRanks) {
  const auto log = logged_run(all_frames(Schedule::interleave_io));
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
  // A job whose frames are all on rank 0; the other ranks get no frames.
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
  std::vector<Wait> waits = waits_for_next(Phase::extract, Phase::read);
  for (const Wait& wait : extractions_wait_for_writes()) waits.push_back(wait);
  static_cast<void>(logged_run(of_one_rank(), waits));
}

TEST_F(PipelineOrder, SlowFilesDoNotDelayOtherFrames) {
  ExposureJob job = of_one_rank();
  job.readers = 2;
  static_cast<void>(logged_run(job, waits_for_next(Phase::read, Phase::read)));
  static_cast<void>(logged_run(job, waits_for_next(Phase::write, Phase::extract)));
}

TEST_F(PipelineOrder, FramesInFlightAreBounded) {
  for (const int most : {1, 2}) {
    ExposureJob job = of_one_rank();
    job.readers = 3;
    job.frames_in_flight = most;
    const auto log = logged_run(job);
    for (int k = 0; k <= last; ++k) {
      int in_flight = 0;  // when reading of frame k begins
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
