#include <string>

#include <CLI/CLI.hpp>

#include "bench/accept/accept.hpp"
#include "bench/commands.hpp"
#include "reference/core/error.hpp"
#include "reference/programs/program.hpp"

namespace spex::bench {

int accept(int argc, char** argv) {
  CLI::App app(
      "Accepts or rejects a machine: finds its GPUs, runs the plan for them on an exposure of "
      "DESI's files, compares every frame, and compares the speed with a target.",
      "spex-bench accept");
  app.footer(
      "First prints the time and the disk space that the run needs. Ends with ACCEPT or REJECT, "
      "and\n"
      "writes one page, OUT/acceptance.md. Exit status: 0 ACCEPT, otherwise REJECT: 1 something "
      "could\nnot run, 2 bad command line, 3 a frame is wrong, 4 too slow, 5 the machine is "
      "unhealthy, 6 times\nscatter too much to judge.");
  AcceptSettings settings;
  CampaignSettings& campaign = settings.campaign;
  campaign.golden_cases = shipped_golden_cases();
  std::string launcher = "auto", loglevel = "info";
  app.add_option("plan", settings.plan, "Plan; default: the plan for this machine's GPUs");
  app.add_option("-o,--out", campaign.out, "Folder for the results")->required();
  app.add_option("--data", campaign.data,
                 "Folder for inputs and outputs; default: OUT/data. Its file system is part of the "
                 "measurement");
  CLI::Option* const target =
      app.add_option("--target", settings.target,
                     "Time of an exposure of 30 frames (15min, 900s), or FPNH (20000); default: "
                     "asked for on a terminal, otherwise 15min");
  app.add_option("--against", settings.against, "Result file whose FPNH is the target")
      ->excludes(target);
  add_system(app, campaign.system);
  add_launcher(app, launcher);
  app.add_flag("--require-gpu", campaign.require_gpu, "Fail without a GPU");
  app.add_flag("--resume", campaign.resume, "Resume the run in OUT");
  add_loglevel(app, loglevel);
  int status = 0;
  if (!parse_command_line(app, argc, argv, true, status)) return status;
  set_log_level(loglevel);
  fill_folders(campaign);
  campaign.drawn_seeds = true;
  campaign.launch.launcher = launcher_of(launcher, "");
  Signals signals;
  return flushed(run_accept(settings, signals));
}

int self_test(int argc, char** argv) {
  CLI::App app(
      "Tests this installation: runs the golden cases by every method and milestone that can "
      "run here, and the plan ci. Takes minutes on two cores.",
      "spex-bench");
  app.footer(
      "Each line begins with pass, FAIL or skip. Exit status: 0 pass, 1 something could not run, "
      "2 bad\ncommand line, 3 a frame is wrong, 5 the machine is unhealthy.");
  CampaignSettings settings;
  std::string loglevel = "warn";
  add_self_test(app)->required();
  app.add_option("-o,--out", settings.out, "Folder for the results; default: results are removed");
  std::string launcher = "auto";
  add_launcher(app, launcher);
  app.add_flag("--require-gpu", settings.require_gpu, "Fail without a GPU");
  add_loglevel(app, loglevel);
  int status = 0;
  if (!parse_command_line(app, argc, argv, true, status)) return status;
  set_log_level(loglevel);
  Signals signals;
  settings.launch.launcher = launcher_of(launcher, "");
  return flushed(run_self_test(settings, signals));
}

}  // namespace spex::bench
