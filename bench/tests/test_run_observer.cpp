#include <chrono>
#include <filesystem>
#include <thread>

#include <gtest/gtest.h>

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
  const std::optional<double> first = watch.stop();
  ASSERT_TRUE(first);
  EXPECT_GE(*first, before);
  EXPECT_LT(*first, later);
}

TEST(OpeningWatch, SaysNothingOfWhatWasNotOpened) {
  const test::ScratchFolder scratch;
  test::write_file(scratch.file("a"), "x");
  OpeningWatch untouched({scratch.file("a")});
  EXPECT_FALSE(untouched.stop());
  OpeningWatch missing({scratch.file("none")});
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
  test::write_file(scratch.file("old"), "x");
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const double began = unix_now() + offset;
  test::write_file(scratch.file("new"), "x");
  fs::create_symlink(scratch.file("new"), scratch.file("link"));
  fs::create_directory(scratch.file("folder"));
  EXPECT_EQ(why_no_output(scratch.file("new"), began), "");
  EXPECT_EQ(why_no_output(scratch.file("none"), began), "is missing");
  EXPECT_EQ(why_no_output(scratch.file("link"), began), "is a link");
  EXPECT_EQ(why_no_output(scratch.file("folder"), began), "is no file");
  EXPECT_EQ(why_no_output("/dev/null", began), "is no file");
  // A rename does not make a file new.
  fs::rename(scratch.file("old"), scratch.file("renamed"));
  EXPECT_EQ(why_no_output(scratch.file("renamed"), began), "was written before the run");
  fs::create_hard_link(scratch.file("new"), scratch.file("second"));
  EXPECT_EQ(why_no_output(scratch.file("new"), began), "is a second name of another file");
}

}  // namespace
}  // namespace spex::bench
