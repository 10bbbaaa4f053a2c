#include "reference/compare/production/production_report.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "reference/core/exit_status.hpp"

namespace spex {
namespace {

constexpr std::size_t max_lines = 40;  // of differences that are not expected

std::string frame_line(const PairReport& frame) {
  std::string line = fmt::format("{:<13}", frame.files.name());
  if (!frame.is_pair())
    return line + fmt::format("missing in {}: only {}\n",
                              frame.files.ours.empty() ? "ours" : "production",
                              frame.files.ours.empty() ? frame.files.production : frame.files.ours);
  if (!frame.error.empty()) return line + "FAIL  " + frame.error + "\n";
  if (!frame.spectra) return line + "FAIL  spectra of other shapes\n";
  const SpectraComparison& spectra = *frame.spectra;
  line += fmt::format("{:>9}", spectra.compared);
  for (const Agreement& one : spectra.agreements) line += fmt::format("{:>10.2g}", one.largest);
  const Agreement& flux = spectra.agreements.front();
  line += fmt::format("{:>10.2g}", flux.rms);
  const auto bad = std::ranges::count_if(frame.differences,
                                         [](const Difference& one) { return !one.expected(); });
  return line + (bad == 0 ? "  ok\n" : fmt::format("  FAIL {}\n", bad));
}

// Numbers of a difference that many frames share.
struct Row {
  long long frames = 0, count = 0;
  double largest = 0;
  std::string first;
};

std::string expected_lines(const ProductionReport& report) {
  std::map<std::tuple<Reason, std::string, std::string>, Row> rows;
  for (const PairReport& frame : report.frames)
    for (const Difference& one : frame.differences) {
      if (!one.expected()) continue;
      // Keywords that say how a frame was made are one row.
      const bool keywords = one.reason == Reason::made_by;
      Row& row = rows[{one.reason, keywords ? "" : one.hdu, keywords ? "keywords" : one.what}];
      ++row.frames;
      row.count += one.count;
      if (!(one.largest <= row.largest)) row.largest = one.largest;
      if (row.first.empty()) row.first = frame.files.name();
    }
  std::string text;
  for (const auto& [key, row] : rows) {
    const auto& [reason, hdu, what] = key;
    text +=
        fmt::format("{:<11} {:<34}{:>10}  {:>8}  {}\n", hdu, what, row.count,
                    row.largest > 0 ? fmt::format("{:.2g}", row.largest) : "", sentence_of(reason));
  }
  return text;
}

std::string unexpected_lines(const ProductionReport& report, long long& total) {
  std::string text;
  std::size_t lines = 0;
  for (const PairReport& frame : report.frames) {
    for (const Difference& one : frame.differences) {
      if (one.expected()) continue;
      ++total;
      if (++lines <= max_lines) text += frame.files.name() + " " + to_string(one) + "\n";
    }
    for (const std::string& hint : frame.looks_like)
      if (lines <= max_lines) text += frame.files.name() + "   looks like: " + hint + "\n";
  }
  if (lines > max_lines) text += fmt::format("and {} more (--json lists all)\n", lines - max_lines);
  return text;
}

// The first failure, for the last line.
std::string first_failure(const ProductionReport& report) {
  for (const PairReport& frame : report.frames) {
    if (frame.ok() || (!frame.is_pair() && report.skip_missing)) continue;
    if (!frame.is_pair())
      return fmt::format("{} is missing in {}", frame.files.name(),
                         frame.files.ours.empty() ? "ours" : "production");
    if (!frame.error.empty()) return frame.error;
    return frame.files.name() + ": " + to_string(frame.differences.front());
  }
  return "no frame is in both";
}

}  // namespace

long long ProductionReport::pairs() const {
  return std::ranges::count_if(frames, [](const PairReport& one) { return one.is_pair(); });
}

bool ProductionReport::has_errors() const {
  return std::ranges::any_of(frames, [](const PairReport& one) { return !one.error.empty(); });
}

bool ProductionReport::ok() const {
  return pairs() > 0 && std::ranges::all_of(frames, [&](const PairReport& one) {
           return one.ok() || (!one.is_pair() && skip_missing);
         });
}

int ProductionReport::status() const {
  if (has_errors()) return spex::status::failed;
  if (!ok()) return spex::status::incorrect;
  const auto compared = static_cast<std::size_t>(pairs());
  return compared < frames.size() ? spex::status::incomplete : spex::status::done;
}

std::string to_table(const ProductionReport& report) {
  std::string text = report.label.empty() ? "" : report.label + "\n";
  text += fmt::format("{:<13}{:>9}{:>10}{:>10}{:>10}{:>10}{:>10}\n", "frame", "bins", "flux pull",
                      "ivar", "R", "chi2pix", "rms pull");
  for (const PairReport& frame : report.frames) text += frame_line(frame);
  if (const std::string expected = expected_lines(report); !expected.empty())
    text += fmt::format("\n{:<11} {:<34}{:>10}  {:>8}  {}\n{}", "expected", "", "values", "largest",
                        "why", expected);
  long long total = 0;
  if (const std::string unexpected = unexpected_lines(report, total); !unexpected.empty())
    text += "\nnot expected\n" + unexpected;
  const auto bad = std::ranges::count_if(report.frames, [&](const PairReport& one) {
    return !one.ok() && (one.is_pair() || !report.skip_missing);
  });
  if (!report.ok())
    return text + fmt::format("FAIL: {} of {} frames: {}\n", std::max<long long>(bad, 1),
                              report.frames.size(), first_failure(report));
  const auto missing = static_cast<long long>(report.frames.size()) - report.pairs();
  return text + fmt::format("ok: {} {} as expected{}\n", report.pairs(),
                            report.pairs() == 1 ? "frame is" : "frames are",
                            missing > 0 ? fmt::format(", {} skipped", missing) : "");
}

}  // namespace spex
