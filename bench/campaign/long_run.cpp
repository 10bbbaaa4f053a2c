#include "bench/campaign/long_run.hpp"

#include <algorithm>
#include <cmath>

namespace spex::bench {
namespace {

constexpr double longer = 1.1;  // than asked for: the rate of the warm-up is not that of the run
constexpr double calibration_s = 20, calibration_part = 0.2;
// A warm-up whose frames were all written at once is no faster than this beside its whole time.
constexpr double most_gain_of_warmup = 1.25;

// Frames a second that the next run is expected to have.
double rate_to_expect(const Sample& last) {
  const double seconds = last.extraction_s.value_or(last.effective_s);
  const double whole = last.sustained->frames / seconds;
  if (!last.sustained->soak) return whole;
  return std::min(last.sustained->soak->rate(), most_gain_of_warmup * whole);
}

}  // namespace

int frames_of_next(const EntryRun& run) {
  const auto exposure = static_cast<int>(run.of->cameras.size());
  const auto& samples = run.record.timing.samples;
  const Sustain& asked = *run.record.work.sustain;
  const bool warmup = run.next_index() < run.record.timing.warmups;
  if (asked.frames) return warmup ? exposure : *asked.frames;
  if (samples.empty()) return exposure;
  const auto whole_exposures = [&](double frames) {
    return exposure * static_cast<int>(std::ceil(frames / exposure));
  };
  const int before = std::min(run.next_index(), run.record.timing.warmups) - 1;
  const double rate = rate_to_expect(samples.at(std::max(0, before)));
  // Where each rank has frames of its own, they are written in waves of as many as ranks.
  const int waves = 4 * run.record.launch.ranks;
  if (warmup)
    return whole_exposures(
        std::max<double>(waves, rate * std::min(calibration_s, calibration_part * *asked.seconds)));
  const double least = std::max(run.of->exposures_in_turn() * exposure, waves);
  return whole_exposures(std::max(least, longer * rate * *asked.seconds + 2 * most_of_edge));
}

LongRun long_run_of(const CollectedFrames& collected, int inputs) {
  LongRun found{static_cast<int>(collected.written.size()), inputs, {}, {}, collected.most_waiting};
  const auto distinct = std::min<std::ptrdiff_t>(inputs, std::ssize(collected.written));
  found.distinct = steady_part({collected.written.begin(), collected.written.begin() + distinct});
  found.soak = steady_part(collected.written);
  return found;
}

}  // namespace spex::bench
