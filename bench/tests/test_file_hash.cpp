#include <gmock/gmock.h>

#include "bench/result/file_hash.hpp"
#include "reference/tests/support/scratch.hpp"

namespace spex::bench {
namespace {

// The example of FIPS 180-4.
constexpr const char* hash_of_abc =
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

TEST(FileHash, TextAndFileAgree) {
  const test::ScratchFolder scratch;
  test::write_file(scratch.file("abc"), "abc");
  EXPECT_EQ(hash_text("abc"), hash_of_abc);
  EXPECT_EQ(hash_file(scratch.file("abc")), hash_of_abc);
}

TEST(FileHash, FilesLongerThanABlockAndEmptyOnes) {
  const test::ScratchFolder scratch;
  const std::string text(3'500'000, 'x');
  test::write_file(scratch.file("long"), text);
  test::write_file(scratch.file("empty"), "");
  EXPECT_EQ(hash_file(scratch.file("long")), hash_text(text));
  EXPECT_EQ(hash_file(scratch.file("empty")), hash_text(""));
}

TEST(FileHash, UnreadableFilesHaveNone) {
  const test::ScratchFolder scratch;
  test::write_file(scratch.file("abc"), "abc");
  EXPECT_THAT(hash_files({scratch.file("none"), scratch.file("abc"), scratch.file(".")}),
              testing::ElementsAre(std::nullopt, hash_of_abc, std::nullopt));
}

}  // namespace
}  // namespace spex::bench
