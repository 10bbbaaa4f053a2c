// spex-bench: runs a plan of benchmarks and judges it.

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "bench/campaign/campaign.hpp"
#include "bench/commands.hpp"
#include "bench/plan/shipped_files.hpp"
#include "reference/cli/program.hpp"
#include "reference/core/error.hpp"
#include "reference/core/exit_status.hpp"
#include "reference/core/version.hpp"

namespace spex::bench {
namespace {

constexpr const char* program = "spex-bench";

constexpr const char* footer =
    "Writes OUT/ENTRY.json for each entry of the plan, by bench/result.schema.json, after every "
    "run,\n"
    "OUT/ENTRY.events.json, the log of its last run, and OUT/logs. Prints a table.\n"
    "\n"
    "Examples:\n"
    "  spex-bench --self-test\n"
    "  spex-bench accept --target 15min --out accepted --data /dev/shm/spex-bench\n"
    "  spex-bench ci --out bench-ci\n"
    "  spex-bench rungs-4gpu --only ours --out result --data /dev/shm/spex-bench\n"
    "  spex-bench bench/plans/perlmutter.json --out result --nodes 2 --resume\n"
    "  spex-bench submit result --archive result.tar.gz\n"
    "  spex-bench check result.tar.gz\n"
    "  spex-bench rerun result.tar.gz --source spexbench --out again\n"
    "then\n"
    "  spex-reports bench result --out report\n"
    "\n"
    "Exit status: 0 pass, 1 something could not run, 2 bad command line or plan, 3 a frame is\n"
    "wrong, 4 too slow, 5 the machine is unhealthy, 6 times scatter too much to judge, 77 no GPU\n"
    "for an entry.";

constexpr int max_runs = 10000, max_nodes = 100000;
constexpr double min_seconds = 0.1, max_seconds = 1e6;

struct Arguments {
  std::string plan;
  CampaignSettings settings;
  std::vector<std::string> only;
  std::optional<int> repeats, warmups;
  std::optional<double> duration;
  std::optional<std::string> thresholds, seeds;
  std::string launcher = "auto";
  std::string launcher_options;
  std::string loglevel = "info";
  bool list = false, json = false;
};

void add_options(CLI::App& app, Arguments& a) {
  app.add_option("plan", a.plan, "Plan file, or the name of a shipped plan, such as ci");
  const std::string usual = app.option_defaults()->get_group();
  app.option_defaults()->group("Files");
  app.add_option("-o,--out", a.settings.out, "Folder for the results");
  app.add_option(
      "--data", a.settings.data,
      "Folder for inputs and outputs; default: OUT/data. Its file system is part of the "
      "measurement. A run of a full exposure takes 9 GB until its frames are compared; --list "
      "prints the largest total");
  app.add_option("--references", a.settings.references,
                 "Folder of reference frames, which --seeds plan keeps; default: OUT/references. A "
                 "full exposure takes 2.5 GB");
  app.add_option("--goldens", a.settings.golden_cases,
                 "cases.json of the plan's goldens; default: the shipped file");
  app.add_option("--thresholds", a.thresholds,
                 "File of the speeds that entries must reach (docs/benchmark.md)");
  app.option_defaults()->group("What to run");
  app.add_option("--only", a.only, "Entries, sweeps or groups of the plan to run, comma-separated")
      ->delimiter(',');
  app.add_option("--repeats", a.repeats,
                 "Exact number of timed runs of each entry; default: from the plan")
      ->check(CLI::Range(1, max_runs));
  app.add_option("--warmups", a.warmups, "Runs before the timed runs; default: from the plan")
      ->check(CLI::Range(0, max_runs));
  app.add_option("--duration", a.duration,
                 "Length of long runs (tier night) in seconds; default: from the plan")
      ->check(CLI::Range(min_seconds, max_seconds));
  app.add_option("--seeds", a.seeds,
                 "Seeds of the inputs. drawn: new for each run. plan: fixed, inputs and reference "
                 "frames are kept to repeat a measurement. Default: plan in the tier ci, "
                 "otherwise drawn")
      ->check(CLI::IsMember({"drawn", "plan"}))
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  app.add_flag("--resume", a.settings.resume, "Resume the run of this plan in OUT");
  CLI::Option* const list =
      app.add_flag("--list", a.list,
                   "Print what would run and what it needs, and exit; without a plan: print "
                   "the shipped plans");
  app.add_flag("--json", a.json, "With --list: print JSON")->needs(list);
  add_self_test(app);
  app.option_defaults()->group("Machine");
  add_launcher(app, a.launcher);
  app.add_option("--launcher-options", a.launcher_options,
                 "More options for the launcher, separated by blanks");
  app.add_option("--nodes", a.settings.launch.nodes, "Nodes of each run")
      ->check(CLI::Range(1, max_nodes))
      ->capture_default_str();
  add_system(app, a.settings.system);
  app.add_flag("--require-gpu", a.settings.require_gpu,
               "Fail if GPUs of an entry are missing, instead of skipping the entry");
  add_loglevel(app, a.loglevel);
  app.option_defaults()->group(usual);
}

void choose_entries(const Arguments& arguments, Plan& plan) {
  if (!arguments.only.empty()) {
    const auto has_name = [](const Entry& entry, const std::string& name) {
      return entry.id == name || (!name.empty() && (entry.group == name || entry.sweep_id == name));
    };
    for (const std::string& name : arguments.only)
      if (std::none_of(plan.entries.begin(), plan.entries.end(),
                       [&](const auto& entry) { return has_name(entry, name); }))
        throw usage_error("--only", name,
                          "an entry, sweep or group of the plan; --list names them");
    std::erase_if(plan.entries, [&](const auto& entry) {
      return std::none_of(arguments.only.begin(), arguments.only.end(),
                          [&](const std::string& name) { return has_name(entry, name); });
    });
  }
  for (Entry& entry : plan.entries) {
    if (arguments.repeats) {
      entry.repeats = arguments.repeats;
      entry.until.reset();
    }
    if (arguments.warmups) entry.warmups = arguments.warmups;
  }
  if (!arguments.duration) return;
  bool has_long_run = false;
  for (Entry& entry : plan.entries) {
    if (!entry.sustain || !entry.sustain->seconds) continue;
    entry.sustain->seconds = arguments.duration;
    has_long_run = true;
  }
  if (!has_long_run)
    throw usage_error("--duration", "with a plan without long runs",
                      "one of the tier night, with 'seconds'");
}

// A machine must reach its sustained speed for the duration of the plan.
void check_duration(const Arguments& arguments, const Plan& plan) {
  if (!arguments.duration) return;
  for (const Entry& entry : plan.entries) {
    const auto found = arguments.settings.thresholds.find(entry.id);
    if (found == arguments.settings.thresholds.end() || !found->second.fpnh_sustained) continue;
    if (entry.sustain->seconds && *arguments.duration < *entry.sustain->seconds)
      throw usage_error(
          "--duration",
          fmt::format("{:g} s, with a threshold of sustained FPNH", *arguments.duration),
          fmt::format("the {:g} s of the plan, or more", *entry.sustain->seconds));
  }
}

std::string list_shipped_plans() {
  std::map<std::string, std::string> plans;
  for (const auto& file : std::filesystem::directory_iterator(shipped_folder() + "/bench/plans"))
    plans[file.path().stem()] = read_plan(file.path()).description;
  std::string text;
  for (const auto& [name, description] : plans)
    text += fmt::format("{:<18} {}\n", name, printable(description));
  return text;
}

int run(Arguments& arguments) {
  set_log_level(arguments.loglevel);
  if (arguments.plan.empty()) {
    if (!arguments.list || arguments.json)
      throw usage_error("plan", "is missing", "a plan; spex-bench --list names the shipped plans");
    fmt::print("{}", list_shipped_plans());
    return flushed(status::done);
  }
  Signals signals;
  Plan plan = read_plan(plan_file(arguments.plan));
  if (arguments.thresholds) {
    if (plan.tier == "ci")
      throw usage_error("--thresholds", "with a plan of the tier ci, which has no FPNH",
                        "a plan of another tier");
    arguments.settings.thresholds =
        read_thresholds(*arguments.thresholds, plan, arguments.settings.system);
    check_duration(arguments, plan);
  }
  choose_entries(arguments, plan);
  arguments.settings.drawn_seeds =
      arguments.seeds.value_or(plan.tier == "ci" ? "plan" : "drawn") == "drawn";
  if (arguments.list) {
    fmt::print("{}", list_plan(plan, arguments.settings, arguments.json));
    return 0;
  }
  if (arguments.settings.out.empty())
    throw usage_error("--out", "is missing", "a folder for the results");
  // Its page and its trace of judgments would no longer fit the results.
  if (std::filesystem::exists(arguments.settings.out + "/acceptance.json"))
    throw usage_error("--out", arguments.settings.out + " holds an acceptance",
                      "spex-bench accept --resume, or another folder");
  fill_folders(arguments.settings);
  arguments.settings.launch.launcher = launcher_of(arguments.launcher, arguments.launcher_options);
  return ended_campaign(run_campaign(plan, arguments.settings, signals));
}

int run_command_line(int argc, char** argv) {
  const std::string command = argc > 1 ? argv[1] : "";
  if (command == "submit") return submit(argc - 1, argv + 1);
  if (command == "check") return check(argc - 1, argv + 1);
  if (command == "rerun") return rerun(argc - 1, argv + 1);
  if (command == "accept") return accept(argc - 1, argv + 1);
  if (command == "schema") return schema(argc - 1, argv + 1);
  if (std::find(argv, argv + argc, std::string("--self-test")) != argv + argc)
    return self_test(argc, argv);
  CLI::App app("Runs a plan of benchmarks, checks every frame, and judges the machine.", program);
  app.set_version_flag("--version", version_text(program));
  app.footer(footer);
  Arguments arguments;
  add_options(app, arguments);
  int status = 0;
  if (!parse_command_line(app, argc, argv, true, status)) return status;
  return run(arguments);
}

}  // namespace
}  // namespace spex::bench

int main(int argc, char** argv) {
  spex::set_up_logging(spex::bench::program);
  return spex::run_guarded(spex::bench::program,
                           [&] { return spex::bench::run_command_line(argc, argv); });
}
