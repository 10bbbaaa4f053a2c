// Paths of the same file, and outputs that would overwrite inputs.
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/core/error.hpp"
#include "reference/fits/same_file.hpp"
#include "reference/tests/support/scratch.hpp"

namespace spex {
namespace {

std::string refusal(const std::vector<std::string>& written, const std::vector<std::string>& read) {
  try {
    refuse_overwriting(written, read);
    return "none";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.what();
  }
}

TEST(SameFile, ForAnyOfItsPaths) {
  const test::ScratchFolder scratch;
  test::write_file(scratch.file("a"), "a");
  std::filesystem::create_symlink("a", scratch.file("link"));
  EXPECT_TRUE(same_file(scratch.file("a"), scratch.file("./a")));
  EXPECT_TRUE(same_file(scratch.file("a"), scratch.file("link")));
  EXPECT_TRUE(same_file("not-there", "./not-there"));
  EXPECT_FALSE(same_file(scratch.file("a"), scratch.file("b")));
  EXPECT_FALSE(same_file("", ""));
}

TEST(SameFile, NoOutputIsAnInputOrAnotherOutput) {
  EXPECT_EQ(refusal({"out", "model"}, {"image", "psf"}), "none");
  EXPECT_EQ(refusal({"out", ""}, {"image", ""}), "none");
  EXPECT_THAT(refusal({"out", "./psf"}, {"image", "psf"}),
              testing::StartsWith("./psf: would overwrite an input"));
  EXPECT_THAT(refusal({"out", "./out"}, {"image"}),
              testing::StartsWith("./out: is the name of both outputs"));
}

}  // namespace
}  // namespace spex
