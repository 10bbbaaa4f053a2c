// List files of frames.

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mpi/run/frame_list.hpp"
#include "reference/core/error.hpp"
#include "reference/tests/support/scratch.hpp"

namespace spex::mpi {
namespace {

using testing::Each;
using testing::ElementsAre;

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

// The faults of these frames in a run.
std::vector<std::string> faults(std::vector<FrameFiles> frames, const RunFiles& run = {}) {
  note_clashes(frames, run);
  std::vector<std::string> all;
  for (const FrameFiles& frame : frames) all.push_back(frame.fault);
  return all;
}

// Frames of one output fail, and the others do not.
TEST_F(FrameList, FramesOfOneOutput) {
  EXPECT_THAT(faults({{"b0", "i", "p", "o1"}, {"b1", "i", "p", "o2"}}), ElementsAre("", ""));
  EXPECT_THAT(faults({{"b0", "i0", "p", "o"}, {"b1", "i1", "p", "o1"}, {"b2", "i2", "p", "./o"}}),
              ElementsAre("o: is the output of i0 and i2 (expected a different output for each "
                          "frame)",
                          "",
                          "./o: is the output of i2 and i0 (expected a different output for each "
                          "frame)"));
  EXPECT_THAT(faults({{"b0", "i0", "p", "o.fits.gz"}, {"b1", "i1", "p", "o.fits"}}),
              Each(testing::HasSubstr("is the output of")));
}

// The frame that would overwrite fails, not the one whose input it is.
TEST_F(FrameList, OutputsThatAreInputs) {
  const std::string wrong =
      "o1: would be overwritten by an output (expected another name for the output)";
  EXPECT_THAT(faults({{"b0", "i", "p", "o1"}, {"b1", "o1", "p", "o2"}}), ElementsAre(wrong, ""));
  EXPECT_THAT(faults({{"b0", "i", "p", "./p"}, {"b1", "i", "q", "o"}}),
              ElementsAre(testing::StartsWith("p: would be overwritten"), ""));
  EXPECT_THAT(faults({{"b0", "i", "p", "./list"}}, {"list", ""}),
              ElementsAre(testing::StartsWith("list: would be overwritten")));
}

TEST_F(FrameList, TheRunLogIsNoOtherFile) {
  const std::vector<FrameFiles> one{{"b0", "i", "p", "o"}};
  EXPECT_THAT(faults(one, {"list", "log"}), ElementsAre(""));
  EXPECT_THROW(faults(one, {"list", "list"}), Error);
  for (const char* file : {"./i", "p", "./o"}) EXPECT_THROW(faults(one, {"", file}), Error);
}

}  // namespace
}  // namespace spex::mpi
