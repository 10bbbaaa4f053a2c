#include "bench/campaign/table.hpp"

#include <fmt/format.h>

namespace spex::bench {
namespace {

std::string fpnh_text(const std::optional<Figure>& figure, const EntryRun& run) {
  if (!figure) return "-";
  std::string text = fmt::format("{:.0f}", figure->fpnh.median);
  if (figure->fpnh.low && figure->fpnh.high)
    text += fmt::format(" ({:.0f}-{:.0f})", *figure->fpnh.low, *figure->fpnh.high);
  if (run.entry.scale_to) text += "*";
  return text;
}

}  // namespace

void print_table(const std::vector<EntryRun>& runs, const RunFacts& facts) {
  fmt::print("{:<28} {:<16} {:>6} {:>5} {:>5} {:>22} {:>22}  {}\n", "entry", "milestone", "frames",
             "GPUs", "ranks", "FPNH effective", "FPNH extraction", "verdict");
  bool scaled = false;
  for (const EntryRun& run : runs) {
    const Verdict verdict = judge(run.evidence(facts));
    scaled = scaled || run.entry.scale_to.has_value();
    fmt::print("{:<28} {:<16} {:>6} {:>5} {:>5} {:>22} {:>22}  {}\n", run.entry.id,
               to_string(run.entry.milestone), run.frames, run.entry.gpus * run.launch.nodes,
               run.launch.ranks, fpnh_text(figure_of(run, ClockKind::effective), run),
               fpnh_text(figure_of(run, ClockKind::extraction), run), verdict.overall);
    for (const std::string& reason : verdict.reasons) fmt::print("    {}\n", reason);
  }
  if (scaled) fmt::print("* fewer frames than an exposure has: not to be published\n");
}

}  // namespace spex::bench
