#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>

#include "bench/plan/plan.hpp"
#include "bench/tests/plan_texts.hpp"
#include "reference/core/error.hpp"
#include "reference/model/milestones.hpp"
#include "reference/model/options.hpp"
#include "reference/tests/support/scratch.hpp"
#include "spex_test_paths.hpp"

namespace spex::bench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A CPU entry and a GPU entry, with more keys.
std::string on_cpu_with(const std::string& more) {
  return R"({"id": "a", "case": "night", "milestone": "baseline", )" + more + "}";
}
std::string on_gpu_with(const std::string& more) {
  return R"({"id": "a", "case": "night", "milestone": "direct", "gpus": 1, )" + more + "}";
}

constexpr const char* on_gpu =
    R"({"id": "a", "case": "night", "milestone": "pipeline", "gpus": 1})";

TEST(Plan, EntriesTakeThePlansDefaults) {
  const Plan plan = read(on_gpu, R"("repeats": 3, "tolerance": "masked", )");
  EXPECT_EQ(plan.repeats, 3);
  ASSERT_EQ(plan.entries.size(), 1U);
  EXPECT_EQ(plan.entries[0].milestone, Milestone::pipeline);
  EXPECT_EQ(plan.entries[0].tolerance, "masked");
  EXPECT_TRUE(plan.entries[0].on_gpu());
}

TEST(Plan, OptionsOverrideTheMilestonesMethod) {
  const auto method_of = [](const std::string& keys) {
    return read(R"({"id": "a", "case": "night", )" + keys + "}").entries[0].method();
  };
  EXPECT_EQ(method_of(R"("milestone": "batch-eigh", "gpus": 1)"), "eigh");
  EXPECT_EQ(method_of(R"("milestone": "cpu-refactor")"), "eigh");
  EXPECT_EQ(
      method_of(
          R"("milestone": "cpu-refactor", "options": ["--mask-bits", "1", "--method", "cholesky"])"),
      "cholesky");
  EXPECT_EQ(
      method_of(
          R"("milestone": "cpu-refactor", "options": ["--method=cholesky", "--nspec", "25"])"),
      "cholesky");
}

// For scalar, and so for its reference, a bundle is one subbundle.
TEST(Plan, TheReferenceHasTheMilestonesSubbundles) {
  const auto options_of = [](const std::string& keys) {
    return read(R"({"id": "a", "case": "night", )" + keys + "}").entries[0].reference_options();
  };
  EXPECT_THAT(options_of(R"("milestone": "baseline")"), ElementsAre());
  EXPECT_THAT(options_of(R"("milestone": "scalar", "options": ["--nwavestep", "30"])"),
              ElementsAre("--nwavestep", "30", "--nsubbundles", "1"));
  EXPECT_THAT(options_of(R"("milestone": "scalar", "options": ["--nsubbundles", "5"])"),
              ElementsAre("--nsubbundles", "5"));
}

TEST(Plan, ARunMayHaveSeveralExposures) {
  constexpr const char* cases = R"("two": {"cameras": "b0,r0", "seeds": 2})";
  const auto of = [](int frames) {
    return R"({"id": "a", "case": "two", "milestone": "pipeline", "gpus": 1, "compress": "gz",
               "frames": )" +
           std::to_string(frames) + "}";
  };
  const Entry entry = read(of(6), "", cases).entries[0];
  EXPECT_EQ(entry.frames, 6);
  EXPECT_EQ(entry.suffix(), ".fits.gz");
  EXPECT_THAT(refusal(of(3), "", cases), HasSubstr("at most the 2 of two"));
}

TEST(Plan, ATinyCaseLacksWavelengths) {
  const std::string tiny = R"("one": {"cameras": "r0", "size": "tiny"})";
  const std::string entry = R"({"id": "a", "case": "one", "milestone": "cpu-refactor")";
  EXPECT_THAT(refusal(entry + "}", "", tiny), HasSubstr("all wavelengths of one, which is tiny"));
  for (const char* options : {R"(["--wavelength", "5760,5800,0.8"])", R"(["-w5760,5800,0.8"])"})
    EXPECT_EQ(refusal(entry + R"(, "options": )" + options + "}", "", tiny), "");
}

TEST(Plan, GroupsHavePlainUniqueNames) {
  const auto with = [](const char* more) { return refusal(on_gpu_with(more)); };
  EXPECT_EQ(read(on_gpu_with(R"("group": "slow")")).entries[0].group, "slow");
  EXPECT_THAT(with(R"("group": "a")"), HasSubstr("a group and an entry are a"));
  EXPECT_THAT(with(R"("group": "a b")"), HasSubstr("cannot name a file"));
  EXPECT_THAT(with(R"("sweep": {"name": "a\n", "kind": "gpus", "values": [1]})"),
              HasSubstr("cannot name a file"));
}

TEST(Plan, CamerasOfASpectrographStayTogether) {
  const Plan plan =
      read(R"({"id": "a", "case": "all", "milestone": "baseline"})", "", R"("all": {})");
  std::vector<std::string> list = plan.cases.at("all").cameras;
  EXPECT_EQ(list.size(), 30U);
  list.resize(4);
  EXPECT_THAT(list, ElementsAre("b0", "r0", "z0", "b1"));
}

TEST(Plan, MistakesAreNamed) {
  EXPECT_THAT(refusal(R"({"id": "a", "case": "night", "milestone": "fast"})"),
              HasSubstr("'fast' is not a milestone"));
  EXPECT_THAT(refusal(R"({"id": "a", "case": "day", "milestone": "direct", "gpus": 1})"),
              HasSubstr("day"));
  EXPECT_THAT(refusal(R"({"id": "a", "case": "night", "milestone": "direct"})"),
              HasSubstr("direct with 'gpus' 0"));
  EXPECT_THAT(refusal(on_cpu_with(R"("gpus": 1)")), HasSubstr("none on the CPU"));
  EXPECT_THAT(refusal(on_cpu_with(R"("rank": 1)")), HasSubstr("'rank' is unknown"));
  EXPECT_THAT(refusal(on_cpu_with(R"("frames": 4)")), HasSubstr("at most the 3"));
  EXPECT_THAT(refusal(R"({"id": "a/b", "case": "night", "milestone": "baseline"})"),
              HasSubstr("cannot name a file"));
  EXPECT_THAT(refusal(std::string(on_gpu) + "," + on_gpu), HasSubstr("two entries are a"));
  EXPECT_THAT(refusal(""), HasSubstr("no entries"));
}

TEST(Plan, EntriesHaveDifferentFiles) {
  for (const char* id : {"a.events", "a.series"})
    EXPECT_THAT(refusal(std::string(on_gpu) + R"(, {"id": ")" + id +
                        R"(", "case": "night", "milestone": "baseline"})"),
                HasSubstr(std::string("the id '") + id + "' ends in ."));
  EXPECT_EQ(refusal(R"({"id": "a.events.1", "case": "night", "milestone": "baseline"})"), "");
}

// Each mistake gives one line that names the key.
TEST(Plan, MistakesOfEachKeyAreNamed) {
  const auto entry = [](const char* more) { return refusal(on_gpu_with(more)); };
  const auto plan = [](const char* more) { return refusal(on_gpu, more); };
  EXPECT_THAT(entry(R"("repeats": 2.5)"), HasSubstr("'repeats' is 2.5"));
  EXPECT_THAT(entry(R"("repeats": 99999999999)"), HasSubstr("'repeats' is 99999999999"));
  EXPECT_THAT(entry(R"("repeats": "two")"), HasSubstr("'repeats' is \"two\""));
  EXPECT_THAT(entry(R"("options": ["--nspec", 25])"), HasSubstr("a list"));
  EXPECT_THAT(entry(R"("tolerance": "loose")"), HasSubstr("'tolerance' is loose"));
  EXPECT_THAT(entry(R"("frames": 2, "scale_to": 2)"), HasSubstr("'scale_to' is 2"));
  EXPECT_THAT(entry(R"("bundles": 21)"), HasSubstr("at most the 20 of night"));
  EXPECT_THAT(refusal(R"({"id": "a", "case": "night", "milestone": "direct", "gpus": -1})"),
              HasSubstr("'gpus' is -1"));
  for (const std::string& id : {std::string(), std::string(".."), std::string(".a"),
                                std::string("-a"), std::string("A"), std::string(101, 'a')})
    EXPECT_THAT(
        refusal(std::string(R"({"case": "night", "milestone": "baseline", "id": ")") + id + "\"}"),
        HasSubstr("cannot name a file"))
        << id;
  // Short options with attached values, and MPS without a GPU.
  EXPECT_THAT(entry(R"("options": ["-ox"])"), HasSubstr("'options' has --output"));
  EXPECT_THAT(entry(R"("run_options": ["-n25"])"), HasSubstr("'run_options' has --nspec"));
  EXPECT_THAT(refusal(on_cpu_with(R"("mps": true)")), HasSubstr("'mps' without 'gpus'"));
  EXPECT_THAT(plan(R"("goldens": ["tiny-b", "tiny-b"], )"), HasSubstr("has a name twice"));
  EXPECT_THAT(plan(R"("until": {"width": 0.1, "max_runs": 5000}, )"),
              HasSubstr("'max_runs' is 5000 (expected at most 1000)"));
  EXPECT_THAT(plan(R"("time_limit_s": 1e-9, )"),
              HasSubstr("'time_limit_s' is 1e-09 (expected 1 or more)"));
  EXPECT_THAT(plan(R"("time_limit_s": "long", )"), HasSubstr("'time_limit_s' is"));
  EXPECT_THAT(plan(R"("tolerance": "loose", )"), HasSubstr("'tolerance' is loose"));
  EXPECT_THAT(plan(R"("reference": {"cameras": ["z7"]}, )"), HasSubstr("no camera z7"));
  EXPECT_THAT(plan(R"("repeats": 5, "repeats": 1, )"), HasSubstr("'repeats' is there twice"));
  const auto with_case = [](const std::string& keys) {
    return refusal(on_gpu, "", R"("night": {)" + keys + "}");
  };
  EXPECT_THAT(with_case(R"("cameras": "")"), HasSubstr("'cameras' is ''"));
  EXPECT_THAT(with_case(R"("cameras": "b0,x1")"), HasSubstr("'cameras' is 'b0,x1'"));
  EXPECT_THAT(with_case(R"("seed": -1)"), HasSubstr("'seed' is -1"));
  EXPECT_THAT(with_case(R"("seeds": 0)"), HasSubstr("'seeds' is 0"));
  EXPECT_THROW(static_cast<void>(read_plan(SPEX_SOURCE_DIR)), Error);  // a folder
}

TEST(Plan, ASingleFrameIsTheFirstOfItsCase) {
  const Entry alone = read(on_gpu_with(R"("alone": true)")).entries[0];
  EXPECT_TRUE(alone.alone);
  EXPECT_EQ(alone.frames, 1);
  EXPECT_FALSE(read(on_gpu).entries[0].alone);
  for (const char* more :
       {R"("alone": true, "frames": 2)", R"("alone": true, "frames": 1, "scale_to": 30)"})
    EXPECT_THAT(refusal(on_gpu_with(more)), HasSubstr("'alone' with"));
}

TEST(Plan, OutsideCiAReferenceAndFiveRunsAreRequired) {
  const auto outside_ci = [](const char* more) {
    return refusal(on_gpu, more, both_cases, "acceptance");
  };
  EXPECT_THAT(outside_ci(""), HasSubstr("has no 'reference'"));
  EXPECT_THAT(outside_ci(R"("reference": {"cameras": ["b0"]},)"), HasSubstr("has 'cameras'"));
  EXPECT_EQ(outside_ci(R"("reference": {"method": "eigh"},)"), "");
  EXPECT_THAT(outside_ci(R"("reference": {}, "repeats": 4,)"),
              HasSubstr("4 repeats (expected 1 and 5 or more"));
}

TEST(Plan, MayRunUntilTheIntervalIsNarrow) {
  const Plan plan = read(on_gpu, R"("repeats": 6, "until": {"width": 0.02, "max_runs": 20},)");
  EXPECT_EQ(plan.entries[0].until->width, 0.02);
  EXPECT_EQ(plan.entries[0].until->max_runs, 20);
  EXPECT_FALSE(read(on_gpu).entries[0].until);
  EXPECT_THAT(refusal(on_gpu, R"("repeats": 6, "until": {"width": 0.02, "max_runs": 5},)"),
              HasSubstr("'max_runs' is 5 (expected 6 or more)"));
  EXPECT_THAT(refusal(on_gpu, R"("until": {"width": 1, "max_runs": 9},)"),
              HasSubstr("'width' is 1"));
  EXPECT_THAT(refusal(on_gpu, R"("until": {"max_runs": 9},)"), HasSubstr("has no 'width'"));
  EXPECT_THAT(refusal(on_gpu, R"("until": 9,)"), HasSubstr("is not an object"));
}

TEST(Plan, OptionsHaveTheirKinds) {
  const auto with = [](const char* more) { return refusal(on_gpu_with(more)); };
  EXPECT_THAT(with(R"("options": ["--list", "x"])"), HasSubstr("--list"));
  EXPECT_THAT(with(R"("run_options": ["--events=x"])"), HasSubstr("'run_options' has --events"));
  EXPECT_THAT(with(R"("run_options": ["--nwavestep", "20"])"), HasSubstr("has --nwavestep"));
  EXPECT_THAT(with(R"("options": ["--nwavestepp", "50"])"), HasSubstr("--nwavestepp"));
  EXPECT_THAT(with(R"("options": ["--method", "magic"])"), HasSubstr("unknown 'magic'"));
  EXPECT_THAT(with(R"("options": ["--wavelength", "5839,5760,0.8"])"),
              HasSubstr("the range is reversed"));
  EXPECT_THAT(with(R"("options": ["--nspec"])"), HasSubstr("--nspec"));
  EXPECT_THAT(with(R"("run_options": ["--extractor", "2"])"), HasSubstr("--extractor"));
  const auto on_cpu = [](const char* more) { return refusal(on_cpu_with(more)); };
  EXPECT_THAT(on_cpu(R"("run_options": ["--schedule", "nonsense"])"),
              HasSubstr("unknown 'nonsense'"));
  EXPECT_THAT(on_cpu(R"("run_options": ["--bind", "gpu"])"), HasSubstr("--bind"));
  EXPECT_EQ(with(R"("options": ["--nwavestep", "20"], "run_options": ["--readers", "3"])"), "");
  EXPECT_THAT(with(R"("sweep": {"name": "n", "kind": "strong", "values": [99999999999999]})"),
              HasSubstr("is not a value of strong"));
}

constexpr const char* with_reference = R"("reference": {}, )";

TEST(Plan, OutsideCiRunsMustBeQuiet) {
  EXPECT_FALSE(read(on_gpu).quiet);
  const auto quiet = [](const std::string& more) {
    return read(on_gpu, with_reference + more, both_cases, "acceptance").quiet;
  };
  EXPECT_EQ(quiet("")->other_cpus, 0.05);
  EXPECT_EQ(quiet("")->width, 0.1);
  EXPECT_EQ(quiet(R"("quiet": {"other_cpus": 0.5}, )")->other_cpus, 0.5);
  EXPECT_EQ(quiet(R"("quiet": {"other_cpus": 0.5}, )")->width, 0.1);
  for (const auto& [text, fault] : {std::pair{R"({"width": 0})", "'width' is 0"},
                                    {R"({"other_cpus": -1})", "'other_cpus' is -1"},
                                    {R"({"others": 1})", "'others' is unknown"}})
    EXPECT_THAT(refusal(on_gpu, std::string(R"("quiet": )") + text + ", "),
                HasSubstr(std::string("quiet: ") + fault));
}

TEST(Plan, LongRunsArePartsOfAnAcceptance) {
  const std::string entry = on_cpu_with(R"("sustain": {"seconds": 60}, "repeats": 1)");
  EXPECT_EQ(refusal(entry, with_reference, both_cases, "acceptance"), "");
  EXPECT_THAT(refusal(entry, with_reference, both_cases, "production"),
              HasSubstr("has 'sustain' (expected none outside the tiers night and acceptance)"));
}

TEST(Plan, AnEntryMayUseOneGpuOfSeveral) {
  const Entry entry = read(on_gpu_with(R"("first_gpu": 3)")).entries[0];
  EXPECT_EQ(entry.first_gpu, 3);
  EXPECT_EQ(entry.last_gpu(), 3 + entry.gpus);
  EXPECT_THAT(refusal(on_cpu_with(R"("first_gpu": 1)")), HasSubstr("'first_gpu' without 'gpus'"));
}

TEST(Plan, SomeReferencesAreByTheDefinition) {
  const Reference reference = *read(on_gpu, R"("reference": {"by_eigh": ["b0"]}, )").reference;
  EXPECT_EQ(reference.method_of("b0", 0), "eigh");
  EXPECT_EQ(reference.method_of("b0", 1), "cholesky");
  EXPECT_EQ(reference.method_of("r0", 0), "cholesky");
  EXPECT_THAT(refusal(on_gpu, R"("reference": {"by_eigh": ["z9"]}, )"),
              HasSubstr("has no camera z9"));
}

TEST(Plan, CamerasMustSeeTheWavelengths) {
  const auto of = [](const std::string& cameras, const std::string& range) {
    return refusal(on_cpu_with(R"("options": ["--wavelength", ")" + range + R"(,0.8"])"), "",
                   R"("night": {"cameras": ")" + cameras + R"("})");
  };
  EXPECT_EQ(of("r0,r5", "5760,7620"), "");
  EXPECT_EQ(of("b0,r0", "5760,5800"), "");
  EXPECT_THAT(of("r0,b0", "5760,6159.2"),
              HasSubstr("asks for 5760 to 6159.2 Angstrom of b0, which sees 3600 to 5800 (expected "
                        "wavelengths that every camera of its case sees: b 3600 to 5800, r 5760"));
  EXPECT_THAT(of("z0", "7500,7600"), HasSubstr("of z0, which sees 7520 to 9824"));
}

TEST(Plan, InvalidJsonHasAPlainMessage) {
  const std::string message = refusal("{");
  EXPECT_THAT(message, HasSubstr("plan.json: parse error at line 1"));
  EXPECT_THAT(message, testing::Not(HasSubstr("json.exception")));
}

TEST(Plan, DefaultsAreMembersOfEachEntry) {
  const Plan plan = read(R"({"id": "a", "gpus": 2}, {"id": "b", "milestone": "direct"})",
                         R"("defaults": {"case": "night", "milestone": "pipeline", "gpus": 1},
                            "suffix": "-c", )");
  ASSERT_EQ(plan.entries.size(), 2U);
  EXPECT_EQ(plan.entries[0].id, "a-c");
  EXPECT_EQ(plan.entries[0].milestone, Milestone::pipeline);
  EXPECT_EQ(plan.entries[0].gpus, 2);
  EXPECT_EQ(plan.entries[1].milestone, Milestone::direct);
  EXPECT_EQ(plan.entries[1].gpus, 1);
  EXPECT_THAT(refusal(on_gpu, R"("defaults": {"gpu": 1}, )"), HasSubstr("'gpu' is unknown"));
}

TEST(Plan, ABaseIsAPlanInTheSameFolder) {
  const test::ScratchFolder scratch;
  const auto write = [&](const std::string& name, const std::string& text) {
    std::ofstream(scratch.file(name)) << text;
    return scratch.file(name);
  };
  write("one.json", R"({"name": "one", "description": "d", "tier": "ci", // a comment
      "cases": {"night": {"cameras": "b0,r0", "seed": 7}}, "entries": [)" +
                        std::string(on_gpu) + "]}");
  const Plan plan = read_plan(write("two.json", R"({"base": "one", "name": "two",
      "cases": {"night": {"cameras": "z0"}}, "defaults": {"options": ["--nwavestep", "30"]}})"));
  EXPECT_EQ(plan.name, "two");
  EXPECT_EQ(plan.cases.at("night").seed, 7);
  EXPECT_THAT(plan.cases.at("night").cameras, ElementsAre("z0"));
  EXPECT_EQ(plan.entries.at(0).extract->nwavestep, 30);
  // The results contain the whole plan.
  EXPECT_EQ(parse_plan(plan.text, "text").entries.size(), 1U);
  EXPECT_THROW(static_cast<void>(read_plan(write("three.json", R"({"base": "none"})"))), Error);
}

TEST(Plan, ShippedPlansAreValid) {
  int count = 0;
  for (const auto& file :
       std::filesystem::directory_iterator(std::string(SPEX_SOURCE_DIR) + "/bench/plans")) {
    EXPECT_NO_THROW(static_cast<void>(read_plan(file.path().string()))) << file.path();
    ++count;
  }
  EXPECT_GE(count, 6);
}

}  // namespace
}  // namespace spex::bench
