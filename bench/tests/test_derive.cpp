#include <functional>

#include <gmock/gmock.h>

#include "bench/result/derive.hpp"
#include "bench/tests/records.hpp"

namespace spex::bench {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// About 1000 frames per node-hour: 108 s for 30 frames.
const std::vector<double> about_1000{106.9, 107.5, 108, 108.5, 109.1};

Record good() {
  return good_record(about_1000);
}

Verdict verdict_of(const Record& record) {
  return derive(record).verdict;
}

TEST(Derive, FiguresOfTheTimedRuns) {
  Record record = good();
  record.launch.gpus_per_node = 4;
  const Derived derived = derive(record);
  EXPECT_EQ(derived.status, "complete");
  EXPECT_DOUBLE_EQ(derived.fom.effective->seconds.median, 108);
  EXPECT_DOUBLE_EQ(derived.fom.effective->fpnh->median, 1000);
  EXPECT_DOUBLE_EQ(derived.fom.extraction->fpnh->median, 2000);
  EXPECT_DOUBLE_EQ(derived.fom.effective->frames_per_gpu_hour->median, 250);
  EXPECT_TRUE(derived.fom.complete);
  EXPECT_THAT(derived.unusual, IsEmpty());
}

TEST(Derive, PartsOfFramesAndTheTierCiHaveOnlySeconds) {
  Record record = good();
  record.work.has_fpnh = false;
  EXPECT_FALSE(derive(record).fom.effective->fpnh);
  record = good();
  record.tier = "ci";
  EXPECT_FALSE(derive(record).fom.effective->fpnh);
  EXPECT_THAT(derive(record).fom.incomplete_because, Contains("the tier is ci"));
}

TEST(Derive, NoSpeedUnlessAllIsCorrectAndCompared) {
  Record record = good();
  record.timing.samples.back().compared = false;
  EXPECT_EQ(derive(record).status, "interrupted");
  EXPECT_FALSE(derive(record).fom.effective);
  record = good();
  record.validation.frames[0].failure = "run 0: FLUX";
  EXPECT_EQ(derive(record).status, "failed");
  EXPECT_FALSE(derive(record).fom.effective);
  EXPECT_FALSE(derive(record).fom.extraction);
}

TEST(Derive, AClockThatARunLacksHasNoFigure) {
  Record record = good();
  record.timing.samples.back().extraction_s.reset();
  EXPECT_TRUE(derive(record).fom.effective);
  EXPECT_FALSE(derive(record).fom.extraction);
}

TEST(Derive, ARooflineHasTheTimedStages) {
  Record record = good();
  record.launch.gpus_per_node = 1;
  record.costs = {{"solve", 2e12, 1e9}, {"quality", 1e9, 1e9}};
  EXPECT_THAT(derive(record).roofline, IsEmpty());
  record.ceilings = Ceilings{56e12, 4e12, "a test"};
  for (Sample& sample : record.timing.samples) sample.phases["solve"].sum = 0.5;
  const Derived derived = derive(record);
  ASSERT_EQ(derived.roofline.size(), 1U);
  EXPECT_EQ(derived.roofline[0].stage, "solve");
  EXPECT_DOUBLE_EQ(derived.roofline[0].seconds, 0.5);
}

TEST(Derive, OtherBytesOfTheSameInputAreWrong) {
  Record record = good();
  record.timing.samples[2].inputs_sha256 = record.timing.samples[1].inputs_sha256;
  EXPECT_THAT(verdict_of(record).reasons,
              ElementsAre("run 2: has other bytes than run 1 of the same input"));
  record.timing.samples[2].outputs_sha256 = record.timing.samples[1].outputs_sha256;
  EXPECT_EQ(verdict_of(record).overall, "pass");
}

TEST(Derive, ReasonsOfAnIncompleteResult) {
  const std::vector<std::pair<std::function<void(Record&)>, std::string>> cases{
      {[](Record& r) { r.inputs.seeds = "plan"; }, "its seeds are the plan's"},
      {[](Record& r) { r.build.dirty = true; }, "it is not built from a clean commit"},
      {[](Record& r) { r.validation.frames[0].reference = false; },
       "not every frame was compared with the CPU extractor's"},
      {[](Record& r) { r.work.whole_exposure = false; },
       "30 frame(s), not the 30 of an exposure at full size"},
      {[](Record& r) { r.work.own_options = false; }, "options change what is computed"},
      {[](Record& r) { r.golden.clear(); }, "no golden cases"},
      {[](Record& r) { r.timing.samples[2].seed = r.timing.samples[1].seed; },
       "two runs had the same inputs"},
      {[](Record& r) {
         r = good_record({1, 1, 1});
       },
       "3 timed run(s) that count, not five"},
      {[](Record& r) {
         r.timing.quiet = Quiet{0.5, 0.1};
       },
       "its plan lets other processes take 50% of the CPUs, and judges intervals of 10% (at most "
       "5% and 10%)"},
      {[](Record& r) {
         r = good_record({90, 100, 100, 100, 101});
         r.timing.quiet.emplace();
       },
       "its interval is 11% of the median wide (at most 10%)"}};
  for (const auto& [change, reason] : cases) {
    Record record = good();
    change(record);
    EXPECT_THAT(derive(record).fom.incomplete_because, ElementsAre(reason));
  }
}

TEST(Derive, AMachineOfVaryingSpeedIsNoisyButNotWrong) {
  const Derived derived = derive(good_record({100, 100, 200, 200, 205}));
  EXPECT_EQ(derived.verdict.overall, "pass");
  EXPECT_THAT(derived.unusual, ElementsAre("noisy: the longest run took 2.0 times the shortest"));
}

TEST(Derive, WarningsAndOtherWorkAreUnusual) {
  Record record = good();
  record.timing.samples[1].warnings = {"the run log: is of spex-gpu"};
  record.timing.samples[2].other_cpu_s = 100;
  EXPECT_EQ(verdict_of(record).overall, "pass");
  EXPECT_THAT(derive(record).unusual, ElementsAre("run 2: other processes took 47% of the CPU time",
                                                  "run 1: the run log: is of spex-gpu"));
}

TEST(Derive, WhatSeveralRunsShareIsOneLine) {
  Record record = good();
  for (const int run : {1, 2, 4}) {
    record.timing.samples[run].other_cpu_s = 40 * run;
    record.timing.samples[run].warnings = {"no memory of a GPU was used while it ran"};
  }
  EXPECT_THAT(derive(record).unusual,
              ElementsAre("runs 1, 2 and 4: other processes took 19 to 74% of the CPU time",
                          "runs 1, 2 and 4: no memory of a GPU was used while it ran"));
  record.timing.samples[3].other_cpu_s = 100;
  EXPECT_THAT(derive(record).unusual, Contains(HasSubstr("runs 1 to 4: other processes")));
  for (Sample& sample : record.timing.samples)
    sample.other_cpu_s = 0.47 * record.system.cpus * sample.effective_s;
  EXPECT_THAT(derive(record).unusual, Contains(HasSubstr("other processes took 47% of")));
}

// A run that other programs disturbed, and that took ten times as long.
Sample disturbed(int index) {
  Sample sample = good().timing.samples.back();
  sample.index = index;
  sample.seed = 1000 + index;
  sample.inputs_sha256 += std::to_string(index);
  sample.effective_s = 1080;
  sample.disturbed = "other processes took 51% of the CPU time (at most 5%)";
  return sample;
}

TEST(Derive, ADisturbedRunDoesNotCountAndIsRepeated) {
  Record record = good();
  record.timing.quiet.emplace();
  record.timing.samples[5] = disturbed(5);
  EXPECT_FALSE(is_done(record));
  EXPECT_EQ(runs_left(record), 1);
  // A warm-up never counts, disturbed or not.
  ASSERT_TRUE(record.timing.samples[0].warmup);
  record.timing.samples[0].disturbed = record.timing.samples[5].disturbed;
  record.timing.samples.push_back(good().timing.samples.back());
  record.timing.samples.back().index = 6;
  EXPECT_TRUE(is_done(record));
  const Derived derived = derive(record);
  EXPECT_EQ(derived.fom.effective->seconds.samples.size(), 5U);
  EXPECT_DOUBLE_EQ(derived.fom.effective->seconds.median, 108);
  EXPECT_EQ(derived.verdict.overall, "pass");
  EXPECT_THAT(derived.verdict.reasons,
              ElementsAre(HasSubstr("1 run(s) were disturbed and do not count; run 5: other")));
}

TEST(Derive, AMachineThatIsAlwaysDisturbedHasNoVerdictAndIsNotWrong) {
  Record record = good();
  record.timing.quiet.emplace();
  record.threshold.emplace().seconds_effective = 1e6;
  for (int run = 1; run <= 5; ++run) record.timing.samples[run] = disturbed(run);
  EXPECT_TRUE(is_done(record));
  const Derived derived = derive(record);
  EXPECT_FALSE(derived.fom.effective);
  EXPECT_EQ(derived.verdict.correctness, "pass");
  EXPECT_EQ(derived.verdict.overall, "inconclusive");
  EXPECT_FALSE(derived.fom.complete);
  // Its frames are compared all the same.
  record.validation.frames[0].failure = "run 2: FLUX";
  EXPECT_EQ(derive(record).verdict.overall, "incorrect");
}

TEST(Derive, EnergyOfTheNodeStandsBesideThatOfTheGpus) {
  Record record = good();
  EXPECT_FALSE(derive(record).energy.node_joules_per_frame);
  for (Sample& sample : record.timing.samples) sample.node_joules = 6000;
  EXPECT_DOUBLE_EQ(*derive(record).energy.node_joules_per_frame, 200);
  EXPECT_FALSE(derive(record).energy.joules_per_frame);
}

TEST(Derive, ANightIsAsFastAsItsDistinctInputs) {
  const Derived derived = derive(night(9.6, 1900));
  EXPECT_DOUBLE_EQ(derived.sustained->fpnh->median, 36000);
  EXPECT_DOUBLE_EQ(derived.sustained->soak_fpnh->median, 3600 * 2940 / 1900.0);
  EXPECT_DOUBLE_EQ(derived.sustained->night->node_hours, 1000 / 36000.0);
  EXPECT_NEAR(derived.sustained->drift_per_hour->median, 0, 1e-9);
  EXPECT_TRUE(derived.fom.complete);
  EXPECT_THAT(derive(night(9.6, 600)).fom.incomplete_because,
              ElementsAre("it lasted 600 s, not 1800"));
  // Its warm-ups share an exposure, which the run does not use.
  Record two = night(9.6, 1900);
  two.timing.warmups = 2;
  two.timing.samples.insert(two.timing.samples.begin(), two.timing.samples.front());
  EXPECT_TRUE(derive(two).fom.complete);
  // Minutes are enough for an acceptance.
  Record accepted = night(9.6, 130);
  accepted.tier = "acceptance";
  EXPECT_TRUE(derive(accepted).fom.complete);
}

TEST(Shortfall, IsThatOfTimedRunsWithARequestedDuration) {
  Sample run;
  run.sustained = LongRun{90, 30, {}, LongPart{9, 81, 1.4, {}}};
  EXPECT_EQ(shortfall_of(Sustain{1.4, {}}, run), "");
  EXPECT_EQ(shortfall_of(Sustain{1.5, {}}, run),
            "its steady part lasted 1.40 s, not the 1.5 requested");
  EXPECT_EQ(shortfall_of(Sustain{{}, 90}, run), "");
  EXPECT_EQ(shortfall_of({}, run), "");
  run.failure = "wrong";
  EXPECT_EQ(shortfall_of(Sustain{1.5, {}}, run), "");
  run.failure.reset();
  run.warmup = true;
  EXPECT_EQ(shortfall_of(Sustain{1.5, {}}, run), "");
}

}  // namespace
}  // namespace spex::bench
