// golden_case: runs one case of a cases.json through an extractor and compares the frame with the
// golden one. What ctest runs for golden.*.

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "reference/core/error.hpp"
#include "reference/programs/program.hpp"
#include "reference/tests/support/process.hpp"

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* program = "golden_case";
constexpr int skipped = 77;  // ctest's SKIP_RETURN_CODE

struct Arguments {
  std::string cases;
  std::string name;
  std::string compare;
  std::string work;
  bool optional = false;
  std::vector<std::string> extractor;
};

json read_cases(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw spex::data_error(path, "cannot be read", "a file of golden cases");
  try {
    return json::parse(in);
  } catch (const json::exception& error) {
    throw spex::data_error(path, error.what(), "JSON");
  }
}

// A number as the file writes it, so that the extractor parses the same digits.
std::string text(const json& value) {
  return value.dump();
}

// The case's parameters as the options of an extractor. A parameter that is null is left out.
std::vector<std::string> extract_options(const json& c, const json& image, const fs::path& folder,
                                         const std::string& output) {
  std::vector<std::string> options{
      "--input",
      folder / image.at("preproc").get<std::string>(),
      "--psf",
      folder / image.at("psf").get<std::string>(),
      "--output",
      output,
      "--full-precision",
      "--mask-bits",
      "all",
      "--wavelength",
      text(c.at("wmin")) + "," + text(c.at("wmax")) + "," + text(c.at("dw")),
  };
  const auto add = [&](const char* option, const char* key) {
    if (!c.at(key).is_null()) options.insert(options.end(), {option, text(c.at(key))});
  };
  add("--specmin", "specmin");
  add("--nspec", "nspec");
  add("--bundlesize", "bundlesize");
  add("--nsubbundles", "nsubbundles");
  add("--nwavestep", "nwavestep");
  add("--wavepad", "wavepad");
  add("--pixpad-frac", "pixpad_frac");
  add("--wavepad-frac", "wavepad_frac");
  add("--regularize", "regularize");
  add("--psferr", "psferr");
  return options;
}

int run(const std::vector<std::string>& command) {
  fmt::print("{}\n", fmt::join(command, " "));
  std::fflush(stdout);
  return spex::test::run(command);
}

int run_case(const Arguments& arguments) {
  if (arguments.optional && !fs::exists(arguments.cases)) {
    fmt::print("skipped: {} does not exist; golden/README.md says where its cases come from\n",
               arguments.cases);
    return skipped;
  }
  const json all = read_cases(arguments.cases);
  try {
    const json& c = all.at("cases").at(arguments.name);
    const json& image = all.at("images").at(c.at("image").get<std::string>());
    const fs::path folder = fs::path(arguments.cases).parent_path();

    fs::create_directories(arguments.work);
    const std::string output = fs::path(arguments.work) / (arguments.name + ".fits");
    fs::remove(output);  // an old frame must not stand in for one that was not written
    std::vector<std::string> command = arguments.extractor;
    const std::vector<std::string> options = extract_options(c, image, folder, output);
    command.insert(command.end(), options.begin(), options.end());
    if (const int status = run(command); status != 0) return status;

    const int status = run({arguments.compare, output, folder / c.at("frame").get<std::string>(),
                            "--tolerance", arguments.cases + ":" + arguments.name});
    fs::remove(output);
    return status;
  } catch (const json::exception& error) {
    throw spex::data_error(arguments.cases, arguments.name + ": " + error.what(),
                           "a case as golden/README.md describes it");
  }
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
    app.add_option("extractor", arguments.extractor,
                   "After --: the extractor and its own options, e.g. spex-cpu --method eigh")
        ->required();
    int status = 0;
    if (!spex::parse_command_line(app, argc, argv, true, status)) return status;
    return run_case(arguments);
  });
}
