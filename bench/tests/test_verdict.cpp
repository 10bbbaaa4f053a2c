#include <fstream>

#include <gmock/gmock.h>

#include "bench/campaign/verdict.hpp"
#include "reference/core/error.hpp"
#include "reference/tests/support/scratch.hpp"

namespace spex::bench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// An entry that ran well, at about 1000 frames per node-hour.
Evidence good() {
  Evidence evidence;
  evidence.health_known = true;
  evidence.fpnh_effective = summarize({990, 995, 1000, 1005, 1010});
  evidence.fpnh_extraction = summarize({1490, 1495, 1500, 1505, 1510});
  return evidence;
}

Threshold at_least(double fpnh_effective, double margin = 0.05) {
  return {fpnh_effective, {}, margin};
}

TEST(Verdict, GoodPassesWithoutAThreshold) {
  const Verdict verdict = judge(good());
  EXPECT_EQ(verdict.overall, "pass");
  EXPECT_EQ(verdict.exit_status, 0);
  EXPECT_EQ(verdict.correctness, "pass");
  EXPECT_EQ(verdict.performance, "not-judged");
  EXPECT_EQ(verdict.health, "pass");
}

TEST(Verdict, PerformanceIsOneSided) {
  Evidence evidence = good();
  evidence.threshold = at_least(500);
  EXPECT_EQ(judge(evidence).exit_status, 0);
  evidence.threshold = at_least(1500);
  EXPECT_EQ(judge(evidence).exit_status, 4);
  EXPECT_EQ(judge(evidence).performance, "fail");
  EXPECT_THAT(judge(evidence).reasons, ElementsAre(HasSubstr("effective FPNH 1000")));
}

TEST(Verdict, ThresholdWithinTheIntervalIsInconclusive) {
  Evidence evidence = good();
  evidence.threshold = at_least(1000, 0);
  EXPECT_EQ(judge(evidence).exit_status, 6);
}

TEST(Verdict, MarginForgives) {
  Evidence evidence = good();
  evidence.threshold = at_least(1040, 0.05);
  EXPECT_EQ(judge(evidence).exit_status, 0);
}

TEST(Verdict, OneSampleSaysNothingOfSpeed) {
  Evidence evidence = good();
  evidence.fpnh_effective = summarize({1000});
  evidence.threshold = at_least(10);
  EXPECT_EQ(judge(evidence).exit_status, 6);
}

TEST(Verdict, BothClocksAreHeldToTheirThresholds) {
  Evidence evidence = good();
  evidence.threshold = Threshold{500, 5000, 0.05};
  EXPECT_EQ(judge(evidence).exit_status, 4);
}

TEST(Verdict, WrongComesBeforeSlow) {
  Evidence evidence = good();
  evidence.threshold = at_least(1e6);
  evidence.wrong = {"b0: FLUX: flux pull 1"};
  EXPECT_EQ(judge(evidence).exit_status, 3);
  EXPECT_EQ(judge(evidence).correctness, "fail");
  EXPECT_EQ(judge(evidence).performance, "not-judged");
}

TEST(Verdict, UnhealthyComesBeforeWrong) {
  Evidence evidence = good();
  evidence.wrong = {"b0: wrong"};
  evidence.unhealthy = {"GPU-1: hw-thermal-slowdown"};
  EXPECT_EQ(judge(evidence).exit_status, 5);
  EXPECT_EQ(judge(evidence).reasons.size(), 2U);
}

TEST(Verdict, InterruptedIsNoPass) {
  Evidence evidence = good();
  evidence.complete = false;
  EXPECT_EQ(judge(evidence).exit_status, 1);
  EXPECT_EQ(judge(evidence).correctness, "not-judged");
}

TEST(Verdict, SkippedAndErrorsSayWhy) {
  Evidence skipped;
  skipped.skipped = true;
  EXPECT_EQ(judge(skipped).exit_status, 77);
  Evidence error;
  error.error = "spex-sim failed";
  EXPECT_EQ(judge(error).exit_status, 1);
  EXPECT_THAT(judge(error).reasons, ElementsAre("spex-sim failed"));
}

TEST(Verdict, WorstOfManyDecides) {
  EXPECT_EQ(combined_status({0, 0}), 0);
  EXPECT_EQ(combined_status({0, 77}), 77);
  EXPECT_EQ(combined_status({77, 6, 4}), 4);
  EXPECT_EQ(combined_status({4, 3}), 3);
  EXPECT_EQ(combined_status({3, 5}), 5);
  EXPECT_EQ(combined_status({5, 1}), 1);
}

TEST(Thresholds, AreReadAndCheckedForUnknownKeys) {
  const test::ScratchFolder scratch;
  const auto write = [&](const std::string& text) {
    std::ofstream(scratch.file("t.json")) << text;
    return scratch.file("t.json");
  };
  const auto read = [&](const std::string& text) {
    return read_thresholds(write(text), {"pipeline", "a"});
  };
  const Thresholds found =
      read(R"({"entries": {"pipeline": {"fpnh_effective": 8000, "margin": 0.1}}})");
  EXPECT_EQ(found.entries.at("pipeline").fpnh_effective, 8000);
  EXPECT_EQ(found.entries.at("pipeline").margin, 0.1);
  EXPECT_FALSE(found.entries.at("pipeline").fpnh_extraction);
  const auto refusal = [&](const std::string& text) -> std::string {
    try {
      static_cast<void>(read(text));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(refusal(R"({"entries": {"a": {"fpnh": 1}}})"), HasSubstr("'fpnh' is unknown"));
  EXPECT_THAT(refusal("{}"), HasSubstr("no entries"));
  EXPECT_THAT(refusal(R"({"entries": {}})"), HasSubstr("no entries"));
  EXPECT_THAT(refusal("null"), HasSubstr("no JSON object"));
  EXPECT_THAT(refusal(R"({"entries": {"pipelin": {"fpnh_effective": 1}}})"),
              HasSubstr("pipelin is no entry of the plan (expected pipeline, a)"));
  EXPECT_THAT(refusal(R"({"entries": {"a": {"fpnh_effective": 1, "margin": 5}}})"),
              HasSubstr("'margin' is 5"));
  EXPECT_THAT(refusal(R"({"entries": {"a": {"fpnh_effective": null}}})"), HasSubstr("is null"));
  EXPECT_THAT(refusal(R"({"entries": {"a": {"fpnh_effective": -1}}})"), HasSubstr("is -1"));
  EXPECT_THAT(refusal(R"({"entries": {"a": {"margin": 0.1}}})"), HasSubstr("asks for nothing"));
  EXPECT_THAT(refusal(R"({"entries": {"a": null}})"), HasSubstr("a is no object"));
  EXPECT_THROW(static_cast<void>(read_thresholds(scratch.file("none"), {})), Error);
}

}  // namespace
}  // namespace spex::bench
