#include <fmt/format.h>
#include <gmock/gmock.h>

#include "bench/campaign/plan.hpp"
#include "bench/campaign/result_file.hpp"
#include "bench/correctness/file_hash.hpp"
#include "bench/correctness/repository_goldens.hpp"
#include "bench/measure/run_log.hpp"
#include "bench/submission/submission.hpp"
#include "reference/compare/check_truth.hpp"
#include "reference/compare/tolerance.hpp"
#include "reference/core/error.hpp"
#include "reference/tests/support/scratch.hpp"

namespace spex::bench {
namespace {

using Json = nlohmann::ordered_json;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

constexpr const char* plan_text = R"({"name": "p", "description": "d", "tier": "acceptance",
    "tolerance": "masked", "cases": {"exposure": {}}, "reference": {"method": "eigh"},
    "goldens": ["tiny-b"],
    "entries": [{"id": "pipeline", "case": "exposure", "milestone": "pipeline", "gpus": 1}]})";

const std::string sha(64, 'a');

Json run_log(const Plan& plan) {
  Json log{{"program", "spex-gpu"},
           {"milestone", "pipeline"},
           {"origin_unix", 1000.0},
           {"ranks", {{{"host", "a"}, {"max_rss_bytes", 1e9}, {"seconds", {{"solve", 3.0}}}}}},
           {"frames", Json::array()},
           {"events", {{{"rank", 0}, {"stage", "write"}, {"start", 0.5}, {"end", 9.0}}}}};
  for (const std::string& camera : plan.cases.at("exposure").camera_list())
    log["frames"].push_back({{"camera", camera},
                             {"input", "i"},
                             {"output", "o"},
                             {"patches", 10},
                             {"fell_back", 0},
                             {"failed", 0},
                             {"error", nullptr}});
  return log;
}

Json check_of(const char* hdu, const char* what, double limit) {
  return {{"hdu", hdu},    {"what", what}, {"limit", limit}, {"largest", 0.0},
          {"compared", 5}, {"bad", 0},     {"pass", true}};
}

Json checks_of(const std::string& name) {
  const Tolerance tolerance = read_tolerance(name);
  return {check_of("FLUX", "flux pull", tolerance.flux_pull),
          check_of("IVAR", "ivar, relative", tolerance.ivar_rel),
          check_of("RESOLUTION", "resolution", tolerance.resolution_abs),
          check_of("CHI2PIX", "chi2pix, relative", tolerance.chi2pix_rel),
          check_of("MASK", "bins whose mask differs", 0),
          check_of("WAVELENGTH", "wavelength, Angstrom", 1e-6),
          check_of("all", "HDUs that are not those of the reference", 0)};
}

// An exposure by all rules, as spex-bench leaves it.
EntryRun exposure(const Plan& plan) {
  const Case& one = plan.cases.at("exposure");
  EntryRun run;
  run.entry = plan.entries.at(0);
  run.start_utc = "2026-11-21T08:00:00Z";
  run.end_utc = "2026-11-21T09:00:00Z";
  run.warmups = 1;
  run.repeats = 5;
  run.frames = 30;
  run.bundles = 600;
  run.launch.launcher = "none";
  run.launch.argv = {"bin/spex-gpu", "--milestone", "pipeline",   "--list", "l",
                     "--events",     "e",           "--loglevel", "warn"};
  run.golden = Json::array({{{"name", "tiny-b"},
                             {"sha256", repository_golden_sha256("tiny-b")},
                             {"pass", true},
                             {"failure", nullptr}}});
  std::string cameras;
  for (const std::string& camera : one.camera_list())
    cameras += (cameras.empty() ? "" : ",") + camera;
  run.inputs = {
      {"generator", {{"seed", 1}, {"size", "full"}, {"cameras", cameras}, {"compression", "none"}}},
      {"seeds", "drawn"},
      {"storage", "tmpfs"},
      {"frames", Json::array()}};
  const PullLimits limits = pull_limits(1000000, 0);
  Json frames = Json::array();
  for (const std::string& camera : one.camera_list())
    frames.push_back(
        {{"camera", camera},
         {"outputs", Json::array()},
         {"expected_from", "spex-cpu"},
         {"checks", checks_of(run.entry.tolerance)},
         {"truth",
          {{"bins", 1000000},
           {"mean", -0.002},
           {"std", 1.001},
           {"half_width", 0.999},
           {"limits",
            {{"mean", limits.mean}, {"std", limits.std}, {"half_width", limits.half_width}}},
           {"pass", true}}},
         {"failure", nullptr}});
  const RunLog log = parse_run_log(run_log(plan).dump(), "log");
  for (int index = 0; index < 6; ++index) {
    Sample sample;
    sample.index = index;
    sample.warmup = index == 0;
    sample.seed = least_drawn_seed + index;
    sample.start_utc = fmt::format("2026-11-21T08:0{}:00Z", index);
    sample.effective_s = 10 + 0.01 * index;
    sample.extraction_s = log.end_s;
    sample.observed_s = 8.9;
    sample.phases = log.phases;
    sample.patches = 300;
    sample.launch_s = 0.5;
    run.samples.push_back(sample);
    for (int file = 0; file < 90; ++file)
      run.inputs["frames"].push_back(
          {{"file", "preproc"},
           {"seed", sample.seed},
           {"sha256", hash_text(fmt::format("{} {}", sample.seed, file))}});
    for (Json& frame : frames)
      frame["outputs"].push_back({{"run", index}, {"seed", sample.seed}, {"sha256", sha}});
  }
  run.validation = Validation(Json{{"frames", frames},
                                   {"together",
                                    {check_of("all", "|mean pull| of all frames", 0.006),
                                     check_of("all", "|std of pull - 1| of all frames", 0.001)}},
                                   {"failure", nullptr}});
  run.run_log_sha256 = hash_text(run_log(plan).dump());
  return run;
}

RunFacts facts_of(const Plan& plan) {
  RunFacts facts;
  facts.run_id = "r";
  facts.plan = &plan;
  facts.plan_sha256 = hash_text(plan.text);
  facts.build = {{"commit", "0123abc"}, {"dirty", false}};
  facts.system = {{"name", "node"}, {"gpus_reason", nullptr}};
  facts.programs = {{"spex-gpu", sha}};
  facts.seal_key = "key";
  facts.goldens_are_ours = true;
  return facts;
}

Files listed(Files files) {
  Json manifest{{"schema", {{"name", "spexbench-submission"}, {"major", 1}, {"minor", 0}}},
                {"commit", "0123abc"},
                {"seal_key", "key"},
                {"files", Json::array()}};
  files.erase("manifest.json");
  for (const auto& [name, text] : files)
    manifest["files"].push_back(
        {{"name", name}, {"bytes", text.size()}, {"sha256", hash_text(text)}});
  files["manifest.json"] = manifest.dump();
  return files;
}

struct Submitted {
  Plan plan = parse_plan(plan_text, "plan.json");
  EntryRun run = exposure(plan);
  RunFacts facts = facts_of(plan);

  [[nodiscard]] Files files() const {
    Files files{
        {"plan.json", plan_text},
        {"system.json",
         Json{{"build", facts.build}, {"system", facts.system}, {"programs", facts.programs}}
             .dump()},
        {"results/pipeline.json", result_text(run, facts)},
        {"results/pipeline.events.json", run_log(plan).dump()}};
    for (const Sample& sample : run.samples)
      files[fmt::format("logs/pipeline-{}.log", sample.index)] = "";
    return listed(files);
  }
};

TEST(Submission, AnExposureByTheRulesMayBePublished) {
  const SubmissionCheck found = check_submission(Submitted().files());
  EXPECT_THAT(found.inconsistent, IsEmpty());
  EXPECT_THAT(found.incomplete, IsEmpty());
  EXPECT_THAT(found.not_published, ElementsAre(Pair("pipeline", IsEmpty())));
  EXPECT_EQ(found.exit_status(), 0);
  EXPECT_THAT(found.text(), HasSubstr("pipeline: may be published"));
  EXPECT_THAT(found.about, "plan p on node, commit \"0123abc\"");
}

TEST(Submission, SaysEveryReasonWhyNot) {
  Submitted one;
  one.facts.build["dirty"] = true;
  one.run.extended = true;
  const SubmissionCheck found = check_submission(one.files());
  EXPECT_THAT(found.inconsistent, IsEmpty());
  EXPECT_EQ(found.exit_status(), 6);
  EXPECT_THAT(found.not_published.at("pipeline"),
              ElementsAre(HasSubstr("were added"), HasSubstr("clean commit")));
}

// One who knows the key and mends every hash may still not say what samples do not.
TEST(Submission, WhatIsStatedFollowsFromTheSamples) {
  const auto refusals = [](const std::function<void(Json&)>& edit) {
    const Submitted one;
    Files files = one.files();
    Json json = Json::parse(files.at("results/pipeline.json"));
    edit(json);
    files["results/pipeline.json"] = json.dump();
    return check_submission(listed(files)).inconsistent;
  };
  EXPECT_THAT(refusals([](Json&) {}), IsEmpty());
  EXPECT_THAT(refusals([](Json& j) { j["fom"]["effective"]["fpnh"]["median"] = 1e6; }),
              ElementsAre(HasSubstr("fom/effective/fpnh/median is 1000000.0 (expected")));
  EXPECT_THAT(refusals([](Json& j) { j["fom"]["effective"]["fpnh"]["coverage"] = 0.99; }),
              ElementsAre(HasSubstr("coverage is 0.99")));
  EXPECT_THAT(refusals([](Json& j) { j["timing"]["samples"].erase(5); }),
              Contains(HasSubstr("status is")));
  EXPECT_THAT(refusals([](Json& j) { j["validation"]["frames"].erase(29); }),
              Contains(HasSubstr("frames_done")));
  EXPECT_THAT(refusals([](Json& j) { j["timing"]["samples"][2]["seed"] = 3; }),
              Contains("results/pipeline.json: run 2 has a seed that was not drawn"));
  EXPECT_THAT(refusals([](Json& j) {
                j["inputs"]["frames"][90]["sha256"] = j["inputs"]["frames"][0]["sha256"];
              }),
              Contains(HasSubstr("have the same image")));
  EXPECT_THAT(refusals([](Json& j) { j["inputs"]["seeds"] = "elsewhere"; }),
              Contains(HasSubstr("its seeds are from nowhere that is known")));
  EXPECT_THAT(refusals([](Json& j) { j["inputs"]["seeds"] = "plan"; }),
              Contains(HasSubstr("run 0 has another seed than the plan says")));
  EXPECT_THAT(refusals([](Json& j) { j["build"]["commit"] = "f00"; }),
              Contains(HasSubstr("is of commit \"f00\"")));
}

// Nor what the checks of a frame do not: here with a seal that is not mended, which is named too.
TEST(Submission, AFramePassesByChecksThatWereMade) {
  const auto refusals = [](const std::function<void(Json & validation, Json & frame)>& edit) {
    const Submitted one;
    Files files = one.files();
    Json json = Json::parse(files.at("results/pipeline.json"));
    edit(json["validation"], json["validation"]["frames"][0]);
    files["results/pipeline.json"] = json.dump();
    return check_submission(listed(files)).inconsistent;
  };
  EXPECT_THAT(refusals([](Json&, Json& f) { f["checks"] = Json::array(); }),
              Contains(HasSubstr("b0 passes, and its FLUX was not compared within the tolerance "
                                 "masked (flux pull)")));
  EXPECT_THAT(refusals([](Json&, Json& f) { f["checks"][0]["limit"] = 1; }),
              Contains(HasSubstr("FLUX was not compared")));
  EXPECT_THAT(refusals([](Json&, Json& f) { f["checks"][1]["compared"] = 0; }),
              Contains(HasSubstr("IVAR was not compared")));
  EXPECT_THAT(refusals([](Json&, Json& f) { f["checks"][2]["largest"] = 0.5; }),
              Contains(HasSubstr("b0 RESOLUTION: resolution passes with 0.5, beyond its limit")));
  EXPECT_THAT(refusals([](Json&, Json& f) { f["truth"] = nullptr; }),
              Contains(HasSubstr("b0 was held to no truth")));
  EXPECT_THAT(refusals([](Json&, Json& f) { f["truth"]["bins"] = 10; }),
              Contains(HasSubstr("b0 was held to the truth in 10 bins")));
  EXPECT_THAT(refusals([](Json&, Json& f) { f["truth"]["std"] = 1.05; }),
              Contains(HasSubstr("b0 passes against the truth with std 1.05")));
  EXPECT_THAT(refusals([](Json&, Json& f) { f["truth"]["limits"]["mean"] = 1; }),
              Contains(HasSubstr("b0 passes against the truth with mean")));
  EXPECT_THAT(refusals([](Json& v, Json&) { v["together"] = Json::array(); }),
              Contains(HasSubstr("all frames together were not held to the truth")));
  EXPECT_THAT(refusals([](Json& v, Json&) { v["together"][0]["largest"] = 1; }),
              Contains(HasSubstr("of all frames passes with 1")));
  EXPECT_THAT(refusals([](Json&, Json& f) { f["camera"] = "b1"; }),
              Contains(HasSubstr("its frames are of b1,")));
}

// Nor what a run that counts cannot be.
TEST(Submission, ARunThatCountsIsWhole) {
  const auto refusals = [](const std::function<void(EntryRun&)>& edit) {
    Submitted one;
    edit(one.run);
    return check_submission(one.files()).inconsistent;
  };
  EXPECT_THAT(refusals([](EntryRun& r) { r.samples[1].exit_status = 9; }),
              Contains(HasSubstr("run 1 counts, with an exit status or patches")));
  EXPECT_THAT(refusals([](EntryRun& r) { r.samples[1].fell_back = 300; }),
              Contains(HasSubstr("run 1 counts, with an exit status or patches")));
  EXPECT_THAT(refusals([](EntryRun& r) { r.samples[1].phases.clear(); }),
              Contains(HasSubstr("run 1 has no stages")));
  EXPECT_THAT(refusals([](EntryRun& r) { r.samples[1].cpu_s = -1; }),
              Contains(HasSubstr("run 1 has no stages, or negative seconds")));
  EXPECT_THAT(refusals([](EntryRun& r) { r.end_utc = "2020-11-21T09:00:00Z"; }),
              Contains(HasSubstr("it ends before it begins")));
  EXPECT_THAT(refusals([](EntryRun& r) { r.inputs["frames"].erase(0); }),
              Contains(HasSubstr("run 0: its inputs are not listed")));
  EXPECT_THAT(refusals([](EntryRun& r) { r.launch.argv.emplace_back("--nspec=1"); }),
              Contains(HasSubstr("launch/argv has not the options")));
}

// Who measured with other golden frames, and does not say so.
TEST(Submission, GoldenFramesAreTheRepositorys) {
  Submitted one;
  one.run.golden[0]["sha256"] = sha;
  EXPECT_THAT(check_submission(one.files()).inconsistent, Contains(HasSubstr("fom/published")));
}

TEST(Submission, ALaterRunLogIsNotThatOfTheLastRun) {
  Files files = Submitted().files();
  Json log = Json::parse(files.at("results/pipeline.events.json"));
  log["events"][0]["end"] = 9.5;
  files["results/pipeline.events.json"] = log.dump();
  EXPECT_THAT(check_submission(listed(files)).inconsistent,
              Contains(HasSubstr("its last event is at 9.5 s")));
}

TEST(Archive, NamesThatLeaveTheFolderAreNotSafe) {
  for (const char* name : {"a", "results/a-b_c.json", "a/b/c"}) EXPECT_TRUE(is_safe_name(name));
  for (const char* name : {"", "/", "/a", "a/", "../a", "a/../b", "a//b", ".a", "a/.b", "-a", "a b",
                           "a\nb", "a\\b", "a:b"})
    EXPECT_FALSE(is_safe_name(name)) << name;
}

TEST(Archive, TheSameFilesGiveTheSameBytes) {
  const test::ScratchFolder scratch;
  const Files files{{"a", "1"}, {"b/c", std::string(100000, 'x')}};
  write_archive(scratch.file("one.tar.gz"), files);
  write_archive(scratch.file("two.tar.gz"), files);
  EXPECT_EQ(read_archive(scratch.file("one.tar.gz")), files);
  EXPECT_EQ(hash_file(scratch.file("one.tar.gz")), hash_file(scratch.file("two.tar.gz")));
  EXPECT_THROW(write_archive(scratch.file("one.zip"), files), Error);
  EXPECT_THROW(static_cast<void>(read_archive(scratch.file("one.tar.gz"), {.files = 1})), Error);
  EXPECT_THROW(static_cast<void>(read_archive(scratch.file("one.tar.gz"), {.bytes_of_file = 99})),
               Error);
  EXPECT_THROW(static_cast<void>(read_archive(scratch.file("one.tar.gz"), {.bytes = 99})), Error);
}

}  // namespace
}  // namespace spex::bench
