#include <cerrno>
#include <cstring>
#include <map>

#include <gmock/gmock.h>

#include "bench/campaign/figures.hpp"
#include "bench/campaign/publication.hpp"

namespace spex::bench {
namespace {

using Json = nlohmann::ordered_json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// An exposure that was run by the rules: a warm-up and five runs, each on inputs of its own.
struct ByTheRules {
  Plan plan;
  RunFacts facts;
  EntryRun run;

  ByTheRules() {
    plan.tier = "acceptance";
    plan.cases["exposure"].name = "exposure";
    facts.plan = &plan;
    facts.build = {{"commit", "0123abc"}, {"dirty", false}};
    facts.goldens_are_ours = true;
    run.entry.id = "pipeline";
    run.entry.case_name = "exposure";
    run.entry.tolerance = "masked";
    run.frames = 30;
    run.warmups = 1;
    run.repeats = 5;
    run.inputs = {{"seeds", "drawn"}};
    run.golden = Json::array({{{"name", "tiny-b"}, {"pass", true}, {"failure", nullptr}}});
    Json frames = Json::array();
    for (const std::string& camera : plan.cases["exposure"].camera_list())
      frames.push_back({{"camera", camera},
                        {"outputs", Json::array()},
                        {"expected_from", "spex-cpu"},
                        {"checks", Json::array()},
                        {"truth", nullptr},
                        {"failure", nullptr}});
    run.validation =
        Validation(Json{{"frames", frames}, {"together", Json::array()}, {"failure", nullptr}});
    for (int index = 0; index < 6; ++index) {
      Sample sample;
      sample.index = index;
      sample.warmup = index == 0;
      sample.seed = 1 + index;
      sample.effective_s = 10;
      sample.extraction_s = 9;
      sample.observed_s = 8.9;
      run.samples.push_back(sample);
    }
  }

  [[nodiscard]] std::vector<std::string> reasons() const {
    return not_published_because(run, facts);
  }
};

// Who may leave out runs that look slow has chosen the others.
TEST(Publication, NotOfRunsThatWereChosen) {
  ByTheRules one;
  one.run.dropped = {{3, "2026-11-21T08:00:00Z", 4.0, interrupted_run}};
  EXPECT_THAT(one.reasons(), IsEmpty());
  one.run.dropped[0].seconds = 11;
  EXPECT_THAT(one.reasons(), ElementsAre(HasSubstr("interrupted after 11.00 s")));
  one.run.dropped[0].seconds.reset();
  EXPECT_THAT(one.reasons(), ElementsAre(HasSubstr("its end is not known")));
  one.run.dropped[0] = {3, "2026-11-21T08:00:00Z", 1.0, "exit status 9: "};
  EXPECT_THAT(one.reasons(), ElementsAre(HasSubstr("made again: exit status 9")));
  one.run.dropped.clear();
  one.run.extended = true;
  EXPECT_THAT(one.reasons(), ElementsAre(HasSubstr("were added to a result")));
}

// What only all frames together show is not forgotten when a result is taken up again.
TEST(Validation, KeepsAFailureOfAllFrames) {
  const ByTheRules one;
  Json json = one.run.validation.to_json();
  EXPECT_TRUE(Validation(json).pass());
  json["failure"] = "run 0: all frames against the truth";
  EXPECT_FALSE(Validation(json).pass());
  EXPECT_EQ(Validation(json).failure(), "run 0: all frames against the truth");
}

TEST(Publication, NotUnderAPreloadedLibrary) {
  ByTheRules one;
  one.facts.environment["LD_PRELOAD"] = "libfaketime.so";
  EXPECT_THAT(one.reasons(), ElementsAre("LD_PRELOAD is set"));
  // By which OpenSSL loads what hashes files.
  one.facts.environment = {{"OPENSSL_CONF", "ours.cnf"}};
  EXPECT_THAT(one.reasons(), ElementsAre("OPENSSL_CONF is set"));
}

// Open MPI hands variables on to the ranks, reads them of files, and starts ranks on hosts of a
// file.
TEST(Publication, NotWhereAVariableOfTheLauncherHandsOneOn) {
  ByTheRules one;
  one.facts.environment = {{"OMPI_MCA_btl", "self,vader"},
                           {"OMPI_MCA_rmaps_base_oversubscribe", "1"},
                           {"OMPI_MCA_btl_vader_single_copy_mechanism", "none"}};
  EXPECT_THAT(one.reasons(), ElementsAre());
  for (const auto& [name, value] :
       std::map<std::string, std::string>{{"OMPI_MCA_mca_base_env_list", "PATH"},
                                          {"OMPI_MCA_mca_base_envar_file_prefix", "/tmp/settings"},
                                          {"OMPI_MCA_orte_default_hostfile", "hosts"},
                                          {"OMPI_MCA_plm_rsh_agent", "/tmp/agent"},
                                          {"PRTE_MCA_plm_ssh_agent", "/tmp/agent"},
                                          {"OMPI_MCA_orte_fork_agent", "/tmp/agent"},
                                          {"OMPI_MCA_mca_param_files", "/tmp/settings"},
                                          {"OMPI_MCA_-mca orte_fork_agent /x", ""},
                                          {"OMPI_MCA_mca_component_path", "/tmp"},
                                          {"OMPI_MCA_coll_tuned_dynamic_rules_filename", "f"},
                                          {"HYDRA_LAUNCHER_EXEC", "/tmp/agent"},
                                          {"SPEX_ANY", "LD_PRELOAD=x.so"}}) {
    one.facts.environment = {{name, value}};
    EXPECT_THAT(one.reasons(), ElementsAre(name + " is set"));
  }
}

// A launcher starts what stands behind its options, or before it.
TEST(Publication, NotWhereTheLauncherMayStartAnotherProgram) {
  ByTheRules one;
  one.run.launch.launcher_options = {"--constraint=gpu", "--mpi=pmix"};
  EXPECT_THAT(one.reasons(), IsEmpty());
  for (const char* word : {"/tmp/wrapper", "env", "--export=ALL,LD_PRELOAD=x.so",
                           "--task-prolog=/tmp/x", "LD_AUDIT=x.so"}) {
    one.run.launch.launcher_options = {"--mpi=pmix", word};
    EXPECT_THAT(one.reasons(), ElementsAre(HasSubstr(std::string("was told '") + word))) << word;
  }
}

EntryRun runs_of(const std::vector<double>& seconds) {
  EntryRun run;
  run.repeats = 6;
  for (const double s : seconds) {
    Sample sample;
    sample.index = run.next_index();
    sample.effective_s = sample.extraction_s.emplace(s);
    run.samples.push_back(sample);
  }
  return run;
}

TEST(EntryRun, EndsWhenTheIntervalIsNarrowOrThereAreEnough) {
  EntryRun narrow = runs_of({10, 10.01, 10.02, 10, 10.01, 10.02});
  EXPECT_TRUE(narrow.done());
  narrow.until = Stopping{0.01, 8};
  EXPECT_TRUE(narrow.done());
  EntryRun wide = runs_of({10, 11, 10, 11, 10, 11});
  wide.until = Stopping{0.01, 8};
  EXPECT_FALSE(wide.done());
  EXPECT_EQ(wide.runs_left(), 1);
  wide = runs_of({10, 11, 10, 11, 10, 11, 10, 11});
  wide.until = Stopping{0.01, 8};
  EXPECT_TRUE(wide.done());
}

TEST(EntryRun, ThrottledRunsAreMadeAgainButNotForEver) {
  EntryRun run = runs_of({10, 10, 10, 10, 10, 10});
  run.samples[2].throttled = run.samples[3].throttled = true;
  EXPECT_FALSE(run.done());
  EXPECT_EQ(run.runs_left(), 2);
  run.samples.push_back(run.samples[0]);
  EXPECT_FALSE(run.done());
  run.samples.push_back(run.samples[0]);
  EXPECT_TRUE(run.done());
  for (Sample& sample : run.samples) sample.throttled = true;
  EXPECT_TRUE(run.done());
}

template <class Change>
std::vector<std::string> reasons_with(const Change& change) {
  ByTheRules all;
  change(all);
  return all.reasons();
}

TEST(Publication, ByTheRules) {
  EXPECT_THAT(ByTheRules().reasons(), IsEmpty());
  // How N is inverted is the extractor's own.
  EXPECT_THAT(reasons_with([](ByTheRules& x) {
                x.run.entry.options = {"--method", "eigh"};
              }),
              IsEmpty());
}

TEST(Publication, OfAnExposureAtProductionsSettings) {
  EXPECT_THAT(reasons_with([](ByTheRules& x) { x.plan.tier = "ci"; }),
              ElementsAre("the tier is ci"));
  EXPECT_THAT(reasons_with([](ByTheRules& x) { x.plan.tier = "production"; }),
              ElementsAre("the tier is production"));
  EXPECT_THAT(reasons_with([](ByTheRules& x) { x.plan.cases["exposure"].size = "tiny"; }),
              ElementsAre(HasSubstr("30 frame(s) of size tiny")));
  EXPECT_THAT(reasons_with([](ByTheRules& x) { x.run.frames = 29; }),
              ElementsAre(HasSubstr("29 frame(s)")));
  EXPECT_THAT(reasons_with([](ByTheRules& x) { x.run.entry.scale_to = 60; }),
              ElementsAre(HasSubstr("scaled")));
  EXPECT_THAT(reasons_with([](ByTheRules& x) { x.run.entry.bundles = 1; }).front(),
              HasSubstr("some bundles"));
  EXPECT_THAT(reasons_with([](ByTheRules& x) {
                x.run.entry.options = {"--nspec", "25"};
              }),
              ElementsAre("options change what is computed"));
  EXPECT_THAT(reasons_with([](ByTheRules& x) { x.run.entry.tolerance = "unpadded"; }),
              ElementsAre("the tolerance is unpadded"));
}

TEST(Publication, OfFramesThatWereHeldToWhatIsRight) {
  EXPECT_THAT(reasons_with([](ByTheRules& x) { x.facts.goldens_are_ours = false; }),
              ElementsAre("the golden cases are not the repository's"));
  EXPECT_THAT(reasons_with([](ByTheRules& x) { x.run.golden = Json::array(); }),
              ElementsAre(HasSubstr("no golden cases")));
  EXPECT_THAT(reasons_with([](ByTheRules& x) {
                Json json = x.run.validation.to_json();
                json["frames"][29]["expected_from"] = nullptr;
                x.run.validation = Validation(json);
              }),
              ElementsAre(HasSubstr("not every frame")));
  EXPECT_THAT(reasons_with([](ByTheRules& x) { x.run.samples[2].failure = "wrong"; }),
              ElementsAre("not all of it is right and timed", HasSubstr("4 timed run(s)")));
}

TEST(Publication, OfRunsByTheRules) {
  EXPECT_THAT(reasons_with([](ByTheRules& x) { x.run.samples[0].warmup = false; }),
              ElementsAre("no warm-up"));
  EXPECT_THAT(reasons_with([](ByTheRules& x) { x.run.samples[3].throttled = true; }),
              ElementsAre("not all of it is right and timed", HasSubstr("4 timed run(s)")));
  EXPECT_THAT(reasons_with([](ByTheRules& x) { x.run.samples[5].seed = 1; }),
              ElementsAre("two runs had the same inputs"));
  EXPECT_THAT(reasons_with([](ByTheRules& x) { x.run.inputs["seeds"] = "plan"; }),
              ElementsAre(HasSubstr("its seeds are the plan's")));
  EXPECT_THAT(reasons_with([](ByTheRules& x) { x.run.samples[5].observed_s.reset(); }),
              ElementsAre("spex-bench did not see the inputs opened"));
  EXPECT_THAT(reasons_with([](ByTheRules& x) { x.facts.build["dirty"] = true; }),
              ElementsAre("it is not built from a clean commit"));
  EXPECT_THAT(reasons_with([](ByTheRules& x) { x.facts.build["commit"] = nullptr; }),
              ElementsAre("it is not built from a clean commit"));
}

TEST(Publication, NoRunIsFarLongerThanTheOthers) {
  EXPECT_THAT(reasons_with([](ByTheRules& x) { x.run.samples[0].effective_s = 29; }), IsEmpty());
  EXPECT_THAT(reasons_with([](ByTheRules& x) { x.run.samples[0].effective_s = 31; }),
              ElementsAre("run 0 took 31.00 s, more than 3 times the median"));
  EXPECT_THAT(reasons_with([](ByTheRules& x) { x.run.samples[3].effective_s = 31; }),
              ElementsAre("run 3 took 31.00 s, more than 3 times the median"));
}

TEST(Figures, ThrottledRunsDoNotCountAndTheTierCiHasNoRate) {
  ByTheRules all;
  all.run.samples[2].effective_s = 1000;
  all.run.samples[2].throttled = true;
  EXPECT_FALSE(figure_of(all.run, ClockKind::effective));  // it is to be made again
  all.run.samples.push_back(all.run.samples[1]);
  const auto figure = figure_of(all.run, ClockKind::effective);
  ASSERT_TRUE(figure && figure->fpnh);
  EXPECT_EQ(figure->seconds.samples.size(), 5U);
  EXPECT_EQ(figure->fpnh->median, 10800);
  EXPECT_EQ(all.run.evidence(all.facts).throttled, 1);
  const auto ci = figure_of(all.run, ClockKind::effective, "ci");
  ASSERT_TRUE(ci);
  EXPECT_FALSE(ci->fpnh);
  EXPECT_EQ(ci->seconds.median, 10);
  all.run.has_fpnh = false;
  const auto parts = figure_of(all.run, ClockKind::effective);
  ASSERT_TRUE(parts);
  EXPECT_FALSE(parts->fpnh);
  EXPECT_EQ(parts->seconds.median, 10);
}

TEST(Figures, PartsOfAFrameAndAFrameAloneHaveSeconds) {
  Case one;
  Entry entry;
  EXPECT_TRUE(has_fpnh(entry, one));
  entry.options = {"--nwavestep", "30", "--method", "cholesky", "--no-scores"};
  EXPECT_TRUE(has_fpnh(entry, one));
  for (const char* option : {"--nspec", "--nspec=25", "-n", "-n25", "--specmin", "-s", "-s5",
                             "--wavelength", "--wavelength=5760,6159.2,0.8", "-w"}) {
    entry.options = {option};
    EXPECT_FALSE(has_fpnh(entry, one)) << option;
  }
  entry.options = {};
  entry.bundles = 3;
  EXPECT_FALSE(has_fpnh(entry, one));
  entry.bundles.reset();
  entry.alone = true;
  EXPECT_FALSE(has_fpnh(entry, one));
  entry.alone = false;
  for (const char* size : {"bundle", "tiny"}) {
    one.size = size;
    EXPECT_FALSE(has_fpnh(entry, one)) << size;
  }
}

// A full disk says nothing of the program: status 1, not 3.
TEST(Evidence, AFullDiskIsNoWrongFrame) {
  ByTheRules all;
  all.run.samples[3].failure = std::string("r0: frame-r0.fits: ") + std::strerror(ENOSPC);
  EXPECT_EQ(judge(all.run.evidence(all.facts)).overall, "error");
  all.run.samples[3].failure = "r0: no output";
  EXPECT_EQ(judge(all.run.evidence(all.facts)).overall, "incorrect");
}

// Twenty parts of 300 frames in 10 s, of which one may stand still for longer.
EntryRun long_run(double pause_s) {
  ByTheRules all;
  all.run.repeats = 1;
  all.run.samples.resize(2);
  all.run.entry.sustain = Sustain{200, std::nullopt};
  Json blocks = Json::array();
  for (int k = 0; k < 20; ++k)
    blocks.push_back(
        {{"frames", 300}, {"begin_s", 0}, {"seconds", 10 + 0.01 * k + (k == 7 ? pause_s : 0)}});
  const double seconds = 200 + pause_s;
  all.run.samples[1].sustained = {
      {"seconds", seconds}, {"fpnh", 3600 * 6000 / seconds}, {"blocks", blocks}};
  return all.run;
}

TEST(Evidence, ALongRunIsJudgedByItsPartsAndAsAWhole) {
  const EntryRun steady = long_run(0);
  const std::optional<Statistic> fpnh = sustained_fpnh_to_judge(steady);
  ASSERT_TRUE(fpnh);
  EXPECT_EQ(fpnh->median, 108000);
  EXPECT_GT(*fpnh->coverage, 0.95);
  // The 6th smallest and the 6th largest of 20.
  EXPECT_NEAR(*fpnh->low, 3600 * 30 / 1.014, 1e-6);
  EXPECT_NEAR(*fpnh->high, 108000, 1e-6);
  // To stand still for 50 s of 250 is seen in the whole, though not in most parts.
  EXPECT_NEAR(*sustained_fpnh_to_judge(long_run(50))->low, 0.8 * 108000, 1e-6);
  EXPECT_FALSE(sustained_fpnh_to_judge(ByTheRules().run));
}

TEST(Evidence, ALongRunThatWasShortIsNoEvidence) {
  ByTheRules all;
  all.facts.thresholds.emplace().entries[all.run.entry.id].fpnh_sustained = 1;
  all.run = long_run(0);
  EXPECT_EQ(judge(all.run.evidence(all.facts)).overall, "pass");
  // As where the warm-ups were made slow.
  all.run.entry.sustain->seconds = 300;
  EXPECT_THAT(judge(all.run.evidence(all.facts)).reasons,
              ElementsAre("sustained FPNH: the steady part lasted 200.00 s, not the 300 that were "
                          "asked for"));
}

TEST(Publication, ANightLastsHalfAnHour) {
  const auto night = [](double seconds, const Json& first_pass) {
    return reasons_with([&](ByTheRules& x) {
      x.plan.tier = "night";
      x.run.entry.sustain = Sustain{1800, std::nullopt};
      x.run.repeats = 1;
      x.run.samples.resize(2);
      x.run.samples[1].sustained = {
          {"seconds", seconds}, {"fpnh", 9e4}, {"first_pass", first_pass}};
    });
  };
  const Json shown{{"gain", 1.1}};
  EXPECT_THAT(night(1800, shown), IsEmpty());
  EXPECT_THAT(night(1700, shown), ElementsAre("it lasted 1700 s, not 1800"));
  EXPECT_THAT(night(1800, nullptr), ElementsAre("too few frames to tell kept answers"));
}

}  // namespace
}  // namespace spex::bench
