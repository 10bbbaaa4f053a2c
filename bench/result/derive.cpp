#include "bench/result/derive.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "reference/core/median.hpp"

namespace spex::bench {
namespace {

enum class Clock { effective, extraction };

int gpus_of(const Record& record) {
  return record.launch.gpus_per_node * record.launch.nodes;
}

// Whether a timed run does not count.
bool is_void(const Sample& sample) {
  return sample.throttled || sample.disturbed;
}

// Seconds of these runs by a clock; empty if a run lacks that clock.
std::vector<double> seconds_by(const Record& record, Clock clock) {
  std::vector<double> seconds;
  for (const Sample* sample : timed_samples(record)) {
    const std::optional<double> s =
        clock == Clock::effective ? sample->effective_s : sample->extraction_s;
    if (!s || *s <= 0) return {};
    seconds.push_back(*s);
  }
  return seconds;
}

Statistic summary_of(const Record& record, const std::vector<double>& values) {
  const TimingRecord& timing = record.timing;
  if (!timing.until) return summarize(values);
  return summarize(values, StoppingPoints{timing.repeats, timing.until->max_runs});
}

bool narrow_enough(const Record& record) {
  for (const Clock clock : {Clock::effective, Clock::extraction}) {
    const std::vector<double> seconds = seconds_by(record, clock);
    if (seconds.empty()) continue;
    if (is_too_wide(summary_of(record, seconds), record.timing.until->width)) return false;
  }
  return true;
}

// The number of timed runs that do not count.
int voids_of(const Record& record) {
  const auto& samples = record.timing.samples;
  return static_cast<int>(std::count_if(samples.begin(), samples.end(), [](const Sample& sample) {
    return is_void(sample) && !sample.warmup;
  }));
}

bool has_failed(const Record& record) {
  return record.error || !faults_of(record).empty();
}

bool is_right(const Record& record) {
  return !record.skipped && !has_failed(record) && is_complete(record);
}

std::optional<Figure> figure_of(const Record& record, Clock clock) {
  if (!is_right(record)) return std::nullopt;
  const std::vector<double> seconds = seconds_by(record, clock);
  if (seconds.empty()) return std::nullopt;
  Figure figure{summary_of(record, seconds), {}, {}};
  if (record.tier == "ci" || !record.work.has_fpnh) return figure;
  const auto rates = [&](int divided_by) {
    std::vector<double> values;
    for (const double s : seconds) values.push_back(3600.0 * record.work.frames / (s * divided_by));
    return summary_of(record, values);
  };
  figure.fpnh = rates(record.launch.nodes);
  if (const int gpus = gpus_of(record); gpus > 0) figure.frames_per_gpu_hour = rates(gpus);
  return figure;
}

std::string status_of(const Record& record) {
  if (record.skipped) return "skipped";
  if (has_failed(record)) return "failed";
  return is_complete(record) ? "complete" : "interrupted";
}

// docs/benchmark.md, run rules.
std::vector<std::string> incomplete_because(const Record& record, const Fom& fom) {
  constexpr int min_timed = 5;
  constexpr double min_night_s = 1800, min_acceptance_s = 60;
  std::vector<std::string> reasons;
  const auto need = [&](bool holds, const std::string& otherwise) {
    if (!holds) reasons.push_back(otherwise);
  };
  const auto& samples = record.timing.samples;
  const auto& frames = record.validation.frames;
  const bool is_long = record.work.sustain.has_value();
  const double min_long_s = record.tier == "acceptance" ? min_acceptance_s : min_night_s;
  const auto timed = timed_samples(record).size();
  std::set<std::int64_t> seeds;
  need(fom.effective.has_value(), "not all of it is right and timed");
  need(is_long || record.tier == "acceptance", "the tier is " + record.tier);
  need(record.work.whole_exposure && !record.work.scaled_to,
       fmt::format("{} frame(s), not the 30 of an exposure at full size", record.work.frames));
  need(record.work.own_options, "options change what is computed");
  need(record.work.tolerance == "production" || record.work.tolerance == "masked",
       "the tolerance is " + record.work.tolerance);
  need(!record.golden.empty(), "no golden cases");
  need(std::all_of(frames.begin(), frames.end(), [](const auto& f) { return f.reference; }),
       "not every frame was compared with the CPU extractor's");
  need(std::any_of(samples.begin(), samples.end(), [](const Sample& s) { return s.warmup; }),
       "no warm-up");
  if (is_long)
    need(soak_seconds(record) >= min_long_s,
         fmt::format("it lasted {:.0f} s, not {:.0f}", soak_seconds(record), min_long_s));
  else
    need(timed >= min_timed, fmt::format("{} timed run(s) that count, not five", timed));
  if (const auto& quiet = record.timing.quiet) {
    constexpr Quiet rule;
    need(quiet->other_cpus <= rule.other_cpus && quiet->width <= rule.width,
         fmt::format("its plan lets other processes take {:.0f}% of the CPUs, and judges intervals "
                     "of {:.0f}% (at most {:.0f}% and {:.0f}%)",
                     100 * quiet->other_cpus, 100 * quiet->width, 100 * rule.other_cpus,
                     100 * rule.width));
    if (fom.effective && timed >= min_timed)
      need(!is_too_wide(fom.effective->seconds, rule.width),
           fmt::format("its interval is {:.0f}% of the median wide (at most {:.0f}%)",
                       100 * width_of(fom.effective->seconds), 100 * rule.width));
  }
  need(record.inputs.seeds == "drawn", "its seeds are the plan's");
  need(std::all_of(
           samples.begin(), samples.end(),
           // The warm-ups of a long run share their exposure.
           [&](const Sample& s) { return (is_long && s.warmup) || seeds.insert(s.seed).second; }),
       "two runs had the same inputs");
  need(record.build.commit && record.build.dirty == false, "it is not built from a clean commit");
  return reasons;
}

Fom fom_of(const Record& record) {
  Fom fom;
  fom.frames_asked = record.work.frames;
  fom.scaled_to = record.work.scaled_to;
  fom.nodes = record.launch.nodes;
  fom.gpus = gpus_of(record);
  fom.effective = figure_of(record, Clock::effective);
  fom.extraction = figure_of(record, Clock::extraction);
  const auto& frames = record.validation.frames;
  const auto valid =
      std::count_if(frames.begin(), frames.end(), [](const FrameRecord& f) { return !f.failure; });
  // Frames of repeated inputs have the bytes of a compared frame, or the run failed.
  if (record.work.sustain || record.work.frames > static_cast<int>(frames.size()))
    fom.frames_valid = fom.effective ? record.work.frames : 0;
  else
    fom.frames_valid = static_cast<int>(valid);
  fom.incomplete_because = incomplete_because(record, fom);
  fom.complete = fom.incomplete_because.empty();
  return fom;
}

double fpnh_of(const LongPart& part, const Record& record) {
  return 3600 * part.rate() / record.launch.nodes;
}

// FPNH of a part of the first timed run, with an interval over its blocks.
std::optional<Statistic> part_to_judge(const Record& record,
                                       std::optional<LongPart> LongRun::*which) {
  if (!is_right(record)) return std::nullopt;
  for (const Sample* sample : timed_samples(record)) {
    if (!sample->sustained || !((*sample->sustained).*which)) continue;
    const LongPart& part = *((*sample->sustained).*which);
    const double whole = fpnh_of(part, record);
    std::vector<double> block_rates;
    for (const FrameBlock& block : part.blocks)
      if (block.seconds > 0) block_rates.push_back(3600 * block.rate() / record.launch.nodes);
    if (block_rates.empty()) return summarize({whole});
    Statistic judged = summarize(block_rates);
    judged.median = whole;
    if (judged.low) judged.low = std::min(*judged.low, whole);
    if (judged.high) judged.high = std::max(*judged.high, whole);
    return judged;
  }
  return std::nullopt;
}

std::optional<Sustained> sustained_of(const Record& record) {
  if (!record.work.sustain) return std::nullopt;
  Sustained found;
  found.asked_s = record.work.sustain->seconds;
  found.asked_frames = record.work.sustain->frames;
  if (!is_right(record)) return found;
  std::vector<double> fpnh, soak;
  for (const Sample* sample : timed_samples(record)) {
    if (!sample->sustained) continue;
    if (sample->sustained->distinct) fpnh.push_back(fpnh_of(*sample->sustained->distinct, record));
    if (!sample->sustained->soak) continue;
    soak.push_back(fpnh_of(*sample->sustained->soak, record));
    found.drift_per_hour = drift_per_hour(*sample->sustained->soak);
  }
  if (!soak.empty()) found.soak_fpnh = summarize(soak);
  if (fpnh.empty()) return found;
  found.fpnh = summarize(fpnh);
  const double hours = night_frames / found.fpnh->median;
  found.night = {night_frames, 3600 * hours / record.launch.nodes, hours};
  return found;
}

// Joules per frame by the node's counter; nothing without one, or on several nodes.
std::optional<double> node_joules_of(const Record& record) {
  std::vector<double> per_frame;
  for (const Sample* sample : timed_samples(record))
    if (sample->node_joules) per_frame.push_back(*sample->node_joules / record.work.frames);
  if (per_frame.empty() || record.launch.nodes > 1) return std::nullopt;
  return median(per_frame);
}

Energy energy_of(const Record& record) {
  const std::optional<double> node = node_joules_of(record);
  std::vector<double> per_frame;
  for (const Sample* sample : timed_samples(record)) {
    if (!sample->joules || record.launch.nodes > 1) continue;
    double all = 0;
    for (const double joules : *sample->joules) all += joules;
    per_frame.push_back(all / record.work.frames);
  }
  if (!per_frame.empty()) return {median(per_frame), node, {}};
  if (gpus_of(record) == 0)
    return {{}, node, "the run used no GPU, and CPUs have no counter that every user may read"};
  if (record.launch.nodes > 1) return {{}, node, "the counters of other nodes are not read"};
  return {{}, node, record.health.reason.value_or("NVML gives no energy counter")};
}

std::vector<RooflinePoint> roofline_of(const Record& record) {
  std::vector<RooflinePoint> points;
  const std::vector<const Sample*> timed = timed_samples(record);
  if (!record.ceilings || timed.empty() || has_failed(record)) return points;
  for (const CostRecord& cost : record.costs) {
    if (cost.flops <= 0) continue;  // timed as part of another stage
    std::vector<double> seconds;
    for (const Sample* sample : timed)
      if (const auto found = sample->phases.find(cost.stage); found != sample->phases.end())
        seconds.push_back(found->second.sum);
    if (seconds.empty() || median(seconds) <= 0) continue;
    points.push_back({cost.stage, cost.flops, cost.bytes, median(seconds), gpus_of(record),
                      record.ceilings->flops, record.ceilings->bytes, record.ceilings->source});
  }
  return points;
}

}  // namespace

std::vector<const Sample*> timed_samples(const Record& record) {
  std::vector<const Sample*> found;
  for (const Sample& sample : record.timing.samples)
    if (!sample.warmup && !sample.failure && !is_void(sample)) found.push_back(&sample);
  return found;
}

bool is_complete(const Record& record) {
  const auto& samples = record.timing.samples;
  return is_done(record) && !record.validation.frames.empty() &&
         std::all_of(samples.begin(), samples.end(),
                     [](const Sample& sample) { return sample.failure || sample.compared; });
}

std::vector<std::string> faults_of(const Record& record) {
  std::vector<std::string> faults;
  for (const Sample& sample : record.timing.samples)
    if (sample.failure) faults.push_back(fmt::format("run {}: {}", sample.index, *sample.failure));
  for (const GoldenRecord& golden : record.golden)
    if (golden.failure) faults.push_back("golden case " + golden.name + ": " + *golden.failure);
  for (const FrameRecord& frame : record.validation.frames)
    if (frame.failure) faults.push_back(frame.camera + ": " + *frame.failure);
  if (record.validation.failure) faults.push_back(*record.validation.failure);
  // The same input must give the same bytes in all runs.
  std::map<std::string, const Sample*> first;
  for (const Sample& sample : record.timing.samples) {
    if (sample.failure || sample.outputs_sha256.empty() || record.work.sustain) continue;
    const auto [found, is_new] = first.emplace(sample.inputs_sha256, &sample);
    if (!is_new && found->second->outputs_sha256 != sample.outputs_sha256)
      faults.push_back(fmt::format("run {}: has other bytes than run {} of the same input",
                                   sample.index, found->second->index));
  }
  return faults;
}

bool is_done(const Record& record) {
  if (record.skipped || has_failed(record)) return true;
  const TimingRecord& timing = record.timing;
  if (static_cast<int>(timing.samples.size()) < timing.warmups + timing.repeats) return false;
  if (voids_of(record) >= timing.repeats) return true;
  const auto count = static_cast<int>(timed_samples(record).size());
  if (count < timing.repeats) return false;
  return !timing.until || count >= timing.until->max_runs || narrow_enough(record);
}

int runs_left(const Record& record) {
  if (is_done(record)) return 0;
  const TimingRecord& timing = record.timing;
  return std::max(1, timing.warmups + timing.repeats + voids_of(record) -
                         static_cast<int>(timing.samples.size()));
}

std::optional<Statistic> sustained_fpnh_to_judge(const Record& record) {
  return part_to_judge(record, &LongRun::distinct);
}

std::optional<Statistic> soak_fpnh_to_judge(const Record& record) {
  return part_to_judge(record, &LongRun::soak);
}

double soak_seconds(const Record& record) {
  std::optional<double> shortest;
  for (const Sample* sample : timed_samples(record)) {
    const bool has = sample->sustained && sample->sustained->soak;
    const double seconds = has ? sample->sustained->soak->seconds : 0;
    shortest = std::min(shortest.value_or(seconds), seconds);
  }
  return shortest.value_or(0);
}

std::string shortfall_of(const std::optional<Sustain>& requested, const Sample& sample) {
  if (!requested || !requested->seconds || sample.warmup || sample.failure) return {};
  const bool has = sample.sustained && sample.sustained->soak;
  const double seconds = has ? sample.sustained->soak->seconds : 0;
  if (seconds >= *requested->seconds) return {};
  return fmt::format("its steady part lasted {:.2f} s, not the {:g} requested", seconds,
                     *requested->seconds);
}

Derived derive(const Record& record) {
  Derived derived;
  derived.status = status_of(record);
  derived.fom = fom_of(record);
  derived.sustained = sustained_of(record);
  derived.energy = energy_of(record);
  derived.roofline = roofline_of(record);
  derived.unusual = unusual_of(record);
  derived.verdict = judge(record, derived.fom);
  return derived;
}

}  // namespace spex::bench
