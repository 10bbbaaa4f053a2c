#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/result/derive.hpp"

namespace spex::bench {
namespace {

// Ratio of the slowest to the fastest timed run, or block of a long run, above which the machine is
// noisy.
constexpr double noisy_ratio = 1.5;
// Fraction of the CPU time used by other processes above which a run is unusual, where the plan
// does not say what disturbs a run.
constexpr double unusual_fraction = 0.1;

// Ratio of the largest to the smallest; 1 for fewer than two values.
double spread_of(const std::vector<double>& values) {
  if (values.size() < 2) return 1;
  const auto [smallest, largest] = std::minmax_element(values.begin(), values.end());
  return *largest / *smallest;
}

// "run 3", "runs 0, 2 and 5", or "runs 0 to 6".
std::string runs_text(const std::vector<int>& runs) {
  if (runs.size() == 1) return fmt::format("run {}", runs.front());
  const bool all = runs.back() - runs.front() + 1 == static_cast<int>(runs.size());
  if (all && runs.size() > 2) return fmt::format("runs {} to {}", runs.front(), runs.back());
  return fmt::format("runs {} and {}", fmt::join(runs.begin(), runs.end() - 1, ", "), runs.back());
}

// One line for all runs in which other processes took much of the CPU time.
void add_other_work(const Record& record, std::vector<std::string>& found) {
  const auto cpus = static_cast<double>(record.system.cpus);
  const double limit = record.timing.quiet ? record.timing.quiet->other_cpus : unusual_fraction;
  std::vector<int> runs;
  double least = 1, most = 0;
  for (const Sample& sample : record.timing.samples) {
    const double all = cpus * sample.effective_s;
    if (!sample.other_cpu_s || all <= 0 || *sample.other_cpu_s <= limit * all) continue;
    runs.push_back(sample.index);
    least = std::min(least, *sample.other_cpu_s / all);
    most = std::max(most, *sample.other_cpu_s / all);
  }
  if (runs.empty()) return;
  const std::string low = fmt::format("{:.0f}", 100 * least);
  const std::string high = fmt::format("{:.0f}", 100 * most);
  found.push_back(fmt::format("{}: other processes took {}% of the CPU time", runs_text(runs),
                              low == high ? high : low + " to " + high));
}

// One line for each warning, with its runs.
void add_warnings(const Record& record, std::vector<std::string>& found) {
  std::vector<std::string> warnings;
  std::map<std::string, std::vector<int>> runs;
  for (const Sample& sample : record.timing.samples)
    for (const std::string& warning : sample.warnings) {
      if (!runs.contains(warning)) warnings.push_back(warning);
      runs[warning].push_back(sample.index);
    }
  for (const std::string& warning : warnings)
    found.push_back(fmt::format("{}: {}", runs_text(runs.at(warning)), warning));
}

}  // namespace

std::vector<std::string> unusual_of(const Record& record) {
  std::vector<std::string> found;
  std::vector<double> seconds, parts;
  for (const Sample* sample : timed_samples(record)) {
    seconds.push_back(sample->effective_s);
    if (sample->sustained && sample->sustained->soak)
      for (const FrameBlock& block : sample->sustained->soak->blocks)
        if (block.seconds > 0) parts.push_back(block.rate());
  }
  if (const double spread = spread_of(seconds); spread >= noisy_ratio)
    found.push_back(fmt::format("noisy: the longest run took {:.1f} times the shortest", spread));
  if (const double spread = spread_of(parts); spread >= noisy_ratio)
    found.push_back(
        fmt::format("noisy: the rate of a long run changed {:.1f}-fold between its parts", spread));
  add_other_work(record, found);
  add_warnings(record, found);
  for (const DroppedRun& run : record.timing.dropped)
    found.push_back(fmt::format("run {} was begun and is no sample: {}", run.index, run.reason));
  if (record.health.settings_changed)
    found.push_back("a GPU's settings changed: " + *record.health.settings_changed);
  if (record.timing.extended) found.emplace_back("runs were added to a result that was complete");
  return found;
}

}  // namespace spex::bench
