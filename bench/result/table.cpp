#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "bench/result/derive.hpp"
#include "reference/core/error.hpp"

namespace spex::bench {
namespace {

std::string seconds_text(const std::optional<Figure>& figure) {
  return figure ? fmt::format("{:.2f}", figure->seconds.median) : "-";
}

std::string fpnh_text(const std::optional<Figure>& figure, const Record& record) {
  if (!figure || !figure->fpnh) return "-";
  std::string text = fmt::format("{:.0f}", figure->fpnh->median);
  if (figure->fpnh->low && figure->fpnh->high)
    text += fmt::format(" ({:.0f}-{:.0f})", *figure->fpnh->low, *figure->fpnh->high);
  if (record.work.scaled_to) text += "*";
  return text;
}

// Relative change of the rate over a long run, in percent: -0.2% for 0.998 times.
std::string drift_text(const Sustained& sustained, double hours) {
  const std::optional<Statistic>& drift = sustained.drift_per_hour;
  if (!drift) return "drift unknown";
  std::string text = fmt::format("drift {:+.1f}%", 100 * hours * drift->median);
  if (drift->low)
    text += fmt::format(" ({:+.1f} to {:+.1f}, {:.1f}%)", 100 * hours * *drift->low,
                        100 * hours * *drift->high, 100 * drift->coverage.value_or(0));
  return text;
}

void print_sustained(const Record& record, const Sustained& sustained) {
  if (!sustained.fpnh) return;
  const char* const what = record.work.has_fpnh ? "FPNH" : "parts of frames per hour:";
  fmt::print("    sustained: {} {:.0f} over distinct inputs", what, sustained.fpnh->median);
  if (const double seconds = soak_seconds(record); sustained.soak_fpnh)
    fmt::print(", {:.0f} over all {} frames, {:.1f} s; {}", sustained.soak_fpnh->median,
               record.work.frames, seconds, drift_text(sustained, seconds / 3600));
  fmt::print("\n");
  if (record.work.has_fpnh && sustained.night)
    fmt::print("    a night of {} frames: {:.1f} s, {:.4f} node-hours\n", sustained.night->frames,
               sustained.night->seconds, sustained.night->node_hours);
}

void print_row(const Record& record, const Derived& derived, bool with_fpnh) {
  const Fom& fom = derived.fom;
  fmt::print("{:<28} {:<16} {:>6} {:>5} {:>5} {:>12} {:>12}", record.entry, record.milestone,
             fom.frames_asked, fom.gpus, record.launch.ranks, seconds_text(fom.effective),
             seconds_text(fom.extraction));
  if (with_fpnh)
    fmt::print(" {:>22} {:>22}", fpnh_text(fom.effective, record),
               fpnh_text(fom.extraction, record));
  fmt::print("  {}\n", derived.verdict.overall);
  if (derived.sustained) print_sustained(record, *derived.sustained);
  for (const std::string& reason : derived.verdict.reasons) fmt::print("    {}\n", reason);
  for (const std::string& unusual : derived.unusual)
    fmt::print("    unusual: {}\n", printable(unusual));
}

}  // namespace

void print_table(const std::vector<Record>& records) {
  const bool ci = !records.empty() && records.front().tier == "ci";
  const bool with_fpnh =
      !ci && std::any_of(records.begin(), records.end(),
                         [](const Record& record) { return record.work.has_fpnh; });
  fmt::print("{:<28} {:<16} {:>6} {:>5} {:>5} {:>12} {:>12}", "entry", "milestone", "frames",
             "GPUs", "ranks", "effective s", "extraction s");
  if (with_fpnh) fmt::print(" {:>22} {:>22}", "FPNH effective", "FPNH extraction");
  fmt::print("  verdict\n");
  bool scaled = false, seconds_only = false;
  std::set<double> coverages;
  for (const Record& record : records) {
    const Derived derived = derive(record);
    const std::optional<Figure>& effective = derived.fom.effective;
    scaled = scaled || record.work.scaled_to;
    seconds_only = seconds_only || !record.work.has_fpnh;
    if (with_fpnh && effective && effective->fpnh && effective->fpnh->coverage)
      coverages.insert(*effective->fpnh->coverage);
    print_row(record, derived, with_fpnh);
  }
  if (ci)
    fmt::print("tier ci: whether it is right; no speed of a machine\n");
  else if (seconds_only)
    fmt::print("parts of frames, and a frame alone, have seconds and no FPNH\n");
  for (const double coverage : coverages)
    fmt::print("intervals hold the median with a chance of {:.1f}%\n", 100 * coverage);
  if (scaled) fmt::print("* fewer frames than an exposure has\n");
}

}  // namespace spex::bench
