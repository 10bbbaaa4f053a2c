#include <chrono>
#include <cmath>
#include <filesystem>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/correctness/validation.hpp"
#include "bench/measure/run_observer.hpp"
#include "bench/measure/sample.hpp"
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
  return last_change({scratch.file("present")}).value();
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
    const std::optional<Opening> first = watch.stop();
    ASSERT_TRUE(first);
    EXPECT_GE(first->unix_s, before);
    EXPECT_EQ(first->path, scratch.file("b"));
    in_time = first->unix_s < later;
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

// A second hand on the file, by a name elsewhere, that writes through memory: the file's own times
// stay as they were.
TEST(WritingWatch, SeesFilesUntilNobodyHasThemOpen) {
  const test::ScratchFolder scratch;
  fs::create_directory(scratch.file("outputs"));
  test::write_file(scratch.file("elsewhere"), "x");
  WritingWatch watch(scratch.file("outputs"));
  ASSERT_TRUE(watch.watches());
  const int file = open(scratch.file("elsewhere").c_str(), O_RDWR);
  ASSERT_GE(file, 0);
  void* const memory = mmap(nullptr, 1, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  ASSERT_NE(memory, MAP_FAILED);
  close(file);
  fs::create_hard_link(scratch.file("elsewhere"), scratch.file("outputs") + "/frame");
  pause(std::chrono::milliseconds(300));
  const double before = unix_now();
  ASSERT_EQ(munmap(memory, 1), 0);
  const std::optional<Closing> last = watch.stop();
  ASSERT_TRUE(last);
  EXPECT_GE(last->unix_s, before);
  EXPECT_LE(last->not_before_unix, last->unix_s);
}

TEST(WritingWatch, SaysNothingOfAFolderThatStaysEmpty) {
  const test::ScratchFolder scratch;
  WritingWatch watch(scratch.file("."));
  EXPECT_FALSE(watch.stop());
  EXPECT_TRUE(watch.watches());
}

// A thread that is held up says since when.
TEST(FileEvents, AreNotFromBeforeTheLastLook) {
  const test::ScratchFolder scratch;
  test::write_file(scratch.file("a"), "x");
  std::vector<FileEvent> seen;
  FileEvents events([&](const FileEvent& event) {
    seen.push_back(event);
    if (seen.size() == 1) pause(std::chrono::milliseconds(400));
  });
  ASSERT_GE(events.add(scratch.file("a"), IN_OPEN), 0);
  EXPECT_EQ(events.add(scratch.file("none"), IN_OPEN), -1);
  events.start();
  static_cast<void>(test::read_file(scratch.file("a")));
  pause();
  const double between = unix_now();
  static_cast<void>(test::read_file(scratch.file("a")));
  pause(std::chrono::milliseconds(400));
  events.stop();
  ASSERT_EQ(seen.size(), 2);
  EXPECT_LE(seen[1].not_before_unix, between);
  EXPECT_GE(seen[1].seen_unix, between);
  EXPECT_FALSE(events.is_blind());
}

TEST(LastChange, IsThatOfTheRename) {
  const test::ScratchFolder scratch;
  test::write_file(scratch.file("a"), "x");
  test::write_file(scratch.file("temporary"), "x");
  const auto written = last_change({scratch.file("a"), scratch.file("temporary")});
  ASSERT_TRUE(written);
  pause();
  const double before = file_time(scratch);
  EXPECT_GT(before, *written);
  fs::rename(scratch.file("temporary"), scratch.file("b"));
  const auto last = last_change({scratch.file("a"), scratch.file("b")});
  ASSERT_TRUE(last);
  EXPECT_GE(*last, before);
  EXPECT_LE(*last, file_time(scratch));
  EXPECT_FALSE(last_change({scratch.file("a"), scratch.file("none")}));
}

TEST(FileClockOffset, IsOfThisMachineHere) {
  const test::ScratchFolder scratch;
  const double before = unix_now();
  const double offset = file_clock_offset(scratch.file("."));
  // It cannot err by more than it took.
  constexpr double tick = 0.05;
  EXPECT_LE(std::abs(offset), unix_now() - before + tick);
  EXPECT_FALSE(fs::exists(scratch.file(".clock")));
}

TEST(WhyNoOutput, FilesOfTheRunOnly) {
  const test::ScratchFolder scratch;
  struct stat about {};
  ASSERT_EQ(stat(scratch.file(".").c_str(), &about), 0);
  test::write_file(scratch.file("old"), "x");
  pause();
  RunWindow run{file_time(scratch), 0, about.st_dev};
  for (const char* name : {"new", "late", "dated back", "linked"})
    test::write_file(scratch.file(name), "x");
  fs::create_symlink(scratch.file("new"), scratch.file("link"));
  fs::create_directory(scratch.file("folder"));
  fs::create_hard_link(scratch.file("linked"), scratch.file("second"));
  // A rename does not make a file new.
  fs::rename(scratch.file("old"), scratch.file("renamed"));
  run.ended_unix = file_time(scratch);
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
