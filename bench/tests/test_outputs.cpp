#include <chrono>
#include <filesystem>
#include <thread>

#include <gtest/gtest.h>

#include "bench/check/outputs.hpp"
#include "reference/tests/support/scratch.hpp"

namespace spex::bench {
namespace {

namespace fs = std::filesystem;

// The present by the clock of the files in a folder, which has coarse ticks.
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

TEST(WhyNoOutput, FilesOfTheRunOnly) {
  const test::ScratchFolder scratch;
  const std::string folder = scratch.file(".");
  for (const char* name : {"new", "linked"}) test::write_file(scratch.file(name), "x");
  fs::create_symlink(scratch.file("new"), scratch.file("link"));
  fs::create_directory(scratch.file("folder"));
  fs::create_hard_link(scratch.file("linked"), scratch.file("second"));
  EXPECT_EQ(why_no_output(scratch.file("new"), folder), "");
  EXPECT_EQ(why_no_output(scratch.file("none"), folder), "is missing");
  EXPECT_EQ(why_no_output(scratch.file("link"), folder), "is a link");
  EXPECT_EQ(why_no_output(scratch.file("folder"), folder), "is no file");
  EXPECT_EQ(why_no_output("/dev/null", folder), "is no file");
  EXPECT_EQ(why_no_output(scratch.file("linked"), folder), "is a second name of another file");
  EXPECT_EQ(why_no_output(scratch.file("new"), "/proc"), "is on another file system");
}

}  // namespace
}  // namespace spex::bench
