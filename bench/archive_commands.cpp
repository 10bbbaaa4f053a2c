#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "bench/commands.hpp"
#include "bench/result/check_archive.hpp"
#include "bench/run/signals.hpp"
#include "reference/core/error.hpp"
#include "reference/programs/program.hpp"

namespace spex::bench {
namespace {

namespace fs = std::filesystem;

// What is found of an archive, on stdout; the exit status.
int say(const ArchiveCheck& found) {
  fmt::print("{}", found.text());
  return flushed(found.exit_status());
}

std::string text_of_description(const std::string& path) {
  constexpr std::uintmax_t most_bytes = 1 << 20;
  std::error_code error;
  std::ifstream in(path, std::ios::binary);
  if (!in || !fs::is_regular_file(path, error) || fs::file_size(path, error) > most_bytes || error)
    throw usage_error("--description", path + " cannot be read",
                      "a text file of a megabyte at most");
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

int submit(int argc, char** argv) {
  CLI::App app(
      "Packs the results of a plan, with logs, plan and system, into one archive, and says "
      "what `spex-bench check` will say of it.",
      "spex-bench submit");
  std::string out, archive, description;
  app.add_option("out", out, "Folder of results (--out of spex-bench)")->required();
  app.add_option("-a,--archive", archive, "Archive to write, a .tar.gz")->required();
  app.add_option("--description", description,
                 "Text file about the system: BIOS, NUMA, interconnect, storage, what was changed");
  int status = 0;
  if (!parse_command_line(app, argc, argv, true, status)) return status;
  const std::string text = description.empty() ? "" : text_of_description(description);
  const Files files = collect_archive(out, text);
  write_archive(archive, files);
  fmt::print("wrote {}, {} files\n", archive, files.size());
  return say(check_archive(files));
}

int check(int argc, char** argv) {
  CLI::App app(
      "Says whether the numbers of an archive of `spex-bench submit` follow from its records, "
      "and which results are complete, and why not. It finds mistakes; `spex-bench rerun` finds "
      "what was made up. Nothing is unpacked.",
      "spex-bench check");
  app.footer(
      "Exit status: 0 an entry is complete, 1 a file is missing or is not an archive, 2 bad "
      "command "
      "line,\n3 inconsistent, 6 no entry is complete.");
  std::string archive;
  app.add_option("archive", archive, "The archive")->required();
  int status = 0;
  if (!parse_command_line(app, argc, argv, true, status)) return status;
  return say(check_archive(read_archive(archive)));
}

int rerun(int argc, char** argv) {
  CLI::App app(
      "Builds the commit of an archive, runs its plan on this machine with other seeds, and says "
      "whether the archive's times agree with the new ones.",
      "spex-bench rerun");
  app.footer(
      "Words after -- are given to spex-bench: --data, --launcher, --system, ...\n"
      "Exit status: 0 all agree, 1 something could not be run, 2 the command line is wrong, 3 a "
      "frame is wrong,\n4 the archive claims more than the rerun, 6 it claims less, or too few "
      "runs to say.");
  RerunSettings settings;
  app.add_option("archive", settings.archive, "The archive")->required();
  app.add_option("-o,--out", settings.out, "Folder for the build and the new results")->required();
  CLI::Option* const source =
      app.add_option("--source", settings.source, "Clone that contains the archive's commit")
          ->capture_default_str();
  app.add_option("--programs", settings.programs,
                 "Folder of programs already built from that commit")
      ->excludes(source);
  app.add_option("words", settings.words, "More options for spex-bench");
  int status = 0;
  if (!parse_command_line(app, argc, argv, true, status)) return status;
  Signals signals;
  return flushed(rerun_archive(settings, signals));
}

}  // namespace spex::bench
