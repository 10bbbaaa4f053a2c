#include <gmock/gmock.h>

#include "bench/result/derive.hpp"
#include "bench/tests/records.hpp"

namespace spex::bench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// About 1000 frames per node-hour: 108 s for 30 frames.
Record passing_record() {
  return good_record({106.9, 107.5, 108, 108.5, 109.1});
}

Threshold at_least(double fpnh_effective, double margin = 0.05) {
  Threshold threshold;
  threshold.fpnh_effective = fpnh_effective;
  threshold.margin = margin;
  return threshold;
}

Verdict verdict_of(const Record& record) {
  return derive(record).verdict;
}

TEST(Verdict, GoodPassesWithoutAThreshold) {
  const Verdict verdict = verdict_of(passing_record());
  EXPECT_EQ(verdict.overall, "pass");
  EXPECT_EQ(verdict.exit_status, 0);
  EXPECT_EQ(verdict.correctness, "pass");
  EXPECT_EQ(verdict.performance, "not-judged");
  EXPECT_EQ(verdict.health, "pass");
}

TEST(Verdict, FpnhIsAtLeastTheThresholdLessItsMargin) {
  const auto verdict_by = [](const Threshold& threshold, Record record = passing_record()) {
    record.threshold = threshold;
    return verdict_of(record);
  };
  EXPECT_EQ(verdict_by(at_least(500)).exit_status, 0);
  const Verdict slow = verdict_by(at_least(1500));
  EXPECT_EQ(slow.exit_status, 4);
  EXPECT_EQ(slow.performance, "fail");
  EXPECT_THAT(slow.reasons, ElementsAre(HasSubstr("effective FPNH 1000")));
  EXPECT_EQ(verdict_by(at_least(1040, 0.05)).exit_status, 0);
  // Inconclusive: a threshold within the interval, or a single sample.
  EXPECT_EQ(verdict_by(at_least(1000, 0)).exit_status, 6);
  EXPECT_EQ(verdict_by(at_least(10), good_record({108})).exit_status, 6);
  Threshold both = at_least(500);
  both.fpnh_extraction = 5000;
  EXPECT_EQ(verdict_by(both).exit_status, 4);
  Threshold doubted = at_least(100);
  doubted.margin_above = 0.5;
  EXPECT_EQ(verdict_by(doubted).overall, "inconclusive");
  EXPECT_THAT(verdict_by(doubted).reasons, ElementsAre(HasSubstr("at most 150 expected")));
}

TEST(Verdict, AWideIntervalIsInconclusiveWhateverTheTarget) {
  Record record = good_record({15.2, 33.7, 45.5, 51.9, 58});
  for (const double seconds : {900.0, 1.0}) {
    record.timing.quiet.reset();
    record.threshold.emplace().seconds_effective = seconds;
    EXPECT_NE(verdict_of(record).overall, "inconclusive");
    record.timing.quiet.emplace();
    EXPECT_EQ(verdict_of(record).overall, "inconclusive");
    EXPECT_THAT(verdict_of(record).reasons,
                ElementsAre(HasSubstr("the interval is 94% of the median wide, at most 10%")));
  }
  // An interval of just that width decides.
  record = good_record({95, 100, 100, 100, 105});
  record.timing.quiet.emplace();
  record.threshold.emplace().seconds_effective = 200;
  EXPECT_EQ(verdict_of(record).overall, "pass");
}

TEST(Verdict, HotCoresAndMemoryErrorsAreUnhealthy) {
  Record record = passing_record();
  record.health.before.reset();
  EXPECT_EQ(verdict_of(record).health, "unknown");
  record.health.cpu.emplace();
  EXPECT_EQ(verdict_of(record).health, "unknown");
  // Errors that were corrected, and heat before the runs, are no fault.
  record.health.cpu->before = {3, 0, 7};
  record.health.cpu->after = {9, 0, 7};
  EXPECT_EQ(verdict_of(record).health, "pass");
  EXPECT_EQ(verdict_of(record).overall, "pass");
  record.health.cpu->after.throttled = 9;
  EXPECT_EQ(verdict_of(record).exit_status, 5);
  EXPECT_THAT(verdict_of(record).reasons,
              ElementsAre("CPU cores were too hot 2 times during the runs"));
  record.health.cpu->after = {9, 1, 7};
  EXPECT_THAT(verdict_of(record).reasons,
              ElementsAre("1 uncorrected errors of the node's memory since it was started"));
}

TEST(Verdict, WrongComesBeforeSlow) {
  Record record = passing_record();
  record.threshold = at_least(1e6);
  record.validation.frames[0].failure = "run 1: FLUX: flux pull 1";
  EXPECT_EQ(verdict_of(record).exit_status, 3);
  EXPECT_EQ(verdict_of(record).correctness, "fail");
  EXPECT_EQ(verdict_of(record).performance, "not-judged");
}

TEST(Verdict, UnhealthyComesBeforeWrong) {
  Record record = passing_record();
  record.validation.failure = "wrong";
  record.health.during = {{"GPU-1", {"hw-thermal-slowdown"}, {}, {}, {}}};
  EXPECT_EQ(verdict_of(record).exit_status, 5);
  EXPECT_EQ(verdict_of(record).reasons.size(), 2U);
}

TEST(Verdict, AFullDiskOrMemoryIsNoFaultOfTheFrames) {
  for (const char* failure : {"exit status 1: frame.fits: No space left on device",
                              "exit status 137 (Killed): Cannot allocate memory"}) {
    Record record = passing_record();
    record.timing.samples.back().failure = failure;
    EXPECT_EQ(verdict_of(record).overall, "error");
  }
}

TEST(Verdict, AnInterruptedRunDoesNotPass) {
  Record record = passing_record();
  record.timing.samples.pop_back();
  EXPECT_EQ(verdict_of(record).exit_status, 1);
  EXPECT_EQ(verdict_of(record).correctness, "not-judged");
}

TEST(Verdict, SkippedAndErrorsSayWhy) {
  Record record = passing_record();
  record.skipped = "it needs 4 nodes";
  EXPECT_EQ(verdict_of(record).exit_status, 77);
  EXPECT_THAT(verdict_of(record).reasons, ElementsAre("it needs 4 nodes"));
  record.skipped.reset();
  record.error = "spex-sim failed";
  EXPECT_EQ(verdict_of(record).exit_status, 1);
  EXPECT_THAT(verdict_of(record).reasons, ElementsAre("spex-sim failed"));
}

TEST(Verdict, WorstOfManyDecides) {
  EXPECT_EQ(combined_status({0, 0}), 0);
  EXPECT_EQ(combined_status({0, 77}), 77);
  EXPECT_EQ(combined_status({77, 6, 4}), 4);
  EXPECT_EQ(combined_status({4, 3}), 3);
  EXPECT_EQ(combined_status({3, 5}), 5);
  EXPECT_EQ(combined_status({5, 1}), 1);
}

TEST(Verdict, SecondsOfAnExposureAreAtMost) {
  Record record = passing_record();
  record.threshold.emplace().seconds_effective = 110;
  EXPECT_EQ(verdict_of(record).overall, "pass");
  record.threshold->seconds_effective = 108;
  EXPECT_EQ(verdict_of(record).overall, "inconclusive");
  record.threshold->seconds_effective = 100;
  EXPECT_EQ(verdict_of(record).overall, "slow");
  EXPECT_THAT(verdict_of(record).reasons, ElementsAre(HasSubstr("at most 100.00 wanted")));
  // Fewer frames stand for an exposure.
  record.work.scaled_to = 60;
  record.threshold->seconds_effective = 220;
  EXPECT_EQ(verdict_of(record).overall, "pass");
}

TEST(Verdict, SustainedFpnhIsAtLeast) {
  Record record = passing_record();
  record.threshold.emplace().fpnh_sustained = 36000;
  EXPECT_EQ(verdict_of(record).overall, "inconclusive");
  EXPECT_THAT(verdict_of(record).reasons, ElementsAre("sustained FPNH is not known"));
  record = night(9.6, 1900);
  record.threshold.emplace().fpnh_sustained = 36000;
  EXPECT_EQ(verdict_of(record).overall, "pass");
  record.threshold->fpnh_sustained = 50000;
  EXPECT_EQ(verdict_of(record).overall, "slow");
  // Over all frames: 5568 FPNH in 1900 s.
  record = night(9.6, 1900);
  record.threshold.emplace().fpnh_soak = 5500;
  EXPECT_EQ(verdict_of(record).overall, "pass");
  record.threshold->fpnh_soak = 7000;
  EXPECT_EQ(verdict_of(record).overall, "slow");
  // Repeated inputs that are faster than distinct ones show the speed of neither.
  record = night(96, 1900);
  record.threshold.emplace().fpnh_soak = 100;
  EXPECT_EQ(verdict_of(record).overall, "inconclusive");
  EXPECT_THAT(verdict_of(record).reasons, ElementsAre(HasSubstr("repeated inputs are faster")));
  record = night(9.6, 1700);
  record.threshold.emplace().fpnh_sustained = 1;
  EXPECT_EQ(verdict_of(record).overall, "inconclusive");
  EXPECT_THAT(verdict_of(record).reasons, ElementsAre(HasSubstr("lasted 1700.00 s, not the 1800")));
}

}  // namespace
}  // namespace spex::bench
