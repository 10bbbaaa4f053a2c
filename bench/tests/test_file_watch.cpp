#include <chrono>
#include <filesystem>
#include <thread>

#include <gtest/gtest.h>
#include <sys/inotify.h>

#include "bench/result/utc.hpp"
#include "bench/run/file_watch.hpp"
#include "reference/tests/support/scratch.hpp"

namespace spex::bench {
namespace {

namespace fs = std::filesystem;

void pause(std::chrono::milliseconds time = std::chrono::milliseconds(100)) {
  std::this_thread::sleep_for(time);
}

TEST(FileWatch, SeesTheFirstOpening) {
  const test::ScratchFolder scratch;
  test::write_file(scratch.file("a"), "x");
  test::write_file(scratch.file("b"), "x");
  // The watch may be late on a busy machine, so the pause doubles until the watch is in time.
  bool in_time = false;
  for (int ms = 20; !in_time && ms < 100000; ms *= 2) {
    const double before = unix_now();
    FileWatch watch({scratch.file("a"), scratch.file("b")}, IN_OPEN);
    EXPECT_TRUE(watch.sees_all());
    static_cast<void>(test::read_file(scratch.file("b")));
    pause(std::chrono::milliseconds(ms));
    const double later = unix_now();
    static_cast<void>(test::read_file(scratch.file("a")));
    const std::optional<double> first = watch.stop().first;
    ASSERT_TRUE(first);
    EXPECT_GE(*first, before);
    in_time = *first < later;
  }
  EXPECT_TRUE(in_time);
}

TEST(FileWatch, HasNoTimesOfUnopenedFiles) {
  const test::ScratchFolder scratch;
  test::write_file(scratch.file("a"), "x");
  FileWatch untouched({scratch.file("a")}, IN_OPEN);
  EXPECT_FALSE(untouched.stop().first);
  FileWatch missing({scratch.file("none")}, IN_OPEN);
  EXPECT_FALSE(missing.sees_all());
  EXPECT_FALSE(missing.stop().first);
}

TEST(FileWatch, SeesTheLastClosingAndRename) {
  const test::ScratchFolder scratch;
  fs::create_directory(scratch.file("outputs"));
  const std::string partial = scratch.file("outputs") + "/.partial";
  FileWatch watch({scratch.file("outputs")}, IN_CLOSE_WRITE | IN_MOVED_TO);
  ASSERT_TRUE(watch.sees_all());
  test::write_file(partial, "x");
  pause();
  const double before = unix_now();
  fs::rename(partial, scratch.file("outputs") + "/frame");
  // A later reader changes nothing.
  pause();
  const double after = unix_now();
  static_cast<void>(test::read_file(scratch.file("outputs") + "/frame"));
  pause();
  const std::optional<double> last = watch.stop().last;
  ASSERT_TRUE(last);
  EXPECT_GE(*last, before);
  EXPECT_LE(*last, after);
}

}  // namespace
}  // namespace spex::bench
