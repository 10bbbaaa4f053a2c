#include <gmock/gmock.h>

#include "bench/plan/plan.hpp"
#include "bench/result/thresholds.hpp"
#include "bench/tests/refusal_of.hpp"
#include "reference/tests/support/scratch.hpp"
#include "spex_test_paths.hpp"

namespace spex::bench {
namespace {

using testing::HasSubstr;

// `night` is a long run; `weak-1` extracts parts of frames.
Plan plan() {
  Plan plan;
  plan.name = "plan";
  plan.cases["c"] = {};
  for (const char* id : {"pipeline", "a", "night", "weak-1"}) {
    Entry& entry = plan.entries.emplace_back();
    entry.id = id;
    entry.case_name = "c";
  }
  plan.entries[2].sustain.emplace();
  plan.entries[3].bundles = 1;
  return plan;
}

Thresholds read(const std::string& text, const std::string& system = "node") {
  const test::ScratchFolder scratch;
  test::write_file(scratch.file("t.json"), text);
  return read_thresholds(scratch.file("t.json"), plan(), system);
}

Threshold read_entry(const std::string& entry, const std::string& asks) {
  return read(R"({"entries": {")" + entry + "\": " + asks + "}}").at(entry);
}

TEST(Thresholds, AreRead) {
  const Threshold found = read_entry("pipeline", R"({"fpnh_effective": 8000, "margin": 0.1})");
  EXPECT_EQ(found.fpnh_effective, 8000);
  EXPECT_EQ(found.margin, 0.1);
  EXPECT_FALSE(found.fpnh_extraction);
  EXPECT_EQ(read_entry("weak-1", R"({"seconds_extraction": 1})").seconds_extraction, 1);
  EXPECT_EQ(read_entry("night", R"({"fpnh_sustained": 9})").fpnh_sustained, 9);
  // Thresholds of the system and plan override those for any system.
  const Threshold keyed = read(R"({"entries": {"a": {"seconds_effective": 900}}, "systems": {
      "node": {"plan": {"a": {"fpnh_effective": 5}}, "other": {"b": {"fpnh_effective": 1}}},
      "none": {"plan": {"a": {"fpnh_effective": 7}}}}})")
                              .at("a");
  EXPECT_EQ(keyed.fpnh_effective, 5);
  EXPECT_FALSE(keyed.seconds_effective);
}

TEST(Thresholds, MistakesAreNamed) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"entries": {"a": {"fpnh": 1}}})", "'fpnh' is unknown"},
      {R"({"entries": {"weak-1": {"fpnh_extraction": 1}}})",
       "weak-1: FPNH is required of parts of frames"},
      {R"({"entries": {"a": {"seconds_effective": 9}},
           "systems": {"other": {"plan": {"b": {"margin": 9}}}}})",
       "other, plan, b: 'margin' is 9"},
      {"{}", "has nothing for the plan plan on 'node'"},
      {R"({"entries": {}})", "entries has nothing"},
      {R"({"system": {}})", "'system' is unknown"},
      {R"({"entries": {"a": {"fpnh_effective": 1e9}, "a": {"fpnh_effective": 1}}})",
       "'a' is there twice"},
      {"{", "(expected JSON)"},
      {"null", "not a JSON object"},
      {R"({"entries": {"pipelin": {"fpnh_effective": 1}}})",
       "pipelin is not an entry of the plan (expected pipeline, a, night, weak-1)"},
      {R"({"entries": {"a": {"fpnh_effective": 1, "margin": 5}}})", "'margin' is 5"},
      {R"({"entries": {"a": {"fpnh_effective": null}}})", "is null"},
      {R"({"entries": {"a": {"fpnh_effective": -1}}})", "is -1"},
      {R"({"entries": {"a": {"margin": 0.1}}})", "asks for nothing"},
      {R"({"entries": {"a": null}})", "a is not an object"},
      {R"({"entries": {"a": {"fpnh_sustained": 9}}})",
       "a: 'fpnh_sustained' is required of an entry that is not a long run"},
      {R"({"systems": {"x": {"plan": {"a": {"fpnh_effective": 7}}}}})",
       "has nothing for the plan plan on 'node'"}};
  for (const auto& [text, message] : cases)
    EXPECT_THAT(refusal_of([&, &text = text] { static_cast<void>(read(text)); }, ErrorKind::usage),
                HasSubstr(message));
  EXPECT_THROW(static_cast<void>(read_thresholds(SPEX_SOURCE_DIR, {}, "")), Error);  // a folder
  EXPECT_THROW(static_cast<void>(read_thresholds("none.json", {}, "")), Error);
}

// Otherwise a misspelled system would be judged by fewer thresholds, and pass.
TEST(Thresholds, OtherSystemsThresholdsDoNotApply) {
  const auto refusal = [](const std::string& entries) {
    const std::string text = R"({"entries": {)" + entries + R"(}, "systems": {
      "our-node": {"plan": {"a": {"fpnh_effective": 5}, "gone": {"fpnh_effective": 1}}},
      "theirs": {"plan": {"a": {"fpnh_effective": 7}}, "other": {"c": {"fpnh_effective": 1}}}}})";
    return refusal_of([&] { static_cast<void>(read(text, "Our-Node")); }, ErrorKind::usage);
  };
  EXPECT_THAT(
      refusal(R"("pipeline": {"seconds_effective": 900})"),
      HasSubstr("has nothing for the plan plan on 'Our-Node' (--system) of a (expected one of "
                "our-node, theirs; or what any system must reach)"));
  EXPECT_EQ(refusal(R"("a": {"seconds_effective": 900})"), "");
}

TEST(Thresholds, AMarginLeavesALimit) {
  const auto margin = [](const std::string& value) {
    return read_entry("a", R"({"fpnh_effective": 9, "margin": )" + value + "}").margin;
  };
  EXPECT_EQ(margin("0.5"), 0.5);
  for (const char* value : {"0.999999", "0.51", "-0.1"}) EXPECT_THROW(margin(value), Error);
}

}  // namespace
}  // namespace spex::bench
