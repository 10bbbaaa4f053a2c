#include "bench/check/golden_gate.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "bench/check/outputs.hpp"
#include "bench/result/file_hash.hpp"
#include "bench/run/command.hpp"
#include "golden/golden_cases.hpp"
#include "reference/compare/frame_file.hpp"
#include "reference/io/read_preproc.hpp"
#include "reference/io/read_psf.hpp"

namespace spex::bench {
namespace {

namespace fs = std::filesystem;
constexpr double limit_s = 1800;

}  // namespace

GoldenRecord run_golden(const std::string& cases, const std::string& name,
                        const std::vector<std::string>& extractor, const std::string& folder,
                        Signals& signals) {
  const golden::GoldenCase golden = golden::read_golden_case(cases, name);
  // Read the case's files first: if they are missing or damaged, the extractor is not at fault.
  static_cast<void>(read_psf(golden.psf));
  static_cast<void>(read_preproc(golden.preproc));
  static_cast<void>(read_frame(golden.frame));
  GoldenRecord record{name, hash_file(golden.frame).value_or(""), {}, {}};
  const std::string output = fs::path(folder) / ("golden-" + name + ".fits");
  fs::remove(output);
  Command command{.argv = extractor,
                  .environment = launch_environment(),
                  .log = fs::path(folder) / "golden.log",
                  .time_limit_s = limit_s};
  command.argv.insert(command.argv.end(), {"--loglevel", "warn"});
  const std::vector<std::string> options = golden.extract_to(output);
  command.argv.insert(command.argv.end(), options.begin(), options.end());
  const CommandResult result = run_command(command, signals);
  std::string failure;
  if (result.status != 0)
    failure = end_of(result, command.log);
  else if (result.left_behind > 0)
    failure = fmt::format("left {} process(es) behind", result.left_behind);
  else if (const std::string wrong = output_fault(output, folder); !wrong.empty())
    failure = "the output " + wrong;
  else
    failure = compare_files(output, golden.frame, golden.tolerance, record.checks);
  fs::remove(output);
  if (!failure.empty()) record.failure = failure;
  return record;
}

}  // namespace spex::bench
