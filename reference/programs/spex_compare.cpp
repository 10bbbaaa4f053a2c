// spex-compare: compares a frame with another frame or with the simulated truth.

#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "reference/cli/program.hpp"
#include "reference/compare/report.hpp"
#include "reference/compare/whole_file.hpp"
#include "reference/core/error.hpp"
#include "reference/core/exit_status.hpp"
#include "reference/core/version.hpp"
#include "reference/fits/same_file.hpp"
#include "reference/fits/write/atomic_write.hpp"

namespace {

constexpr const char* program = "spex-compare";

constexpr const char* footer =
    "Examples:\n"
    "  spex-compare frame.fits other-frame.fits\n"
    "  spex-compare frame.fits golden/tiny-b/frame-tiny-b.fits --tolerance "
    "golden/cases.json:tiny-b\n"
    "  spex-compare frame.fits --truth truth.fits --json report.json\n"
    "\n"
    "Exit status: 0 equal within the tolerance, 3 not, 1 a file cannot be compared, 2 the command "
    "line is wrong.";

struct Arguments {
  std::string result;
  std::string expected;
  std::string tolerance = "production";
  std::string truth;
  std::string json;
  std::string label;
  bool whole = false;
};

void add_options(CLI::App& app, Arguments& arguments) {
  app.add_option("result", arguments.result, "frame under test")->required();
  app.add_option("expected", arguments.expected, "expected frame, such as a golden");
  app.add_option("--tolerance", arguments.tolerance,
                 "production, masked, unpadded, identical, or FILE.json:CASE (a golden case)")
      ->capture_default_str();
  app.add_flag(
      "--whole", arguments.whole,
      "also compare headers, checksums, SCORES and FIBERMAP, like spex-bench; only for frames "
      "of this project");
  app.add_option("--truth", arguments.truth, "truth file of spex-sim --on-grid");
  app.add_option("--json", arguments.json, "write the report as JSON to this file");
  app.add_option("--label", arguments.label, "name of the comparison in the report");
}

int compare(const Arguments& arguments) {
  if (arguments.expected.empty() && arguments.truth.empty())
    throw spex::usage_error("", "nothing to compare with", "a second frame, or --truth");
  if (!arguments.json.empty()) {
    const std::string& tolerance = arguments.tolerance;
    spex::refuse_overwriting({arguments.json},
                             {arguments.result, arguments.expected, arguments.truth,
                              tolerance.substr(0, tolerance.rfind(':'))});
    spex::check_writable(arguments.json);
  }
  const spex::Tolerance tolerance = spex::read_tolerance(arguments.tolerance);

  spex::CompareReport report;
  report.label = arguments.label;
  report.result = arguments.result;
  report.expected = arguments.expected;
  const spex::FrameFile result = spex::read_frame(arguments.result);
  if (!arguments.expected.empty()) {
    const spex::FrameFile expected = spex::read_frame(arguments.expected);
    report.comparison = spex::compare_frames(result, expected, tolerance);
    if (arguments.whole)
      for (const spex::Check& check : spex::compare_whole_file(result, &expected, ""))
        report.comparison->checks.push_back(check);
  } else if (arguments.whole) {
    throw spex::usage_error("--whole", "compares with another frame", "a second frame");
  }
  if (!arguments.truth.empty())
    report.truth = spex::check_truth(result, spex::read_truth(arguments.truth));

  fmt::print("{}", spex::to_table(report));
  if (!arguments.json.empty()) {
    const std::string text = spex::to_json(report);
    spex::atomic_write(arguments.json, {text.begin(), text.end()});
  }
  return report.ok() ? spex::status::done : spex::status::incorrect;
}

}  // namespace

int main(int argc, char** argv) {
  spex::set_up_logging(program);
  return spex::run_guarded(program, [&] {
    CLI::App app("Compares a frame with another frame, or with the simulated truth.", program);
    app.set_version_flag("--version", spex::version_text(program));
    app.footer(footer);
    Arguments arguments;
    add_options(app, arguments);
    int status = 0;
    if (!spex::parse_command_line(app, argc, argv, true, status)) return status;
    return compare(arguments);
  });
}
