#include <gmock/gmock.h>

#include "bench/correctness/run_claims.hpp"

namespace spex::bench {
namespace {

using testing::HasSubstr;

// A run of 10 s, of which its clock takes the 6 from second 3 on.
RunLog honest() {
  RunLog log;
  log.program = "spex-gpu";
  log.milestone = "pipeline";
  log.origin_unix = 1003;
  log.end_s = 6;
  log.ranks = 4;
  log.frames = {{"r0", "", "", 500, 0, 0, {}}, {"b0", "", "", 500, 1, 1, {}}};
  return log;
}

const AskedOf asked{"spex-gpu", "pipeline", {"b0", "r0"}, 4, 1000};
const SeenOf seen{1000, 1010, 1003.2, 1008.99, 0.05, {}, {}, 0};

std::string said_of(const RunLog& log, const SeenOf& what = seen) {
  return contradiction(log, asked, what);
}

TEST(RunClaims, AnHonestLogIsTaken) {
  EXPECT_EQ(said_of(honest()), "");
  EXPECT_EQ(said_of(honest(), {1000, 1010, {}, {}, 0.05, {}, {}, 0}), "");
}

TEST(RunClaims, FilesThatHoldAnswersStayClosed) {
  SeenOf what = seen;
  what.answer = answer_touched("truth.fits", "");
  EXPECT_EQ(said_of(honest(), what),
            "truth.fits was opened meanwhile, with which the run has no business");
  EXPECT_EQ(answer_touched("", "truth.fits"),
            "truth.fits was moved or replaced meanwhile, with which the run has no business");
  EXPECT_EQ(answer_touched("", ""), "");
}

TEST(RunClaims, EveryInputIsOpened) {
  SeenOf what = seen;
  what.unopened = "preproc-r0.fits";
  EXPECT_EQ(said_of(honest(), what), "preproc-r0.fits was not opened");
}

// Backwards, so that the files seem older than they are, or forwards; a clock that is adjusted
// loses less than a thousandth.
TEST(RunClaims, TheClockOfTheMachineIsNotSet) {
  SeenOf what = seen;
  what.clock_was_set = -3;
  EXPECT_EQ(said_of(honest(), what), "this machine's clock was set by -3.00 s meanwhile");
  what.clock_was_set = 1;
  EXPECT_THAT(said_of(honest(), what), HasSubstr("was set by 1.00 s"));
  what.clock_was_set = 0.055;
  EXPECT_EQ(said_of(honest(), what), "");
}

// FPNH is of the nodes that were asked for.
TEST(RunClaims, RanksAreOnNoMoreNodesThanWereAskedFor) {
  RunLog log = honest();
  log.hosts = {"a"};
  EXPECT_EQ(said_of(log), "");
  log.hosts = {"a", "b"};
  EXPECT_EQ(said_of(log), "the run log's ranks are on a, b (expected 1 node(s))");
  AskedOf of_two = asked;
  of_two.nodes = 2;
  EXPECT_EQ(contradiction(log, of_two, seen), "");
}

TEST(RunClaims, RanksAndPatchesAreThoseOfThePlan) {
  RunLog log = honest();
  log.ranks = 8;
  EXPECT_THAT(said_of(log), HasSubstr("is of 8 ranks (expected 4)"));
  log = honest();
  // Many patches make few failures of them.
  log.frames[0].patches = 1000000;
  log.frames[0].failed = 400;
  EXPECT_THAT(said_of(log), HasSubstr("has 1000500 patches (expected 1000)"));
}

TEST(RunClaims, AnotherProgramMilestoneOrFrames) {
  RunLog log = honest();
  log.program = "spex-cpu";
  EXPECT_THAT(said_of(log), HasSubstr("is of spex-cpu (expected spex-gpu)"));
  log = honest();
  log.milestone = "baseline";
  EXPECT_THAT(said_of(log), HasSubstr("milestone baseline"));
  log = honest();
  log.frames.pop_back();
  EXPECT_THAT(said_of(log), HasSubstr("has the frames r0 (expected b0,r0)"));
  log.frames.push_back(log.frames.front());
  EXPECT_THAT(said_of(log), HasSubstr("has the frames r0,r0"));
}

TEST(RunClaims, AClockThatLeavesWorkOut) {
  RunLog log = honest();
  log.end_s = 0.006;  // a thousandth
  EXPECT_THAT(said_of(log), HasSubstr("5.98 s after the run log's clock ended"));
  log = honest();
  log.origin_unix = 1008.9;  // begun late
  log.end_s = 0.2;
  EXPECT_THAT(said_of(log), HasSubstr("opened 5.70 s before"));
}

// To make contexts and take memory belongs to the extraction.
TEST(RunClaims, AGpuThatIsTakenBeforeTheClock) {
  SeenOf what = seen;
  what.first_gpu_use = 1003.1;
  EXPECT_EQ(said_of(honest(), what), "");
  what.first_gpu_use = 1002.6;
  EXPECT_EQ(said_of(honest(), what),
            "memory of a GPU was in use 0.40 s before the run log's clock began");
}

TEST(RunClaims, AClockBeyondTheRun) {
  RunLog log = honest();
  log.end_s = 60;
  EXPECT_THAT(said_of(log), HasSubstr("of a run of 10.00 s"));
  log = honest();
  log.origin_unix = 990;
  EXPECT_THAT(said_of(log), HasSubstr("-10.00"));
}

TEST(RunClaims, PatchesThatFailedOrFellBack) {
  RunLog log = honest();
  log.frames[0].failed = 1;  // two of a thousand
  EXPECT_THAT(said_of(log), HasSubstr("2 of 1000 patches failed (at most 0.1%)"));
  log = honest();
  log.frames[0].fell_back = 500;
  EXPECT_THAT(said_of(log), HasSubstr("501 of 1000 patches fell back"));
  log = honest();
  for (RunLog::Frame& frame : log.frames) frame.patches = frame.fell_back = frame.failed = 0;
  EXPECT_THAT(said_of(log), HasSubstr("has 0 patches (expected 1000)"));
}

}  // namespace
}  // namespace spex::bench
