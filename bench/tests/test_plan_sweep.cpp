#include <gmock/gmock.h>

#include "bench/tests/plan_texts.hpp"

namespace spex::bench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(PlanSweep, SweepsBecomeEntries) {
  const Plan plan = read(R"({"id": "s", "case": "night", "milestone": "batch-subbundle", "gpus": 1,
      "mps": true, "sweep": {"name": "n", "kind": "ranks-per-gpu", "values": [1, 5]}})");
  ASSERT_EQ(plan.entries.size(), 2U);
  EXPECT_EQ(plan.entries[0].id, "s-1");
  EXPECT_FALSE(plan.entries[0].mps);
  EXPECT_EQ(plan.entries[1].ranks_per_gpu, 5);
  EXPECT_TRUE(plan.entries[1].mps);
  EXPECT_EQ(plan.entries[1].scaling->x, 5);
}

TEST(PlanSweep, WeakScalingGrowsTheWorkWithTheRanks) {
  const Plan plan = read(R"({"id": "w", "case": "night", "milestone": "cpu-refactor",
      "sweep": {"name": "n", "kind": "weak", "values": [3]}})");
  EXPECT_EQ(plan.entries[0].ranks, 3);
  EXPECT_THAT(plan.entries[0].result_options(), ElementsAre("--nspec", "75"));
}

TEST(PlanSweep, RanksOfAScalingAreDealtToGpus) {
  const Plan plan = read(R"({"id": "s", "case": "night", "milestone": "direct", "gpus": 4,
      "mps": true, "sweep": {"name": "n", "kind": "weak", "values": [1, 2, 8]}})");
  EXPECT_EQ(plan.entries[0].gpus, 1);
  EXPECT_EQ(plan.entries[1].gpus, 2);
  EXPECT_EQ(plan.entries[1].ranks_per_gpu, 1);
  EXPECT_FALSE(plan.entries[1].mps);
  EXPECT_EQ(plan.entries[2].gpus, 4);
  EXPECT_EQ(plan.entries[2].ranks_per_gpu, 2);
  EXPECT_TRUE(plan.entries[2].mps);
  EXPECT_EQ(plan.entries[2].bundles, 8);
  EXPECT_FALSE(plan.entries[2].ranks);
  EXPECT_THAT(refusal(R"({"id": "s", "case": "night", "milestone": "direct", "gpus": 4,
      "sweep": {"name": "n", "kind": "strong", "values": [6]}})"),
              HasSubstr("6 ranks on 4 GPUs"));
}

TEST(PlanSweep, MpsIsOnOrOff) {
  const Plan plan = read(R"({"id": "s", "case": "night", "milestone": "batch-subbundle", "gpus": 1,
      "ranks_per_gpu": 5, "sweep": {"name": "n", "kind": "mps", "values": ["off", "on"]}})");
  EXPECT_EQ(plan.entries[0].id, "s-off");
  EXPECT_FALSE(plan.entries[0].mps);
  EXPECT_TRUE(plan.entries[1].mps);
  EXPECT_THAT(refusal(R"({"id": "s", "case": "night", "milestone": "direct", "gpus": 1,
      "sweep": {"name": "n", "kind": "mps", "values": [1]}})"),
              HasSubstr("1 is no value of mps"));
}

TEST(PlanSweep, ThreadsAndExtractorsCanBeSwept) {
  const Plan threads = read(R"({"id": "t", "case": "night", "milestone": "cpu-refactor", "ranks": 1,
      "sweep": {"name": "n", "kind": "threads", "values": [1, 64]}})");
  EXPECT_EQ(threads.entries[1].id, "t-64");
  EXPECT_EQ(threads.entries[1].threads, 64);
  const Plan extractors = read(R"({"id": "e", "case": "night", "milestone": "pipeline", "gpus": 1,
      "sweep": {"name": "n", "kind": "extractors", "values": [3]}})");
  EXPECT_THAT(extractors.entries[0].run_options, ElementsAre("--extractors", "3"));
  EXPECT_THAT(extractors.entries[0].options, IsEmpty());
}

TEST(PlanSweep, PatchSizesAndCasesCanBeSwept) {
  EXPECT_THAT(read(R"({"id": "n", "case": "night", "milestone": "direct", "gpus": 1,
      "sweep": {"name": "n", "kind": "nwavestep", "values": [30]}})")
                  .entries[0]
                  .options,
              ElementsAre("--nwavestep", "30"));
  EXPECT_EQ(read(R"({"id": "c", "case": "night", "milestone": "direct", "gpus": 1, "frames": 1,
      "sweep": {"name": "n", "kind": "compression", "values": ["night", "night-gz"]}})")
                .entries[1]
                .case_name,
            "night-gz");
}

TEST(PlanSweep, NodesCanBeSwept) {
  const Plan plan = read(R"({"id": "n", "case": "night", "milestone": "pipeline", "gpus": 4,
      "sweep": {"name": "nodes", "kind": "nodes", "values": [1, 4]}})");
  EXPECT_EQ(plan.entries[0].nodes, 1);
  EXPECT_EQ(plan.entries[1].nodes, 4);
  EXPECT_EQ(plan.entries[1].id, "n-4");
}

}  // namespace
}  // namespace spex::bench
