// spex-compare: compares a frame with another frame, with the simulated truth, or many frames with
// those of DESI's pipeline.

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "reference/cli/program.hpp"
#include "reference/compare/production/frame_pairs.hpp"
#include "reference/compare/production/production_report.hpp"
#include "reference/compare/report.hpp"
#include "reference/compare/whole_file.hpp"
#include "reference/core/error.hpp"
#include "reference/core/exit_status.hpp"
#include "reference/core/parallel.hpp"
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
    "  spex-compare --production redux/loa/exposures/20260616 redux/mine/exposures/20260616\n"
    "\n"
    "Exit status: 0 equal within the tolerance (with --production: or different as expected), 3 "
    "not, "
    "1 a file cannot be compared, 2 the command line is wrong, 7 missing frames were skipped.";

struct Arguments {
  std::string result;
  std::string expected;
  std::vector<std::string> others;  // more frames, with --production
  std::string production;
  std::string tolerance = "production";
  std::string truth;
  std::string json;
  std::string label;
  bool whole = false;
  bool no_checksums = false;
  bool skip_missing = false;
  int threads = 0;
};

void add_options(CLI::App& app, Arguments& arguments) {
  app.add_option("result", arguments.result, "frame under test; with --production also a folder")
      ->required();
  app.add_option(
      "expected", arguments.expected,
      "expected frame, such as a golden; with --production more frames or folders of ours");
  app.add_option("others", arguments.others, "with --production: more frames or folders of ours");
  app.add_option("--production", arguments.production,
                 "folder of an exposure or a night of DESI's pipeline: compares its frames with "
                 "ours, and says why they differ");
  app.add_flag("--skip-missing", arguments.skip_missing,
               "with --production: frames without a counterpart are no failure");
  app.add_option("--threads", arguments.threads,
                 "with --production: frames at a time, 1 GB each; default: at most 4")
      ->check(CLI::Range(1, 1024));
  app.add_option("--tolerance", arguments.tolerance,
                 "production, masked, unpadded, identical, or FILE.json:CASE (a golden case)")
      ->capture_default_str();
  app.add_flag(
      "--whole", arguments.whole,
      "also compare headers, checksums, SCORES and FIBERMAP, like spex-bench; only for frames "
      "of this project");
  app.add_option("--truth", arguments.truth, "truth file of spex-sim --on-grid");
  app.add_flag("--no-checksums", arguments.no_checksums,
               "read frames although their DATASUM or CHECKSUM is wrong");
  app.add_option("--json", arguments.json, "write the report as JSON to this file");
  app.add_option("--label", arguments.label, "name of the comparison in the report");
}

// Prints the table, and writes the JSON if asked for.
void write_report(const Arguments& arguments, const std::string& table, const std::string& json) {
  fmt::print("{}", table);
  if (!arguments.json.empty()) spex::atomic_write(arguments.json, {json.begin(), json.end()});
}

int compare_production(const Arguments& arguments) {
  for (const auto& [option, is_given] :
       {std::pair{"--truth", !arguments.truth.empty()}, std::pair{"--whole", arguments.whole}})
    if (is_given) throw spex::usage_error(option, "does not go with --production", "one of them");
  spex::ProductionReport report;
  report.label = arguments.label;
  report.production = arguments.production;
  report.skip_missing = arguments.skip_missing;
  report.ours = arguments.others;
  if (!arguments.expected.empty()) report.ours.insert(report.ours.begin(), arguments.expected);
  report.ours.insert(report.ours.begin(), arguments.result);
  report.tolerance = spex::read_tolerance(arguments.tolerance);
  if (report.tolerance.identical || report.tolerance.golden)
    throw spex::usage_error("--tolerance", report.tolerance.name + " does not go with --production",
                            "production, masked or unpadded");
  // Production loses digits near bins without light, whatever the padding.
  if (!report.tolerance.near_dark)
    report.tolerance.near_dark = spex::read_tolerance("masked").near_dark;
  const std::vector<spex::ProductionPair> pairs =
      spex::pair_frames(arguments.production, report.ours);
  if (!arguments.json.empty()) {
    std::vector<std::string> inputs;
    for (const spex::ProductionPair& pair : pairs)
      for (const std::string& path : {pair.ours, pair.production})
        if (!path.empty()) inputs.push_back(path);
    spex::refuse_overwriting({arguments.json}, inputs);
    spex::check_writable(arguments.json);
  }
  constexpr int frames_at_a_time = 4;
  const int threads = arguments.threads > 0 ? arguments.threads
                                            : std::min(frames_at_a_time, spex::default_threads());
  report.frames.resize(pairs.size());
  spex::parallel_for(threads, static_cast<int>(pairs.size()), [&](int /*thread*/, int index) {
    const auto k = static_cast<std::size_t>(index);
    report.frames[k] = spex::compare_pair(pairs[k], report.tolerance);
  });
  write_report(arguments, spex::to_table(report), spex::to_json(report));
  for (const spex::PairReport& frame : report.frames)
    if (!frame.error.empty()) fmt::print(stderr, "{}: {}\n", program, frame.error);
  return report.status();
}

int compare(const Arguments& arguments) {
  if (!arguments.production.empty()) return compare_production(arguments);
  if (!arguments.others.empty())
    throw spex::usage_error(arguments.others.front(), "is a third frame",
                            "one or two frames, or --production");
  for (const auto& [option, is_given] : {std::pair{"--skip-missing", arguments.skip_missing},
                                         std::pair{"--threads", arguments.threads > 0}})
    if (is_given) throw spex::usage_error(option, "needs --production", "--production FOLDER");
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
  const spex::FrameFile result = spex::read_frame(arguments.result, !arguments.no_checksums);
  if (!arguments.expected.empty()) {
    const spex::FrameFile expected = spex::read_frame(arguments.expected, !arguments.no_checksums);
    report.comparison = spex::compare_frames(result, expected, tolerance);
    if (arguments.whole)
      for (const spex::Check& check : spex::compare_whole_file(result, &expected, ""))
        report.comparison->checks.push_back(check);
  } else if (arguments.whole) {
    throw spex::usage_error("--whole", "compares with another frame", "a second frame");
  }
  if (!arguments.truth.empty())
    report.truth =
        spex::check_truth(result, spex::read_truth(arguments.truth, !arguments.no_checksums));

  write_report(arguments, spex::to_table(report), spex::to_json(report));
  return report.ok() ? spex::status::done : spex::status::incorrect;
}

}  // namespace

int main(int argc, char** argv) {
  spex::set_up_program(program);
  return spex::run_guarded(program, [&] {
    CLI::App app(
        "Compares a frame with another frame, with the simulated truth, or with DESI's pipeline.",
        program);
    app.set_version_flag("--version", spex::version_text(program));
    app.footer(footer);
    Arguments arguments;
    add_options(app, arguments);
    int status = 0;
    if (!spex::parse_command_line(app, argc, argv, true, status)) return status;
    return compare(arguments);
  });
}
