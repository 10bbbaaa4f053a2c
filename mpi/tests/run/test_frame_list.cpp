// List files of frames.

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mpi/run/frame_list.hpp"
#include "reference/core/error.hpp"
#include "reference/tests/support/scratch.hpp"

namespace spex::mpi {
namespace {

class FrameList : public testing::Test {
 protected:
  // The usage error of a list with this text.
  std::string refusal(const std::string& text) {
    test::write_file(scratch.file("list"), text);
    try {
      static_cast<void>(frames_of_list(scratch.file("list")));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      return error.what();
    }
    return "no error";
  }
  test::ScratchFolder scratch;
};

TEST_F(FrameList, ListKeepsItsOrder) {
  test::write_file(scratch.file("list"),
                   "# an exposure\n\n z9 i1 p1 o1 # the first\n   \nb0\ti2 p2   o2");
  const auto frames = frames_of_list(scratch.file("list"));
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_EQ(frames[0].camera, "z9");
  EXPECT_EQ(frames[0].output, "o1");
  EXPECT_EQ(frames[1].input, "i2");
  EXPECT_EQ(frames[1].psf, "p2");
}

TEST_F(FrameList, MalformedLinesAreNamed) {
  const std::string second = scratch.file("list") + ":2: ";
  EXPECT_THAT(refusal("b0 i p o\nb1 i p\n"), testing::StartsWith(second));
  EXPECT_THAT(refusal("b0 i p o\nb1 i p o surplus\n"), testing::StartsWith(second));
  EXPECT_THAT(refusal("b0 i p o\nq1 i p o2\n"), testing::StartsWith(second));
  EXPECT_THAT(refusal("# nothing\n"), testing::HasSubstr("lists no frame"));
  EXPECT_THROW(static_cast<void>(frames_of_list(scratch.file("none"))), Error);
  EXPECT_THROW(static_cast<void>(frames_of_list(scratch.file("."))), Error);
}

TEST_F(FrameList, OutputsMustBeDistinct) {
  EXPECT_NO_THROW(check_outputs({{"b0", "i", "p", "o1"}, {"b1", "i", "p", "o2"}}));
  EXPECT_THROW(check_outputs({{"b0", "i", "p", "o"}, {"b1", "i", "p", "./o"}}), Error);
  EXPECT_THROW(check_outputs({{"b0", "i", "p", "o1"}, {"b1", "o1", "p", "o2"}}), Error);
  EXPECT_THROW(check_outputs({{"b0", "i", "p", "p"}}), Error);
  const std::vector<FrameFiles> one{{"b0", "i", "p", "o"}};
  EXPECT_NO_THROW(check_outputs(one, {"list", "log"}));
  EXPECT_THROW(check_outputs(one, {"./o", "log"}), Error);
  EXPECT_THROW(check_outputs(one, {"list", "list"}), Error);
  for (const char* file : {"./i", "p", "./o"}) EXPECT_THROW(check_outputs(one, {"", file}), Error);
}

}  // namespace
}  // namespace spex::mpi
