#include <chrono>
#include <filesystem>
#include <thread>

#include <gtest/gtest.h>

#include "bench/check/outputs.hpp"
#include "bench/result/utc.hpp"
#include "bench/run/run_observer.hpp"
#include "reference/tests/support/scratch.hpp"

namespace spex::bench {
namespace {

namespace fs = std::filesystem;

void pause(std::chrono::milliseconds time = std::chrono::milliseconds(100)) {
  std::this_thread::sleep_for(time);
}

// The present by the clock of the files in a folder, which has coarse ticks.
double file_time(const test::ScratchFolder& scratch) {
  test::write_file(scratch.file("present"), "x");
  return last_change(scratch.file("present")).value();
}

TEST(OpeningWatch, SeesTheFirstOpening) {
  const test::ScratchFolder scratch;
  test::write_file(scratch.file("a"), "x");
  test::write_file(scratch.file("b"), "x");
  // The watch may be late where the machine has other work: it is given longer, until it is not.
  bool in_time = false;
  for (int ms = 20; !in_time && ms < 100000; ms *= 2) {
    const double before = unix_now();
    OpeningWatch watch({scratch.file("a"), scratch.file("b")});
    EXPECT_TRUE(watch.watches());
    static_cast<void>(test::read_file(scratch.file("b")));
    pause(std::chrono::milliseconds(ms));
    const double later = unix_now();
    static_cast<void>(test::read_file(scratch.file("a")));
    const std::optional<double> first = watch.stop();
    ASSERT_TRUE(first);
    EXPECT_GE(*first, before);
    in_time = *first < later;
  }
  EXPECT_TRUE(in_time);
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

TEST(WritingWatch, SeesTheLastClosingAndRename) {
  const test::ScratchFolder scratch;
  fs::create_directory(scratch.file("outputs"));
  const std::string partial = scratch.file("outputs") + "/.partial";
  WritingWatch watch(scratch.file("outputs"));
  ASSERT_TRUE(watch.watches());
  test::write_file(partial, "x");
  pause();
  const double before = unix_now();
  fs::rename(partial, scratch.file("outputs") + "/frame");
  // Who reads it later changes nothing.
  pause();
  const double after = unix_now();
  static_cast<void>(test::read_file(scratch.file("outputs") + "/frame"));
  pause();
  const std::optional<double> last = watch.stop();
  ASSERT_TRUE(last);
  EXPECT_GE(*last, before);
  EXPECT_LE(*last, after);
}

TEST(WritingWatch, SaysNothingOfAFolderThatStaysEmpty) {
  const test::ScratchFolder scratch;
  WritingWatch watch(scratch.file("."));
  EXPECT_FALSE(watch.stop());
  EXPECT_TRUE(watch.watches());
}

TEST(LastChange, IsThatOfTheRename) {
  const test::ScratchFolder scratch;
  test::write_file(scratch.file("temporary"), "x");
  pause();
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
