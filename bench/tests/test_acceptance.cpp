// Targets, judgments and files of an acceptance, from made-up records.

#include <filesystem>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>

#include "bench/accept/accept_plan.hpp"
#include "bench/accept/acceptance_files.hpp"
#include "bench/accept/acceptance_page.hpp"
#include "bench/accept/judgment.hpp"
#include "bench/accept/target.hpp"
#include "bench/result/derive.hpp"
#include "bench/result/result_file.hpp"
#include "bench/tests/plan_texts.hpp"
#include "bench/tests/records.hpp"
#include "reference/core/error.hpp"
#include "reference/tests/support/scratch.hpp"
#include "spex_test_paths.hpp"

namespace spex::bench {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

constexpr const char* plan_folder = SPEX_SOURCE_DIR "/bench/plans/";

Plan gpu_plan() {
  return read_plan(std::string(plan_folder) + "accept-gpu.json");
}

// 108 s an exposure, judged by the most seconds.
Record judged(double seconds, std::vector<double> samples = {106.9, 107.5, 108, 108.5, 109.1}) {
  Record record = good_record(samples);
  record.entry = "exposure";
  record.timing.quiet.emplace();
  record.threshold.emplace().seconds_effective = seconds;
  record.threshold->margin = 0;
  for (Sample& sample : record.timing.samples) sample.other_cpu_s = 0;
  return record;
}

Judgment judgment_of(const std::vector<Record>& records) {
  std::vector<int> statuses;
  for (const Record& record : records) statuses.push_back(derive(record).verdict.exit_status);
  return judge_acceptance(records, combined_status(statuses), "a target");
}

TEST(Judgment, TheLastLineHasTheNumberThatDecides) {
  const auto line = [](double seconds) { return last_line(judgment_of({judged(seconds)})); };
  EXPECT_EQ(line(216),
            "ACCEPT: exposure: 108 s an exposure (107 to 109, 5 runs), at most 216 s "
            "wanted: 2 times as fast as required; 1,000 FPNH");
  EXPECT_EQ(line(54),
            "REJECT: exposure: 108 s an exposure (107 to 109, 5 runs), at most 54 s "
            "wanted: 0.5 times as fast as required; 1,000 FPNH");
  EXPECT_THAT(line(108), StartsWith("REPEAT: exposure: 108 s an exposure (107 to 109, 5 runs), at "
                                    "most 108 s wanted: 1 times"));
  EXPECT_THAT(line(108), EndsWith("quiet the machine, and add runs by --resume --repeats N"));
}

TEST(Judgment, ADisturbedMachineIsNeverAccepted) {
  // The times that half of the CPUs gave, as five runs that count.
  Record scattered = judged(900, {15.2, 33.7, 45.5, 51.9, 58});
  EXPECT_THAT(last_line(judgment_of({scattered})), StartsWith("REPEAT: exposure: 45.5 s"));
  for (Sample& sample : scattered.timing.samples) sample.disturbed = "other processes took 51%";
  const Judgment none = judgment_of({scattered});
  EXPECT_EQ(last_line(none),
            "REPEAT: exposure: nothing measured, at most 900 s wanted; exposure: 5 run(s) were "
            "disturbed and do not count; run 1: other processes took 51%: quiet the machine, and "
            "add runs by --resume --repeats N");
  EXPECT_EQ(none.exit_status, 6);
}

TEST(Judgment, WrongAndUnhealthyAreRejectedAndErrorsRepeated) {
  Record wrong = judged(900);
  wrong.validation.frames[0].failure = "run 1: FLUX: flux pull 1";
  EXPECT_EQ(last_line(judgment_of({wrong})), "REJECT: exposure: b0: run 1: FLUX: flux pull 1");
  Record hot = judged(900);
  hot.health.cpu = CpuHealthRecord{{0, 0, 0}, {0, 0, 2}};
  EXPECT_THAT(last_line(judgment_of({hot})),
              StartsWith("REJECT: exposure: CPU cores were too hot"));
  Record error = judged(900);
  error.error = "spex-sim failed";
  EXPECT_EQ(last_line(judgment_of({error})), "REPEAT: exposure: spex-sim failed");
}

TEST(Judgment, ATargetThatEverythingPassesIsSaidToBeOne) {
  EXPECT_THAT(judgment_of({judged(216)}).notes, IsEmpty());
  Record part = judged(216);
  part.work.has_fpnh = false;
  EXPECT_THAT(judgment_of({part}).notes, ElementsAre(HasSubstr("parts of frames")));
  Record unseen = judged(216);
  unseen.timing.samples.back().other_cpu_s.reset();
  EXPECT_THAT(judgment_of({unseen}).notes,
              ElementsAre("exposure: what other programs took of the CPUs is not known"));
  EXPECT_THAT(judgment_of({judged(900)}).notes,
              ElementsAre(HasSubstr("8.33 times as fast as the target")));
}

// A GPU alone, at a rate relative to the usual one.
Record alone(int gpu, double rate) {
  Record record = night(9.6 / rate, 1900 / rate);
  record.entry = "gpu-" + std::to_string(gpu);
  record.tier = "acceptance";
  record.launch.gpus_per_node = 1;
  record.work.sustain = Sustain{60, {}};
  return record;
}

TEST(Judgment, AGpuThatIsSlowerThanTheOthersIsRejected) {
  const std::vector<Record> good{alone(0, 1), alone(1, 1.01), alone(2, 0.97), alone(3, 1)};
  EXPECT_EQ(judgment_of(good).word, "ACCEPT");
  EXPECT_THAT(compare_gpus(good), testing::SizeIs(4));
  EXPECT_THAT(compare_gpus({alone(0, 1)}), IsEmpty());
  const std::vector<Record> odd{alone(0, 1), alone(1, 1.01), alone(2, 1), alone(3, 0.9)};
  const Judgment found = judgment_of(odd);
  EXPECT_EQ(found.exit_status, 4);
  EXPECT_THAT(last_line(found), StartsWith("REJECT: gpu-3: 5,013 FPNH"));
  EXPECT_THAT(found.reasons, ElementsAre(StartsWith("gpu-3: slower alone than the other GPUs")));
}

TEST(Readable, NumbersHaveSeparators) {
  EXPECT_EQ(readable(0.012345), "0.0123");
  EXPECT_EQ(readable(2.5161), "2.52");
  EXPECT_EQ(readable(99.96), "100");
  EXPECT_EQ(readable(455.3), "455");
  EXPECT_EQ(readable(42879.4), "42,879");
  EXPECT_EQ(readable(1234567), "1,234,567");
  EXPECT_EQ(readable(-1234), "-1,234");
}

TEST(Target, ATimeOrARateNeedsItsUnit) {
  const Plan plan = gpu_plan();
  const Target time = target_of_words("15min", plan);
  EXPECT_EQ(time.thresholds.at("exposure").seconds_effective, 900);
  EXPECT_EQ(time.thresholds.at("sustained").fpnh_soak, 120);
  EXPECT_THAT(time.text, HasSubstr("DESI takes one every 15 minutes"));
  // Three frames of a run are a tenth of an exposure, unless they stand for one.
  Plan few = plan;
  few.entries.at(0).frames = 3;
  EXPECT_EQ(target_of_words("15min", few).thresholds.at("exposure").seconds_effective, 90);
  few.entries.at(0).scale_to = 30;
  EXPECT_EQ(target_of_words("15min", few).thresholds.at("exposure").seconds_effective, 900);
  const Target rate = target_of_words("20000 FPNH", plan);
  EXPECT_EQ(rate.thresholds.at("exposure").fpnh_effective, 20000);
  EXPECT_EQ(rate.thresholds.at("sustained").fpnh_soak, 20000);
  for (const char* words : {"15", "20000", "fast", "-3s", "0min", "5parsecs", "", "s"})
    EXPECT_THAT(
        refusal_of([&] { static_cast<void>(target_of_words(words, plan)); }, ErrorKind::usage),
        HasSubstr("expected a time such as 15min"))
        << words;
}

Machine machine(const std::vector<std::string>& gpus, int cpus = 16) {
  Machine found;
  found.cpu = "AMD EPYC 7763 64-Core Processor";
  found.cpus = cpus;
  for (const std::string& name : gpus) found.gpus.emplace_back().name = name;
  return found;
}

// With two exposures in all, four H200s were still starting when their frames ended.
TEST(AcceptPlan, TheLongRunHasMoreDistinctExposuresOnMoreGpus) {
  for (const std::size_t gpus : {1, 2, 4}) {
    const std::vector<std::string> models(gpus, "NVIDIA H200");
    const Plan plan = accept_plan(machine(models), true);
    EXPECT_EQ(plan.cases.at("sustained").distinct_exposures(), gpus + 2);
    EXPECT_EQ(plan.entries.size(), gpus == 1 ? 2 : 2 + gpus);
  }
}

TEST(Target, TheDefaultIsTheShippedPeerOfTheHardware) {
  const auto peers = read_peers(SPEX_SOURCE_DIR "/bench/peers.json");
  const Plan plan = gpu_plan();
  const Target one = default_target(machine({"NVIDIA H200"}), peers, plan);
  EXPECT_THAT(one.text, StartsWith("as fast as h200 (one NVIDIA H200"));
  const Threshold& exposure = one.thresholds.at("exposure");
  EXPECT_GT(exposure.fpnh_effective.value_or(0), 10000);
  EXPECT_EQ(exposure.margin, 0.15);
  EXPECT_EQ(exposure.seconds_effective, 900);
  EXPECT_GT(one.thresholds.at("sustained").fpnh_soak.value_or(0), 10000);
  // Of several GPUs, each alone is compared with a single one.
  Plan two = plan;
  for (Entry& entry : two.entries) entry.gpus = 2;
  two.entries.push_back(plan.entries.at(1));
  two.entries.back().id = "gpu-1";
  two.entries.back().group = alone_group;
  const Target several = default_target(machine({"NVIDIA H200", "NVIDIA H200"}), peers, two);
  EXPECT_EQ(several.thresholds.at("gpu-1").fpnh_soak, one.thresholds.at("sustained").fpnh_soak);
  EXPECT_FALSE(several.thresholds.contains("sustained"));
  EXPECT_FALSE(several.thresholds.at("exposure").fpnh_effective);
  EXPECT_EQ(several.thresholds.at("exposure").seconds_effective, 900);
  // Another model, different models, or none: DESI's own requirement.
  for (const Machine& other :
       {machine({"NVIDIA H200", "NVIDIA T4"}), machine({"NVIDIA T4"}), machine({})}) {
    EXPECT_FALSE(peer_of(other, peers));
    EXPECT_EQ(default_target(other, peers, plan).thresholds.at("exposure").seconds_effective, 900);
  }
  EXPECT_THAT(target_against("h200", peers, plan).thresholds.at("exposure").fpnh_effective,
              exposure.fpnh_effective);
  EXPECT_THAT(
      refusal_of([&] { static_cast<void>(target_against("h201", peers, plan)); }, ErrorKind::usage),
      HasSubstr("or a peer: h200, h100"));
}

TEST(Target, ResultsAndFoldersOfResultsArePeers) {
  const Plan plan = gpu_plan();
  const std::string folder = SPEX_SOURCE_DIR "/reports/results/h200/accept-gpu";
  const Fom fom = derive(read_record(folder + "/exposure.json")).fom;
  for (const std::string& against : {folder, folder + "/exposure.json"}) {
    const Target target = target_against(against, {}, plan);
    EXPECT_EQ(target.thresholds.at("exposure").fpnh_effective, fom.effective->fpnh->median);
    EXPECT_FALSE(target.thresholds.contains("sustained") &&
                 target.thresholds.at("sustained").fpnh_effective);
  }
  const std::string none = SPEX_SOURCE_DIR "/reports/results/epyc-2core/scaling-cpu";
  EXPECT_THAT(
      refusal_of([&] { static_cast<void>(target_against(none, {}, plan)); }, ErrorKind::usage),
      HasSubstr("has no FPNH of an entry of the plan accept-gpu"));
}

TEST(Files, KeepAllJudgments) {
  const test::ScratchFolder scratch;
  const std::string out = scratch.file("out");
  std::filesystem::create_directory(out);
  EXPECT_THAT(read_judgments(out), IsEmpty());
  std::vector<Record> records{judged(50)};
  records.front().build.cuda = "CUDA 13.0.88";
  std::vector<Judgment> judgments{judgment_of(records)};
  write_acceptance(out, records, judgments);
  EXPECT_THAT(test::read_file(out + "/acceptance.md"), HasSubstr("; CUDA 13.0.88\n"));
  judgments = read_judgments(out);
  ASSERT_EQ(judgments.size(), 1U);
  EXPECT_EQ(judgments.front().word, "REJECT");
  judgments.push_back(judgment_of({judged(500)}));
  write_acceptance(out, {judged(500)}, judgments);
  EXPECT_EQ(read_judgments(out).size(), 2U);
  const std::string page = test::read_file(out + "/acceptance.md");
  EXPECT_THAT(page, StartsWith("# ACCEPT: node\n\nACCEPT: exposure: 108 s an exposure"));
  EXPECT_THAT(page, HasSubstr("- Judged before, "));
  EXPECT_THAT(page, HasSubstr(": REJECT: exposure: 108 s an exposure (107 to 109, 5 runs), at most "
                              "50 s wanted"));
  EXPECT_THAT(page, HasSubstr("1.00 (warm-up), 106.90, 107.50"));
  const std::string csv = test::read_file(out + "/acceptance.csv");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 2);
  EXPECT_THAT(csv, HasSubstr(",exposure,s,108,106.9,109.1,5,500,4.62963,1000,,,ACCEPT\n"));
  const std::string xml = test::read_file(out + "/acceptance.xml");
  EXPECT_THAT(xml, HasSubstr("tests=\"3\" failures=\"0\""));
  write_acceptance(out, records, judgments = {judgment_of(records)});
  EXPECT_THAT(test::read_file(out + "/acceptance.xml"), HasSubstr("failures=\"1\""));
  std::ofstream(out + "/acceptance.json") << "{}";
  EXPECT_THAT(refusal_of([&] { static_cast<void>(read_judgments(out)); }, ErrorKind::data),
              HasSubstr("is not an acceptance"));
}

TEST(AcceptPlan, RepeatsAreThoseOfShortRuns) {
  const Plan plan = with_repeats(gpu_plan(), 9);
  EXPECT_EQ(plan.entries.at(0).repeats, 9);
  EXPECT_FALSE(plan.entries.at(0).until);
  EXPECT_EQ(plan.entries.at(1).repeats, 1);
}

}  // namespace
}  // namespace spex::bench
