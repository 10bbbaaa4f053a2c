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
  Threshold threshold;
  threshold.fpnh_effective = fpnh_effective;
  threshold.margin = margin;
  return threshold;
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
  evidence.threshold = at_least(500);
  evidence.threshold->fpnh_extraction = 5000;
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
  skipped.skipped_because = "it needs 4 nodes";
  EXPECT_EQ(judge(skipped).exit_status, 77);
  EXPECT_THAT(judge(skipped).reasons, ElementsAre("it needs 4 nodes"));
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
    return read_thresholds(
        write(text), {"node", "plan", {"pipeline", "a", "night", "weak-1"}, {"night"}, {"weak-1"}});
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
  EXPECT_THAT(refusal(R"({"entries": {"weak-1": {"fpnh_extraction": 1}}})"),
              HasSubstr("weak-1: FPNH is asked of parts of frames"));
  EXPECT_EQ(read(R"({"entries": {"weak-1": {"seconds_extraction": 1}}})")
                .entries.at("weak-1")
                .seconds_extraction,
            1);
  EXPECT_THAT(refusal(R"({"entries": {"a": {"seconds_effective": 9}},
                  "systems": {"other": {"plan": {"b": {"margin": 9}}}}})"),
              HasSubstr("other, plan, b: 'margin' is 9"));
  EXPECT_THROW(static_cast<void>(read_thresholds(scratch.file(""), {})), Error);  // a folder
  EXPECT_THAT(refusal("{}"), HasSubstr("has nothing for the plan plan on 'node'"));
  EXPECT_THAT(refusal(R"({"entries": {}})"), HasSubstr("entries has nothing"));
  EXPECT_THAT(refusal(R"({"system": {}})"), HasSubstr("'system' is unknown"));
  EXPECT_THAT(refusal(R"({"entries": {"a": {"fpnh_effective": 1e9}, "a": {"fpnh_effective": 1}}})"),
              HasSubstr("'a' is there twice"));
  EXPECT_THAT(refusal("{"), HasSubstr("no JSON object"));
  EXPECT_THAT(refusal("null"), HasSubstr("no JSON object"));
  EXPECT_THAT(refusal(R"({"entries": {"pipelin": {"fpnh_effective": 1}}})"),
              HasSubstr("pipelin is no entry of the plan (expected pipeline, a, night, weak-1)"));
  EXPECT_THAT(refusal(R"({"entries": {"a": {"fpnh_effective": 1, "margin": 5}}})"),
              HasSubstr("'margin' is 5"));
  EXPECT_THAT(refusal(R"({"entries": {"a": {"fpnh_effective": null}}})"), HasSubstr("is null"));
  EXPECT_THAT(refusal(R"({"entries": {"a": {"fpnh_effective": -1}}})"), HasSubstr("is -1"));
  EXPECT_THAT(refusal(R"({"entries": {"a": {"margin": 0.1}}})"), HasSubstr("asks for nothing"));
  EXPECT_THAT(refusal(R"({"entries": {"a": null}})"), HasSubstr("a is no object"));
  EXPECT_THROW(static_cast<void>(read_thresholds(scratch.file("none"), {})), Error);

  EXPECT_EQ(
      read(R"({"entries": {"night": {"fpnh_sustained": 9}}})").entries.at("night").fpnh_sustained,
      9);
  EXPECT_THAT(refusal(R"({"entries": {"a": {"fpnh_sustained": 9}}})"),
              HasSubstr("a: 'fpnh_sustained' is asked of what is no long run"));

  // By system and plan, before what holds everywhere.
  const std::string keyed = R"({"entries": {"a": {"seconds_effective": 900}}, "systems": {
      "node": {"plan": {"a": {"fpnh_effective": 5}}, "other": {"b": {"fpnh_effective": 1}}},
      "none": {"plan": {"a": {"fpnh_effective": 7}}}}})";
  EXPECT_EQ(read(keyed).entries.at("a").fpnh_effective, 5);
  EXPECT_FALSE(read(keyed).entries.at("a").seconds_effective);
  EXPECT_THAT(refusal(R"({"systems": {"x": {"plan": {"a": {"fpnh_effective": 7}}}}})"),
              HasSubstr("has nothing for the plan plan on 'node'"));
}

// A name that is mistyped would else be judged by less, and pass.
TEST(Thresholds, OfOtherSystemsAloneAreNone) {
  const auto refusal = [](const std::string& entries) -> std::string {
    const test::ScratchFolder scratch;
    std::ofstream(scratch.file("t.json")) << R"({"entries": {)" << entries << R"(}, "systems": {
      "our-node": {"plan": {"a": {"fpnh_effective": 5}, "gone": {"fpnh_effective": 1}}},
      "theirs": {"plan": {"a": {"fpnh_effective": 7}}, "other": {"c": {"fpnh_effective": 1}}}}})";
    try {
      static_cast<void>(
          read_thresholds(scratch.file("t.json"), {"Our-Node", "plan", {"a", "b"}, {}, {}}));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(
      refusal(R"("b": {"seconds_effective": 900})"),
      HasSubstr("has nothing for the plan plan on 'Our-Node' (--system) of a (expected one of "
                "our-node, theirs; or what any system must reach)"));
  EXPECT_EQ(refusal(R"("a": {"seconds_effective": 900})"), "");
}

TEST(Thresholds, AMarginLeavesALimit) {
  const auto margin = [](const char* value) {
    return read_threshold("t.json", "a",
                          {{"fpnh_effective", 9}, {"margin", nlohmann::ordered_json::parse(value)}})
        .margin;
  };
  EXPECT_EQ(margin("0.5"), 0.5);
  for (const char* value : {"0.999999", "0.51", "-0.1"}) EXPECT_THROW(margin(value), Error);
}

Statistic six(double low, double high) {
  Statistic statistic;
  statistic.median = 0.5 * (low + high);
  statistic.low = low;
  statistic.high = high;
  statistic.coverage = 0.96875;
  return statistic;
}

TEST(Verdict, SecondsOfAnExposureAreAtMost) {
  Evidence evidence;
  evidence.threshold.emplace().seconds_effective = 900;
  evidence.seconds_effective = six(800, 890);
  EXPECT_EQ(judge(evidence).overall, "pass");
  evidence.seconds_effective = six(890, 910);
  EXPECT_EQ(judge(evidence).overall, "inconclusive");
  evidence.seconds_effective = six(901, 910);
  EXPECT_EQ(judge(evidence).overall, "slow");
  EXPECT_THAT(judge(evidence).reasons, ElementsAre(HasSubstr("at most 900.00 wanted")));
  EXPECT_EQ(judge(evidence).to_json().at("threshold").at("seconds_effective"), 900);
}

TEST(Verdict, SustainedFpnhIsAtLeast) {
  Evidence evidence = good();
  evidence.threshold.emplace().fpnh_sustained = 100;
  EXPECT_EQ(judge(evidence).overall, "inconclusive");
  EXPECT_THAT(judge(evidence).reasons, ElementsAre("sustained FPNH is not known"));
  evidence.fpnh_sustained = six(96, 110);
  EXPECT_EQ(judge(evidence).overall, "pass");
  EXPECT_EQ(judge(evidence).to_json().at("threshold").at("fpnh_sustained"), 100);
  evidence.fpnh_sustained = six(90, 110);
  EXPECT_EQ(judge(evidence).overall, "inconclusive");
  evidence.fpnh_sustained = six(80, 94);
  EXPECT_EQ(judge(evidence).overall, "slow");
  EXPECT_THAT(judge(evidence).reasons, ElementsAre(HasSubstr("sustained FPNH 87")));
  evidence.fpnh_sustained = six(300, 310);
  evidence.not_sustained_because = "too short";
  EXPECT_EQ(judge(evidence).overall, "inconclusive");
}

// What is asked for and was not found.
TEST(Verdict, ASpeedThatIsNotKnownIsNoPass) {
  Evidence evidence;
  evidence.threshold = at_least(1);
  EXPECT_EQ(judge(evidence).overall, "inconclusive");
  evidence.threshold.emplace().seconds_extraction = 900;
  EXPECT_EQ(judge(evidence).overall, "inconclusive");
}

TEST(Verdict, WhatIsMuchFasterThanItCanBeIsDoubted) {
  Evidence evidence;
  evidence.threshold.emplace().fpnh_effective = 100;
  evidence.fpnh_effective = six(300, 310);
  EXPECT_EQ(judge(evidence).overall, "pass");
  evidence.threshold->margin_above = 0.5;
  EXPECT_EQ(judge(evidence).overall, "inconclusive");
  EXPECT_THAT(judge(evidence).reasons, ElementsAre(HasSubstr("at most 150 expected")));
  evidence.fpnh_effective = six(140, 160);
  EXPECT_EQ(judge(evidence).overall, "pass");
}

}  // namespace
}  // namespace spex::bench
