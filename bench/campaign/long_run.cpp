#include "bench/campaign/long_run.hpp"

#include <algorithm>
#include <cmath>

#include "bench/result/steady_state.hpp"

namespace spex::bench {
namespace {

// A run is made 20% longer than requested, because the warm-up's rate is only an estimate: runs on
// H200s were between 10% slower and 21% faster.
constexpr double duration_margin = 1.2;
// Length of the second warm-up: at most these seconds, and this fraction of the run.
constexpr double calibration_s = 20, calibration_fraction = 0.2;
// Upper limit of the steady rate relative to the mean rate of the warm-up, of which the start of
// four GPUs takes a third. Without a limit, a warm-up whose frames are all written at once would
// have an infinite rate.
constexpr double max_warmup_gain = 2;

// Expected frames per second of the next run.
double expected_rate(const Sample& last) {
  const double seconds = last.extraction_s.value_or(last.effective_s);
  const double whole = last.sustained->frames / seconds;
  if (!last.sustained->soak) return whole;
  return std::min(last.sustained->soak->rate(), max_warmup_gain * whole);
}

}  // namespace

int next_frame_count(const EntryRun& run) {
  const auto exposure = static_cast<int>(run.plan_case->cameras.size());
  const auto& samples = run.record.timing.samples;
  const Sustain& sustain = *run.record.work.sustain;
  const bool warmup = run.next_is_warmup();
  if (sustain.frames) return warmup ? exposure : *sustain.frames;
  if (samples.empty()) return exposure;
  const auto whole_exposures = [&](double frames) {
    return exposure * static_cast<int>(std::ceil(frames / exposure));
  };
  const int before = std::min(run.next_index(), run.record.timing.warmups) - 1;
  const double rate = run.steady_rate.value_or(expected_rate(samples.at(std::max(0, before))));
  // If each rank has its own frames, they are written in waves of one per rank.
  const int waves = 4 * run.record.launch.ranks;
  if (warmup)
    return whole_exposures(std::max<double>(
        waves, rate * std::min(calibration_s, calibration_fraction * *sustain.seconds)));
  const double min_frames = std::max(run.plan_case->distinct_exposures() * exposure, waves);
  return whole_exposures(
      std::max(min_frames, duration_margin * rate * *sustain.seconds + 2 * max_edge_frames));
}

LongRun long_run_of(const CollectedFrames& collected, int inputs) {
  LongRun found{static_cast<int>(collected.written.size()), inputs, {}, {}, collected.max_waiting};
  const auto distinct = std::min<std::ptrdiff_t>(inputs, std::ssize(collected.written));
  found.distinct = steady_part({collected.written.begin(), collected.written.begin() + distinct});
  found.soak = steady_part(collected.written);
  return found;
}

}  // namespace spex::bench
