#include "bench/campaign/table.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "bench/campaign/figures.hpp"

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

// By how much the rate of a long run has changed at its end; of 0.998 times, -0.2%.
std::string drift_text(const nlohmann::ordered_json& sustained) {
  const auto& drift = sustained.at("drift_per_hour");
  if (drift.is_null()) return "drift unknown";
  const double hours = sustained.at("seconds").get<double>() / 3600;
  const auto percent = [&](const char* key) { return 100 * hours * drift.at(key).get<double>(); };
  std::string text = fmt::format("drift {:+.1f}%", percent("median"));
  if (!drift.at("low").is_null())
    text += fmt::format(" ({:+.1f} to {:+.1f}, {:.1f}%)", percent("low"), percent("high"),
                        100 * drift.at("coverage").get<double>());
  return text;
}

void print_sustained(const EntryRun& run) {
  const std::optional<Statistic> fpnh = sustained_fpnh(run);
  if (!fpnh) return;
  const char* const what = run.has_fpnh ? "FPNH" : "parts of frames an hour:";
  for (const Sample* sample : run.timed()) {
    const auto& one = sample->sustained;
    fmt::print("    sustained: {} {:.0f} from frame {} to {} of {}, {:.1f} s; {}\n", what,
               one.at("fpnh").get<double>(), one.at("first").get<int>(), one.at("last").get<int>(),
               one.at("frames").get<int>(), one.at("seconds").get<double>(), drift_text(one));
  }
  if (!run.has_fpnh) return;
  const double hours = night_frames / fpnh->median;
  fmt::print("    a night of {} frames: {:.1f} s, {:.4f} node-hours\n", night_frames,
             3600 * hours / run.launch.nodes, hours);
}

}  // namespace

void print_table(const std::vector<EntryRun>& runs, const RunFacts& facts) {
  const std::string& tier = facts.plan->tier;
  const bool with_fpnh = tier != "ci" && std::any_of(runs.begin(), runs.end(),
                                                     [](const auto& run) { return run.has_fpnh; });
  fmt::print("{:<28} {:<16} {:>6} {:>5} {:>5} {:>12} {:>12}", "entry", "milestone", "frames",
             "GPUs", "ranks", "effective s", "extraction s");
  if (with_fpnh) fmt::print(" {:>22} {:>22}", "FPNH effective", "FPNH extraction");
  fmt::print("  verdict\n");
  bool scaled = false, seconds_only = false;
  std::set<double> coverages;
  for (const EntryRun& run : runs) {
    const Verdict verdict = judge(run.evidence(facts));
    const auto effective = figure_of(run, ClockKind::effective, tier);
    const auto extraction = figure_of(run, ClockKind::extraction, tier);
    scaled = scaled || run.entry.scale_to.has_value();
    seconds_only = seconds_only || !run.has_fpnh;
    if (with_fpnh && effective && effective->fpnh && effective->fpnh->coverage)
      coverages.insert(*effective->fpnh->coverage);
    fmt::print("{:<28} {:<16} {:>6} {:>5} {:>5} {:>12} {:>12}", run.entry.id,
               to_string(run.entry.milestone), run.frames, run.entry.gpus * run.launch.nodes,
               run.launch.ranks, seconds_text(effective), seconds_text(extraction));
    if (with_fpnh)
      fmt::print(" {:>22} {:>22}", fpnh_text(effective, run), fpnh_text(extraction, run));
    fmt::print("  {}\n", verdict.overall);
    if (run.entry.sustain) print_sustained(run);
    for (const std::string& reason : verdict.reasons) fmt::print("    {}\n", reason);
    if (run.settings_changed)
      fmt::print("    a GPU was set otherwise: {}; not to be published\n", *run.settings_changed);
  }
  if (tier == "ci")
    fmt::print("tier ci: whether it is right; no speed of a machine\n");
  else if (seconds_only)
    fmt::print("parts of frames, and a frame alone, have seconds and no FPNH\n");
  for (const double coverage : coverages)
    fmt::print("intervals hold the median with a chance of {:.1f}%\n", 100 * coverage);
  if (scaled) fmt::print("* fewer frames than an exposure has: not to be published\n");
}

}  // namespace spex::bench
