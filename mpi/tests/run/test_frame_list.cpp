// List files of frames.

#include <array>
#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

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

// Lines that a test writes into a pipe.
class Pipe {
 public:
  Pipe() {
    if (pipe(ends_.data()) != 0) throw std::runtime_error("no pipe");
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close(ends_[0]);
    end();
  }
  void put(const std::string& text) const {
    ASSERT_EQ(write(ends_[1], text.data(), text.size()), std::ssize(text));
  }
  void end() {
    if (ends_[1] >= 0) close(ends_[1]);
    ends_[1] = -1;
  }
  [[nodiscard]] FramePipe frames() const { return {ends_[0], "pipe"}; }

 private:
  std::array<int, 2> ends_{};
};

std::vector<std::string> outputs(const std::vector<FrameFiles>& frames) {
  std::vector<std::string> all;
  for (const FrameFiles& frame : frames)
    all.push_back(frame.fault.empty() ? frame.output : frame.fault);
  return all;
}

TEST_F(FrameList, FramesOfAPipeCome) {
  Pipe pipe;
  FramePipe frames = pipe.frames();
  pipe.put("# a night\nb0 i p o1\n\nb1 i p o2\nb2 i");
  EXPECT_THAT(outputs(frames.next()), ElementsAre("o1", "o2"));
  pipe.put("2 p o3\nq1 i p o\nb3 i\n");
  EXPECT_THAT(outputs(frames.next()),
              ElementsAre("o3", "pipe:6: 'q1' is not a camera (expected b, r or z and a digit)",
                          "pipe:7: has fewer than four words (expected CAMERA IMAGE PSF OUTPUT)"));
  // Comments are no reason to return; the last line may have no end.
  pipe.put("# clouds\n");
  pipe.put("b4 i p o4");
  pipe.end();
  EXPECT_THAT(outputs(frames.next()), ElementsAre("o4"));
  EXPECT_TRUE(frames.next().empty());
  EXPECT_TRUE(frames.next().empty());
}

TEST_F(FrameList, PipeWaitsForLines) {
  Pipe pipe;
  FramePipe frames = pipe.frames();
  const std::jthread writer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    pipe.put("b0 i ");
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    pipe.put("p o\n");
  });
  EXPECT_THAT(outputs(frames.next()), ElementsAre("o"));
}

TEST_F(FrameList, PipeWithoutFrames) {
  Pipe pipe;
  FramePipe frames = pipe.frames();
  pipe.put("# nothing\n");
  pipe.end();
  EXPECT_THROW(static_cast<void>(frames.next()), Error);
  constexpr int not_open = 999;
  FramePipe closed(not_open, "pipe");
  EXPECT_THROW(static_cast<void>(closed.next()), Error);
}

// Only the later frame fails, however many lines come at once.
TEST_F(FrameList, ClashesInAPipe) {
  const std::vector<FrameFiles> all{{"b0", "i0", "p", "o0"},         {"b1", "i1", "p", "./o0.fits"},
                                    {"b2", "i2", "p", "o0.fits.gz"}, {"b3", "i3", "p", "i0"},
                                    {"b4", "o0", "p", "o4"},         {"b0", "i0", "p", "o0"},
                                    {"b0", "i0", "q", "o0"},         {"b5", "i5", "p", "o5"}};
  const auto expect = ElementsAre(
      "", "", "o0.fits.gz: is the output of i2 and i1 (expected a different output for each frame)",
      "i0: would be overwritten by an output (expected another name for the output)",
      "o0: is the output of a frame before (expected an input)", "",
      "o0: is the output of i0 and i0 (expected a different output for each frame)", "");
  const auto faults_of = [](std::vector<FrameFiles> frames, FramePipe& pipe) {
    pipe.note_clashes(frames);
    std::vector<std::string> faults;
    for (const FrameFiles& frame : frames) faults.push_back(frame.fault);
    return faults;
  };
  FramePipe at_once(-1, "pipe"), one_by_one(-1, "pipe");
  EXPECT_THAT(faults_of(all, at_once), expect);
  std::vector<std::string> faults;
  for (const FrameFiles& frame : all) faults.push_back(faults_of({frame}, one_by_one).front());
  EXPECT_THAT(faults, expect);
}

TEST_F(FrameList, TheRunLogIsNoOtherFile) {
  const std::vector<FrameFiles> one{{"b0", "i", "p", "o"}};
  EXPECT_THAT(faults(one, {"list", "log"}), ElementsAre(""));
  EXPECT_THROW(faults(one, {"list", "list"}), Error);
  for (const char* file : {"./i", "p", "./o"}) EXPECT_THROW(faults(one, {"", file}), Error);
}

}  // namespace
}  // namespace spex::mpi
