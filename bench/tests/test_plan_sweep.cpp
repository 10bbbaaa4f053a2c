#include <gmock/gmock.h>

#include "bench/tests/plan_texts.hpp"
#include "reference/core/parallel.hpp"
#include "reference/tests/support/scratch.hpp"

namespace spex::bench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// An entry with a sweep and the keys `more`.
std::string swept(const std::string& more, const std::string& kind, const std::string& values) {
  return R"({"id": "s", "case": "night", )" + more + R"(, "sweep": {"name": "n", "kind": ")" +
         kind + R"(", "values": )" + values + "}}";
}
std::vector<Entry> points(const std::string& more, const std::string& kind,
                          const std::string& values) {
  return read(swept(more, kind, values)).entries;
}

constexpr const char* by_band = R"("milestone": "batch-subbundle", "gpus": 1)";
constexpr const char* direct_on_four = R"("milestone": "direct", "gpus": 4, "mps": true)";
constexpr const char* on_cpu = R"("milestone": "cpu-refactor", "ranks": 1)";

TEST(PlanSweep, SweepsBecomeEntries) {
  const auto entries = points(by_band + std::string(R"(, "mps": true)"), "ranks-per-gpu", "[1, 5]");
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0].id, "s-1");
  EXPECT_FALSE(entries[0].mps);
  EXPECT_EQ(entries[1].ranks_per_gpu, 5);
  EXPECT_TRUE(entries[1].mps);
  EXPECT_EQ(entries[1].scaling->x, 5);
}

TEST(PlanSweep, WeakScalingGrowsTheWorkWithTheRanks) {
  const Entry entry = points(on_cpu, "weak", "[3]")[0];
  EXPECT_EQ(entry.ranks, 3);
  EXPECT_THAT(entry.result_options(), ElementsAre("--nspec", "75"));
}

TEST(PlanSweep, WeakScalingGrowsTheFramesWithTheRanksOrNodes) {
  constexpr const char* cases = R"("night": {"cameras": "r0", "seeds": 1})";
  const auto of = [&](const std::string& more, const char* kind) {
    return read(swept(on_cpu + more, kind, "[1, 4]"), "", cases).entries;
  };
  const auto ranks = of("", "weak-frames");
  EXPECT_EQ(ranks[1].ranks, 4);
  EXPECT_EQ(ranks[1].frames, 4);
  EXPECT_EQ(of(R"(, "frames": 3)", "weak-frames")[1].frames, 12);
  const auto nodes = of(R"(, "frames": 5)", "weak-nodes");
  EXPECT_EQ(nodes[1].nodes, 4);
  EXPECT_EQ(nodes[1].ranks, 1);
  EXPECT_EQ(nodes[1].frames, 20);
  EXPECT_THAT(refusal(swept(on_cpu, "weak-nodes", "[1]"), "", cases),
              HasSubstr("weak-nodes without 'frames'"));
}

TEST(PlanSweep, ValuesUpToTheNodesCpusAreChosenWhenAPlanIsRead) {
  const test::ScratchFolder scratch;
  test::write_file(scratch.file("plan.json"),
                   R"({"name": "p", "description": "d", "tier": "ci",
                       "cases": {"night": {"cameras": "r0"}}, "entries": [)" +
                       swept(on_cpu, "strong", R"("cpus")") + "]}");
  const Plan plan = read_plan(scratch.file("plan.json"));
  std::vector<int> ranks;
  for (const Entry& entry : plan.entries) ranks.push_back(*entry.ranks);
  EXPECT_EQ(ranks.front(), 1);
  EXPECT_EQ(ranks.back(), default_threads());
  for (std::size_t k = 1; k + 1 < ranks.size(); ++k) EXPECT_EQ(ranks[k], 2 * ranks[k - 1]);
  // The kept plan has the numbers, also on another machine.
  EXPECT_EQ(parse_plan(plan.text, "kept").entries.size(), plan.entries.size());
  EXPECT_THAT(refusal(swept(on_cpu, "strong", R"("gpus")")), HasSubstr("'values' is"));
}

TEST(PlanSweep, RanksOfAScalingAreDistributedOverGpus) {
  const auto entries = points(direct_on_four, "weak", "[1, 2, 8]");
  EXPECT_EQ(entries[0].gpus, 1);
  EXPECT_EQ(entries[1].gpus, 2);
  EXPECT_EQ(entries[1].ranks_per_gpu, 1);
  EXPECT_FALSE(entries[1].mps);
  EXPECT_EQ(entries[2].gpus, 4);
  EXPECT_EQ(entries[2].ranks_per_gpu, 2);
  EXPECT_TRUE(entries[2].mps);
  EXPECT_EQ(entries[2].bundles, 8);
  EXPECT_FALSE(entries[2].ranks);
  EXPECT_THAT(refusal(swept(direct_on_four, "strong", "[6]")), HasSubstr("6 ranks on 4 GPUs"));
}

TEST(PlanSweep, EachKindSetsWhatItNames) {
  const auto mps = points(by_band, "mps", R"(["off", "on"])");
  EXPECT_EQ(mps[0].id, "s-off");
  EXPECT_FALSE(mps[0].mps);
  EXPECT_TRUE(mps[1].mps);
  EXPECT_THAT(refusal(swept(by_band, "mps", "[1]")), HasSubstr("1 is not a value of mps"));
  EXPECT_EQ(points(on_cpu, "threads", "[1, 64]")[1].threads, 64);
  const Entry extractors = points(R"("milestone": "pipeline", "gpus": 1)", "extractors", "[3]")[0];
  EXPECT_THAT(extractors.run_options, ElementsAre("--extractors", "3"));
  EXPECT_THAT(extractors.options, IsEmpty());
  EXPECT_THAT(points(direct_on_four, "nwavestep", "[30]")[0].options,
              ElementsAre("--nwavestep", "30"));
  EXPECT_EQ(points(R"("milestone": "direct", "gpus": 1, "frames": 1)", "compression",
                   R"(["night", "night-gz"])")[1]
                .case_name,
            "night-gz");
  const Entry nodes = points(direct_on_four, "nodes", "[1, 4]")[1];
  EXPECT_EQ(nodes.nodes, 4);
  EXPECT_EQ(nodes.id, "s-4");
}

}  // namespace
}  // namespace spex::bench
