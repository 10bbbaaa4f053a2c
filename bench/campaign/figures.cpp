#include "bench/campaign/figures.hpp"

#include <algorithm>

namespace spex::bench {
namespace {

using Json = nlohmann::ordered_json;

// Seconds by a clock of the runs that count; none where one of them lacks it.
std::vector<double> seconds_by(const EntryRun& run, ClockKind clock) {
  std::vector<double> seconds;
  for (const Sample* sample : run.timed()) {
    const std::optional<double> s =
        clock == ClockKind::effective ? sample->effective_s : sample->extraction_s;
    if (!s || *s <= 0) return {};
    seconds.push_back(*s);
  }
  return seconds;
}

Statistic summary_of(const EntryRun& run, const std::vector<double>& values) {
  if (!run.until) return summarize(values);
  return summarize(values, Looks{run.repeats, run.until->most});
}

}  // namespace

int gpus_of(const EntryRun& run) {
  return run.entry.gpus * run.launch.nodes;
}

Statistic scaled(Statistic statistic, double factor) {
  statistic.median *= factor;
  statistic.mad *= factor;
  for (std::optional<double>* end : {&statistic.low, &statistic.high})
    if (*end) **end *= factor;
  for (double& sample : statistic.samples) sample *= factor;
  return statistic;
}

bool narrow_enough(const EntryRun& run) {
  for (const ClockKind clock : {ClockKind::effective, ClockKind::extraction}) {
    const std::vector<double> seconds = seconds_by(run, clock);
    if (seconds.empty()) continue;
    const Statistic statistic = summary_of(run, seconds);
    if (!statistic.low || *statistic.high - *statistic.low > run.until->width * statistic.median)
      return false;
  }
  return true;
}

std::optional<Statistic> sustained_fpnh(const EntryRun& run) {
  if (!figure_of(run, ClockKind::effective)) return std::nullopt;
  std::vector<double> fpnh;
  for (const Sample* sample : run.timed())
    if (!sample->sustained.is_null()) fpnh.push_back(sample->sustained.at("fpnh"));
  if (fpnh.empty()) return std::nullopt;
  return summarize(fpnh);
}

std::optional<Statistic> sustained_fpnh_to_judge(const EntryRun& run) {
  if (!sustained_fpnh(run)) return std::nullopt;
  // Later runs have the inputs of the first, and may have kept its answers.
  const std::vector<const Sample*> timed = run.timed();
  const auto first = std::find_if(timed.begin(), timed.end(),
                                  [](const Sample* one) { return !one->sustained.is_null(); });
  const Json& sustained = (*first)->sustained;
  const double whole = sustained.at("fpnh");
  std::vector<double> of_parts;
  for (const Json& block : sustained.at("blocks"))
    if (const double seconds = block.at("seconds"); seconds > 0)
      of_parts.push_back(3600 * block.at("frames").get<double>() / (seconds * run.launch.nodes));
  if (of_parts.empty()) return summarize({whole});
  Statistic judged = summarize(of_parts);
  judged.median = whole;
  if (judged.low) judged.low = std::min(*judged.low, whole);
  if (judged.high) judged.high = std::max(*judged.high, whole);
  return judged;
}

double sustained_s(const EntryRun& run) {
  std::optional<double> shortest;
  for (const Sample* sample : run.timed()) {
    const double seconds =
        sample->sustained.is_null() ? 0 : sample->sustained.at("seconds").get<double>();
    shortest = std::min(shortest.value_or(seconds), seconds);
  }
  return shortest.value_or(0);
}

std::optional<Figure> figure_of(const EntryRun& run, ClockKind clock, const std::string& tier) {
  if (run.skipped || run.failed() || !run.done() || !run.validation.pass()) return std::nullopt;
  std::vector<double> fpnh, per_gpu;
  const std::vector<double> seconds = seconds_by(run, clock);
  for (const double s : seconds) {
    fpnh.push_back(3600.0 * run.frames / (s * run.launch.nodes));
    if (gpus_of(run) > 0) per_gpu.push_back(3600.0 * run.frames / (s * gpus_of(run)));
  }
  if (seconds.empty()) return std::nullopt;
  Figure figure{summary_of(run, seconds), {}, {}};
  if (tier == "ci" || !run.has_fpnh) return figure;
  figure.fpnh = summary_of(run, fpnh);
  if (!per_gpu.empty()) figure.frames_per_gpu_hour = summary_of(run, per_gpu);
  return figure;
}

}  // namespace spex::bench
