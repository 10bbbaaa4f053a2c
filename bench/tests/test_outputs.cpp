#include <chrono>
#include <cmath>
#include <filesystem>
#include <functional>
#include <thread>

#include <gmock/gmock.h>

#include "bench/check/output_collector.hpp"
#include "bench/check/outputs.hpp"
#include "reference/tests/support/scratch.hpp"

namespace spex::bench {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// The current time by the file system's clock, which has coarse ticks.
double file_time(const test::ScratchFolder& scratch) {
  test::write_file(scratch.file("present"), "x");
  return last_change(scratch.file("present")).value();
}

TEST(LastChange, IsThatOfTheRename) {
  const test::ScratchFolder scratch;
  test::write_file(scratch.file("temporary"), "x");
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const double before = file_time(scratch);
  fs::rename(scratch.file("temporary"), scratch.file("b"));
  const auto last = last_change(scratch.file("b"));
  ASSERT_TRUE(last);
  EXPECT_GE(*last, before);
  EXPECT_LE(*last, file_time(scratch));
  EXPECT_FALSE(last_change(scratch.file("none")));
}

TEST(OutputFault, OnlyFilesOfTheRunAreValid) {
  const test::ScratchFolder scratch;
  const std::string folder = scratch.file(".");
  for (const char* name : {"new", "linked"}) test::write_file(scratch.file(name), "x");
  fs::create_symlink(scratch.file("new"), scratch.file("link"));
  fs::create_directory(scratch.file("folder"));
  fs::create_hard_link(scratch.file("linked"), scratch.file("second"));
  EXPECT_EQ(output_fault(scratch.file("new"), folder), "");
  EXPECT_EQ(output_fault(scratch.file("none"), folder), "is missing");
  EXPECT_EQ(output_fault(scratch.file("link"), folder), "is a link");
  EXPECT_EQ(output_fault(scratch.file("folder"), folder), "is not a file");
  EXPECT_EQ(output_fault("/dev/null", folder), "is not a file");
  EXPECT_EQ(output_fault(scratch.file("linked"), folder), "is a second name of another file");
  EXPECT_EQ(output_fault(scratch.file("new"), "/proc"), "is on another file system");
}

// A run that writes six frames of two alternating inputs, each by rename.
struct SixFrames {
  const test::ScratchFolder scratch;
  std::string outputs = scratch.file("outputs"), kept = scratch.file("kept");
  std::vector<std::string> frames;

  SixFrames() {
    fs::create_directory(outputs);
    fs::create_directory(kept);
    for (int i = 0; i < 6; ++i)
      frames.push_back(fs::path(outputs) / ("frame-" + std::to_string(i) + ".fits"));
  }

  void write(int frame, const std::string& bytes) const {
    const std::string partial = fs::path(outputs) / ".partial";
    test::write_file(partial, bytes);
    fs::rename(partial, frames[frame]);
  }

  [[nodiscard]] CollectedFrames collect(const std::function<void()>& run) const {
    OutputCollector collector(frames, 2, kept, 2);
    run();
    return collector.finish();
  }

  void write_all() const {
    for (int i = 0; i < 6; ++i) write(i, i % 2 == 0 ? "even" : "odd");
  }
};

TEST(OutputCollector, KeepsTheFirstOfEachInputAndRemovesTheOthers) {
  const SixFrames run;
  const double before = file_time(run.scratch);
  const CollectedFrames collected = run.collect([&] { run.write_all(); });
  const double after = file_time(run.scratch);
  EXPECT_EQ(collected.failure, "");
  ASSERT_EQ(collected.kept.size(), 2U);
  EXPECT_EQ(test::read_file(collected.kept.at(0)), "even");
  EXPECT_EQ(test::read_file(collected.kept.at(1)), "odd");
  EXPECT_TRUE(fs::is_empty(run.outputs));
  for (const double written : collected.written) {
    EXPECT_GE(written, before);
    EXPECT_LE(written, after);
  }
  EXPECT_GE(collected.max_waiting, 1);
}

TEST(OutputCollector, InspectsFramesDuringTheRun) {
  const SixFrames run;
  const CollectedFrames collected = run.collect([&] {
    run.write(0, "even");
    // Ends when the frame is inspected; otherwise the test's time limit ends it.
    while (fs::exists(run.frames[0])) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    run.write_all();
  });
  EXPECT_EQ(collected.failure, "");
}

TEST(OutputCollector, OtherBytesOfTheSameInput) {
  const SixFrames run;
  EXPECT_THAT(run.collect([&] {
                   for (const int i : {0, 1, 2, 3, 5}) run.write(i, i % 2 == 0 ? "even" : "odd");
                   run.write(4, "seven");
                 })
                  .failure,
              HasSubstr("has other bytes than the first of the same input"));
}

TEST(OutputCollector, AMissingFrame) {
  const SixFrames run;
  const CollectedFrames collected = run.collect([&] {
    for (const int i : {0, 1, 2, 3, 5}) run.write(i, i % 2 == 0 ? "even" : "odd");
  });
  EXPECT_EQ(collected.failure, "frame 5 of the run (frame-4.fits): is missing");
  EXPECT_TRUE(std::isnan(collected.written[4]));
}

TEST(OutputCollector, LinksAreNoFrames) {
  const SixFrames run;
  test::write_file(run.scratch.file("kept-answer"), "odd");
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const auto fails_by = [&](const std::function<void()>& put_last) {
    return run.collect([&] {
      for (int i = 0; i < 5; ++i) run.write(i, i % 2 == 0 ? "even" : "odd");
      put_last();
    });
  };
  const std::string answer = run.scratch.file("kept-answer"), last = run.frames[5];
  EXPECT_THAT(fails_by([&] { fs::create_symlink(answer, last); }).failure, HasSubstr("is a link"));
  fs::remove(last);
  EXPECT_THAT(fails_by([&] { fs::create_hard_link(answer, last); }).failure,
              HasSubstr("is a second name"));
}

}  // namespace
}  // namespace spex::bench
