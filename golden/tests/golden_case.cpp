// golden_case: runs one case of a cases.json through an extractor and compares the frame with the
// golden one. What ctest runs for golden.*.

#include <filesystem>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "golden/golden_cases.hpp"
#include "reference/cli/program.hpp"
#include "reference/core/exit_status.hpp"
#include "reference/tests/support/process.hpp"

namespace {

namespace fs = std::filesystem;

constexpr const char* program = "golden_case";

struct Arguments {
  std::string cases;
  std::string name;
  std::string compare;
  std::string work;
  bool optional = false;
  bool refused = false;
  std::vector<std::string> extractor;
};

int run(const std::vector<std::string>& command) {
  fmt::print("{}\n", fmt::join(command, " "));
  std::fflush(stdout);
  return spex::test::run(command);
}

int run_case(const Arguments& arguments) {
  if (arguments.optional && !fs::exists(arguments.cases)) {
    fmt::print("skipped: {} does not exist; golden/README.md says where its cases come from\n",
               arguments.cases);
    return spex::status::skipped;
  }
  const spex::golden::GoldenCase golden =
      spex::golden::read_golden_case(arguments.cases, arguments.name);
  fs::create_directories(arguments.work);
  const std::string output = fs::path(arguments.work) / (arguments.name + ".fits");
  fs::remove(output);  // an old frame must not stand in for one that was not written
  std::vector<std::string> command = arguments.extractor;
  const std::vector<std::string> options = golden.extract_to(output);
  command.insert(command.end(), options.begin(), options.end());
  const int extracted = run(command);
  if (arguments.refused && extracted != spex::status::skipped) {
    const bool refused = extracted == spex::status::usage;
    fmt::print("{}\n", refused ? "refused, as it should be" : "not refused (expected status 2)");
    return refused ? spex::status::done : spex::status::failed;
  }
  if (extracted != 0) return extracted;

  const int status =
      run({arguments.compare, output, golden.frame, "--tolerance", golden.tolerance});
  fs::remove(output);
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  return spex::run_guarded(program, [&] {
    CLI::App app("Extracts a golden case and compares it with its golden frame.", program);
    Arguments arguments;
    app.add_option("--cases", arguments.cases, "cases.json")->required();
    app.add_option("--case", arguments.name, "Name of the case")->required();
    app.add_option("--compare", arguments.compare, "spex-compare")->required();
    app.add_option("--work", arguments.work, "Folder for the frame, which is removed afterwards")
        ->required();
    app.add_flag("--optional", arguments.optional,
                 "Exit with status 77 where the file of cases does not exist");
    app.add_flag("--refused", arguments.refused, "The extractor must end with a usage error");
    app.add_option("extractor", arguments.extractor,
                   "After --: the extractor and its own options, e.g. spex-cpu --method eigh")
        ->required();
    int status = 0;
    if (!spex::parse_command_line(app, argc, argv, true, status)) return status;
    return run_case(arguments);
  });
}
