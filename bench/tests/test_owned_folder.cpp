#include <filesystem>

#include <gmock/gmock.h>
#include <unistd.h>

#include "bench/campaign/folders.hpp"
#include "bench/tests/refusal_of.hpp"
#include "reference/tests/support/scratch.hpp"

namespace spex::bench {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

TEST(OwnedFolder, CanBeUsedAgain) {
  const test::ScratchFolder scratch;
  const std::string path = scratch.file("a/b");
  { const OwnedFolder made("--data", path); }
  test::write_file(path + "/file", "x");
  const OwnedFolder again("--data", path);
  EXPECT_EQ(again.path(), path);
}

TEST(OwnedFolder, WithOtherFilesIsRefusedAndKept) {
  const test::ScratchFolder scratch;
  test::write_file(scratch.file("thesis"), "x");
  const std::string path = fs::path(scratch.file("thesis")).parent_path();
  EXPECT_THAT(refusal_of([&] { const OwnedFolder folder("--data", path); }),
              HasSubstr("--data: " + path + " holds files that are not spex-bench's"));
  EXPECT_EQ(scratch.names(), std::set<std::string>{"thesis"});
  EXPECT_THAT(refusal_of([&] { const OwnedFolder folder("--data", scratch.file("thesis")); }),
              HasSubstr("thesis"));
}

TEST(OwnedFolder, OfAnotherUserIsRefused) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a folder away";
  const test::ScratchFolder scratch;
  const std::string path = scratch.file("data");
  { const OwnedFolder made("--data", path); }
  ASSERT_EQ(chown(path.c_str(), 65534, 65534), 0);
  EXPECT_THAT(refusal_of([&] { const OwnedFolder folder("--data", path); }),
              HasSubstr("--data: " + path + " belongs to another user"));
}

TEST(OwnedFolder, LinksAreNotFollowed) {
  const test::ScratchFolder scratch;
  const std::string path = scratch.file("data"), thesis = scratch.file("thesis");
  test::write_file(thesis, "x");
  { const OwnedFolder made("--data", path); }
  fs::remove(path + "/.spex-bench-lock");
  fs::create_symlink(thesis, path + "/.spex-bench-lock");
  EXPECT_THAT(refusal_of([&] { const OwnedFolder folder("--data", path); }),
              HasSubstr(".spex-bench-lock"));
  EXPECT_EQ(fs::file_size(thesis), 1U);
}

TEST(OwnedFolder, ASecondRunIsRefusedAndTheFirstNamed) {
  const test::ScratchFolder scratch;
  const std::string path = scratch.file("data");
  {
    const OwnedFolder first("--data", path);
    EXPECT_THAT(refusal_of([&] { const OwnedFolder second("--data", path); }),
                HasSubstr("is in use by process " + std::to_string(getpid()) + " on "));
  }
  const OwnedFolder after("--data", path);
}

}  // namespace
}  // namespace spex::bench
