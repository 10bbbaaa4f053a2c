#include <chrono>
#include <filesystem>
#include <thread>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "bench/correctness/validation.hpp"
#include "bench/measure/run_observer.hpp"
#include "bench/measure/sample.hpp"
#include "reference/tests/support/scratch.hpp"

namespace spex::bench {
namespace {

namespace fs = std::filesystem;

TEST(OpeningWatch, SeesTheFirstOpening) {
  const test::ScratchFolder scratch;
  test::write_file(scratch.file("a"), "x");
  test::write_file(scratch.file("b"), "x");
  const double before = unix_now();
  OpeningWatch watch({scratch.file("a"), scratch.file("b")});
  static_cast<void>(test::read_file(scratch.file("b")));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  const double later = unix_now() - 0.1;
  static_cast<void>(test::read_file(scratch.file("a")));
  EXPECT_TRUE(watch.watches());
  const std::optional<Opening> first = watch.stop();
  ASSERT_TRUE(first);
  EXPECT_GE(first->unix_s, before);
  EXPECT_LT(first->unix_s, later);
  EXPECT_EQ(first->path, scratch.file("b"));
}

TEST(OpeningWatch, SaysNothingOfWhatWasNotOpened) {
  const test::ScratchFolder scratch;
  test::write_file(scratch.file("a"), "x");
  OpeningWatch untouched({scratch.file("a")});
  EXPECT_FALSE(untouched.stop());
  OpeningWatch missing({scratch.file("none")});
  EXPECT_FALSE(missing.watches());
  EXPECT_FALSE(missing.stop());
}

TEST(LastChange, IsThatOfTheRename) {
  const test::ScratchFolder scratch;
  const double offset = file_clock_offset(scratch.file("."));
  test::write_file(scratch.file("a"), "x");
  test::write_file(scratch.file("temporary"), "x");
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  const double before = unix_now();
  fs::rename(scratch.file("temporary"), scratch.file("b"));
  const auto last = last_change({scratch.file("a"), scratch.file("b")});
  ASSERT_TRUE(last);
  EXPECT_NEAR(*last - offset, before, 0.1);
  EXPECT_FALSE(last_change({scratch.file("a"), scratch.file("none")}));
}

TEST(WhyNoOutput, FilesOfTheRunOnly) {
  const test::ScratchFolder scratch;
  const double offset = file_clock_offset(scratch.file("."));
  struct stat about {};
  ASSERT_EQ(stat(scratch.file(".").c_str(), &about), 0);
  const auto pause = [] { std::this_thread::sleep_for(std::chrono::milliseconds(100)); };
  test::write_file(scratch.file("old"), "x");
  pause();
  RunWindow run{unix_now() + offset, 0, about.st_dev};
  for (const char* name : {"new", "late", "dated back", "linked"})
    test::write_file(scratch.file(name), "x");
  fs::create_symlink(scratch.file("new"), scratch.file("link"));
  fs::create_directory(scratch.file("folder"));
  fs::create_hard_link(scratch.file("linked"), scratch.file("second"));
  // A rename does not make a file new.
  fs::rename(scratch.file("old"), scratch.file("renamed"));
  run.ended_unix = unix_now() + offset;
  EXPECT_EQ(why_no_output(scratch.file("new"), run), "");
  EXPECT_EQ(why_no_output(scratch.file("none"), run), "is missing");
  EXPECT_EQ(why_no_output(scratch.file("link"), run), "is a link");
  EXPECT_EQ(why_no_output(scratch.file("folder"), run), "is no file");
  EXPECT_EQ(why_no_output("/dev/null", run), "is no file");
  EXPECT_EQ(why_no_output(scratch.file("renamed"), run), "was written before the run");
  EXPECT_EQ(why_no_output(scratch.file("linked"), run), "is a second name of another file");
  // Neither does a time that is set make it old.
  pause();
  test::write_file(scratch.file("late"), "y");
  EXPECT_EQ(why_no_output(scratch.file("late"), run), "was changed after the run");
  const auto then = fs::last_write_time(scratch.file("dated back"));
  test::write_file(scratch.file("dated back"), "y");
  fs::last_write_time(scratch.file("dated back"), then);
  EXPECT_EQ(why_no_output(scratch.file("dated back"), run), "was changed after the run");
  run.device += 1;
  EXPECT_EQ(why_no_output(scratch.file("new"), run), "is on another file system");
}

}  // namespace
}  // namespace spex::bench
