#include "bench/correctness/golden_gate.hpp"

#include <filesystem>
#include <optional>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "bench/correctness/file_hash.hpp"
#include "bench/correctness/golden_turn.hpp"
#include "bench/correctness/run_claims.hpp"
#include "bench/correctness/validation.hpp"
#include "bench/measure/run_observer.hpp"
#include "golden/golden_cases.hpp"
#include "reference/compare/frame_file.hpp"
#include "reference/core/error.hpp"
#include "reference/io/read_preproc.hpp"
#include "reference/io/read_psf.hpp"

namespace spex::bench {
namespace {

namespace fs = std::filesystem;
constexpr double limit_s = 1800;
constexpr int most_tries = 3;

}  // namespace

std::vector<std::string> golden_extractor(const Entry& entry, const Programs& programs) {
  return {entry.on_gpu() ? programs.spex_gpu : programs.spex_cpu, "--milestone",
          to_string(entry.milestone)};
}

nlohmann::ordered_json run_golden(const std::string& cases, const std::string& name,
                                  const std::vector<std::string>& extractor,
                                  const std::string& folder, Signals& signals,
                                  const ClosedFiles& closed) {
  const GoldenTurn turn(cases);
  const golden::GoldenCase golden = golden::read_golden_case(cases, name);
  // What is missing or damaged here is no fault of the program's.
  static_cast<void>(read_psf(golden.psf));
  static_cast<void>(read_preproc(golden.preproc));
  static_cast<void>(read_frame(golden.frame));
  const std::optional<std::string> hash = hash_file(golden.frame);
  if (!hash) throw data_error(golden.frame, "cannot be read", "a golden frame");
  const std::string output = fs::path(folder) / ("golden-" + name + ".fits");
  Command command;
  command.argv = extractor;
  command.argv.insert(command.argv.end(), {"--loglevel", "warn"});
  const std::vector<std::string> options = golden.extract_to(output);
  command.argv.insert(command.argv.end(), options.begin(), options.end());
  command.environment = launch_environment();
  command.log = fs::path(folder) / "golden.log";
  command.time_limit_s = limit_s;
  CommandResult result;
  // What is not in its place cannot be watched.
  std::string touched = answer_touched("", closed.moved());
  for (int left = touched.empty() ? most_tries : 0; left > 0; --left) {
    fs::remove(output);
    OpeningWatch answers(closed.paths), golden_frame({golden.frame});
    result = run_command(command, signals);
    const std::optional<Opening> opened = answers.stop(), looked_at = golden_frame.stop();
    if (!answers.watches() || !golden_frame.watches())
      throw Error(ErrorKind::internal, "inotify", "the golden frames cannot be watched",
                  blind_expected);
    touched = answer_touched(opened ? opened->path : "", closed.moved());
    if (!touched.empty() || !looked_at || result.interrupted) break;
    touched = answer_touched(golden.frame, "");
    spdlog::warn("{}: was opened meanwhile, by whom is not known", golden.frame);
  }

  auto checks = nlohmann::ordered_json::array();
  std::string failure;
  if (!touched.empty())
    failure = touched;  // however it ended: what it has seen helps later runs
  else if (result.status != 0)
    failure = end_of(result, command.log);
  else if (result.was_stopped)
    failure = "spex-bench was stopped meanwhile, and did not see what was done";
  else if (result.left_behind > 0)
    failure = fmt::format("left {} process(es) behind", result.left_behind);
  else if (fs::symlink_status(output).type() != fs::file_type::regular)
    failure = "wrote no file";
  else
    failure = compare_files(output, golden.frame, golden.tolerance, checks);
  if (failure.empty() && hash_file(golden.frame) != hash)
    failure = golden.frame + " was changed meanwhile";
  fs::remove(output);
  return {{"name", name},
          {"bytes", fs::file_size(golden.frame)},
          {"sha256", *hash},
          {"pass", failure.empty()},
          {"failure", failure.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(failure)},
          {"checks", checks}};
}

}  // namespace spex::bench
