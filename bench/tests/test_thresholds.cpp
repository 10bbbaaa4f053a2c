#include <fstream>

#include <gmock/gmock.h>

#include "bench/result/thresholds.hpp"
#include "reference/core/error.hpp"
#include "reference/tests/support/scratch.hpp"

namespace spex::bench {
namespace {

using testing::HasSubstr;

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
  EXPECT_THAT(refusal("{"), HasSubstr("(expected JSON)"));
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

}  // namespace
}  // namespace spex::bench
