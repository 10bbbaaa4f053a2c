#include "bench/campaign/table.hpp"

#include <set>

#include <fmt/format.h>

namespace spex::bench {
namespace {

std::string seconds_text(const std::optional<Figure>& figure) {
  return figure ? fmt::format("{:.2f}", figure->seconds.median) : "-";
}

std::string fpnh_text(const std::optional<Figure>& figure, const EntryRun& run) {
  if (!figure || !figure->fpnh) return "-";
  std::string text = fmt::format("{:.0f}", figure->fpnh->median);
  if (figure->fpnh->low && figure->fpnh->high)
    text += fmt::format(" ({:.0f}-{:.0f})", *figure->fpnh->low, *figure->fpnh->high);
  if (run.entry.scale_to) text += "*";
  return text;
}

}  // namespace

void print_table(const std::vector<EntryRun>& runs, const RunFacts& facts) {
  const std::string& tier = facts.plan->tier;
  const bool with_fpnh = tier != "ci";
  fmt::print("{:<28} {:<16} {:>6} {:>5} {:>5} {:>12} {:>12}", "entry", "milestone", "frames",
             "GPUs", "ranks", "effective s", "extraction s");
  if (with_fpnh) fmt::print(" {:>22} {:>22}", "FPNH effective", "FPNH extraction");
  fmt::print("  verdict\n");
  bool scaled = false;
  std::set<double> coverages;
  for (const EntryRun& run : runs) {
    const Verdict verdict = judge(run.evidence(facts));
    const auto effective = figure_of(run, ClockKind::effective, tier);
    const auto extraction = figure_of(run, ClockKind::extraction, tier);
    scaled = scaled || run.entry.scale_to.has_value();
    if (effective && effective->fpnh && effective->fpnh->coverage)
      coverages.insert(*effective->fpnh->coverage);
    fmt::print("{:<28} {:<16} {:>6} {:>5} {:>5} {:>12} {:>12}", run.entry.id,
               to_string(run.entry.milestone), run.frames, run.entry.gpus * run.launch.nodes,
               run.launch.ranks, seconds_text(effective), seconds_text(extraction));
    if (with_fpnh)
      fmt::print(" {:>22} {:>22}", fpnh_text(effective, run), fpnh_text(extraction, run));
    fmt::print("  {}\n", verdict.overall);
    for (const std::string& reason : verdict.reasons) fmt::print("    {}\n", reason);
  }
  if (!with_fpnh) fmt::print("tier ci: whether it is right; no speed of a machine\n");
  for (const double coverage : coverages)
    fmt::print("intervals hold the median with a chance of {:.1f}%\n", 100 * coverage);
  if (scaled) fmt::print("* fewer frames than an exposure has: not to be published\n");
}

}  // namespace spex::bench
