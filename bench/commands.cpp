#include "bench/commands.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <sstream>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "bench/accept/accept.hpp"
#include "bench/accept/acceptance_files.hpp"
#include "bench/result/check_archive.hpp"
#include "bench/result/result_file.hpp"
#include "reference/cli/program.hpp"
#include "reference/core/error.hpp"
#include "reference/core/exit_status.hpp"

namespace spex::bench {
namespace {

// Prints the check of an archive; returns the exit status.
int print_check(const ArchiveCheck& found) {
  fmt::print("{}", found.text());
  return flushed(found.exit_status());
}

}  // namespace

void add_launcher(CLI::App& app, std::string& launcher) {
  app.add_option("--launcher", launcher,
                 "mpirun, mpiexec, srun, or auto: srun inside a Slurm job that can start this MPI, "
                 "otherwise the MPI's own launcher")
      ->check(CLI::IsMember({"auto", "mpirun", "mpiexec", "srun"}))
      ->capture_default_str();
}

CLI::Option* add_self_test(CLI::App& app) {
  const std::string what =
      "Test this installation with the golden cases and the plan ci (see --self-test --help)";
  return app.add_flag("--self-test", what);
}

Launcher launcher_of(const std::string& name, const std::string& options) {
  Launcher launcher = choose_launcher(name, LauncherSurroundings::here());
  std::istringstream list(options);
  launcher.options = {std::istream_iterator<std::string>(list), {}};
  return launcher;
}

void add_loglevel(CLI::App& app, std::string& level) {
  app.add_option("--loglevel", level, "debug, info, warn or error")->capture_default_str();
}

// The name appears in tables, figures and thresholds.
void add_system(CLI::App& app, std::string& system) {
  const auto wrong = [](const std::string& name) -> std::string {
    const bool plain = name.size() <= 100 && std::all_of(name.begin(), name.end(), [](char c) {
                         return c >= ' ' && c <= '~';
                       });
    return plain ? "" : "cannot be a name in a table (expected a line of at most 100 characters)";
  };
  app.add_option("--system", system, "The machine's name in the results; default: the host's name")
      ->check(wrong);
}

int flushed(int status) {
  if (std::fflush(stdout) != 0)
    throw data_error("stdout", std::strerror(errno), "room for the table");
  return status;
}

int ended_campaign(int status) {
  static_cast<void>(flushed(status));
  if (Signals::interrupted())
    spdlog::error("interrupted; the same command with --resume continues the run");
  return status;
}

int submit(int argc, char** argv) {
  CLI::App app(
      "Packs the results of a plan, with logs, plan and system, into one archive, and prints "
      "the result of `spex-bench check`.",
      "spex-bench submit");
  std::string out, archive, description;
  app.add_option("out", out, "Folder of results (--out of spex-bench)")->required();
  app.add_option("-a,--archive", archive, "Archive to write, a .tar.gz")->required();
  app.add_option("--description", description,
                 "Text file about the system: BIOS, NUMA, interconnect, storage, what was changed");
  int status = 0;
  if (!parse_command_line(app, argc, argv, true, status)) return status;
  const Files files = collect_archive(out, description);
  write_archive(archive, files);
  fmt::print("wrote {}, {} files\n", archive, files.size());
  return print_check(check_archive(files));
}

int check(int argc, char** argv) {
  CLI::App app(
      "Prints whether the numbers of an archive of `spex-bench submit` follow from its records, "
      "and which results are complete, or why not. It finds mistakes; `spex-bench rerun` "
      "detects edited records. Nothing is unpacked.",
      "spex-bench check");
  app.footer(
      "Exit status: 0 an entry is complete, 1 a file is missing or is not an archive, 2 bad "
      "command "
      "line,\n3 inconsistent, 6 no entry is complete.");
  std::string archive;
  app.add_option("archive", archive, "The archive")->required();
  int status = 0;
  if (!parse_command_line(app, argc, argv, true, status)) return status;
  return print_check(check_archive(read_archive(archive)));
}

int rerun(int argc, char** argv) {
  CLI::App app(
      "Builds the commit of an archive, runs its plan on this machine with other seeds, and prints "
      "whether the archive's times agree with the new ones.",
      "spex-bench rerun");
  app.footer(
      "Options after -- are passed to spex-bench: --data, --launcher, --system, ...\n"
      "Exit status: 0 all agree, 1 something could not run, 2 bad command line, 3 a "
      "frame is wrong,\n4 the archive is faster than the rerun, 6 it is slower, or there are too "
      "few "
      "runs.");
  RerunSettings settings;
  app.add_option("archive", settings.archive, "The archive")->required();
  app.add_option("-o,--out", settings.out, "Folder for the build and the new results")->required();
  CLI::Option* const source =
      app.add_option("--source", settings.source, "Clone that contains the archive's commit")
          ->capture_default_str();
  app.add_option("--programs", settings.programs,
                 "Folder of programs already built from that commit")
      ->excludes(source);
  app.add_option("options", settings.bench_options, "More options for spex-bench");
  int status = 0;
  if (!parse_command_line(app, argc, argv, true, status)) return status;
  Signals signals;
  return flushed(rerun_archive(settings, signals));
}

int accept(int argc, char** argv) {
  CLI::App app(
      "Accepts or rejects a machine: finds its GPUs, runs the plan for them on an exposure of "
      "DESI's files, compares every frame, and compares the speed with a target.",
      "spex-bench accept");
  app.footer(
      "First prints the time and the disk space that the run needs. The last line is ACCEPT, "
      "REJECT "
      "or\nREPEAT, with the number that decides; OUT/acceptance.md, .json, .csv and .xml say why. "
      "With --resume\nand a complete run, judges it again; the judgments before are kept.\n"
      "Exit status: 0 ACCEPT; REJECT: 3 a frame is wrong, 4 too slow, 5 the machine is unhealthy; "
      "REPEAT:\n1 something could not run, 6 times scatter too much to judge; 2 bad command line.");
  AcceptSettings settings;
  CampaignSettings& campaign = settings.campaign;
  std::string launcher = "auto", loglevel = "info";
  app.add_option("plan", settings.plan, "Plan; default: the plan for this machine's GPUs");
  app.add_option("-o,--out", campaign.out, "Folder for the results");
  app.add_option("--data", campaign.data,
                 "Folder for inputs and outputs; default: OUT/data. Its file system is part of the "
                 "measurement");
  CLI::Option* const target =
      app.add_option("--target", settings.target,
                     "Time of an exposure of 30 frames (15min, 900s), or FPNH (20000FPNH); "
                     "default: asked for on a terminal, otherwise the shipped peer of this "
                     "hardware, or 15min");
  app.add_option("--against", settings.against,
                 "A shipped peer (h100), a result file, or a folder of results of the same plan, "
                 "whose speeds are the target")
      ->excludes(target);
  constexpr int max_runs = 1000;
  app.add_option("--repeats", settings.repeats,
                 "Timed runs of each entry that is no long run; default: the plan's, and more "
                 "until the interval is narrow")
      ->check(CLI::Range(1, max_runs));
  app.add_flag("--list", settings.list, "Print what would run and what it needs, and exit");
  add_system(app, campaign.system);
  add_launcher(app, launcher);
  app.add_flag("--require-gpu", campaign.require_gpu, "Fail without a GPU");
  app.add_flag("--resume", campaign.resume, "Resume the run in OUT");
  add_loglevel(app, loglevel);
  int status = 0;
  if (!parse_command_line(app, argc, argv, true, status)) return status;
  set_log_level(loglevel);
  if (campaign.out.empty() && !settings.list)
    throw usage_error("--out", "is missing", "a folder for the results");
  fill_folders(campaign);
  campaign.drawn_seeds = true;
  campaign.launch.launcher = launcher_of(launcher, "");
  Signals signals;
  return ended_campaign(run_accept(settings, signals));
}

int schema(int argc, char** argv) {
  CLI::App app("Prints the JSON schema of a file of spex-bench.", "spex-bench schema");
  std::string file;
  app.add_option("file", file, "result: OUT/ENTRY.json; acceptance: OUT/acceptance.json")
      ->required()
      ->check(CLI::IsMember({"result", "acceptance"}));
  int status = 0;
  if (!parse_command_line(app, argc, argv, true, status)) return status;
  fmt::print("{}", file == "result" ? result_schema() : acceptance_schema());
  return flushed(status::done);
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
