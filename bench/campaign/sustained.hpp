// Long runs: exposures one after another without a pause, as in a night (docs/benchmark.md).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "bench/campaign/machine_speed.hpp"
#include "bench/correctness/dataset.hpp"
#include "bench/correctness/output_collector.hpp"
#include "bench/measure/entry.hpp"
#include "bench/measure/statistics.hpp"

namespace spex::bench {

/// The frames of a long run in their order of work, and what is awaited of each.
struct LongRun {
  std::vector<ListedFrame> listed;
  std::vector<AwaitedFrame> awaited;
  /// The distinct inputs that `awaited` counts: frame `frame` of exposure `exposure`.
  struct Input {
    const Dataset* exposure = nullptr;
    int frame = 0;
  };
  std::vector<Input> inputs;
};

/// `frames` frames of the exposures `in_turn`, again and again, with outputs in `folder`. The first
/// `inputs.size()` are of inputs that all differ.
[[nodiscard]] LongRun make_long_run(const std::vector<const Dataset*>& in_turn, int frames,
                                    const std::string& folder);

/// Frames that last for `seconds` of steady state at `rate` frames a second and a tenth longer;
/// whole exposures of `per_exposure`, at least `least`.
[[nodiscard]] int frames_to_last(double seconds, double rate, int per_exposure, int least);

/// Frames of the warm-up from whose rate the length of the timed run is taken: 20 s of them, or a
/// fifth of what is asked for, by a first estimate of the rate; whole exposures, at least `least`.
[[nodiscard]] int frames_to_calibrate(double seconds, double rate, int per_exposure, int least);

/// Frames a second that a run is expected to have, by a shorter one: those of its steady part,
/// unless these are much more than the whole run's, as where all its frames were written at once.
[[nodiscard]] double rate_to_expect(double steady_rate, double gain);

/// `sustained` of a sample: the steady part of a run whose frames were written at these times, and
/// its first pass over the inputs beside the later ones. `began` is when it began to read, by the
/// clock of the files. Null where there are too few frames.
[[nodiscard]] nlohmann::ordered_json sustained_json(const LongRun& run,
                                                    const CollectedFrames& collected, double began,
                                                    int nodes);

/// `machine_speed` of the same: how many times as much the machine gave to the run in its steady
/// part as in all of it, and in the later passes as in the first; null where that is not known.
/// `offset` is the clock of the files less this machine's.
[[nodiscard]] nlohmann::ordered_json machine_speed_json(const LongRun& run,
                                                        const CollectedFrames& collected,
                                                        double began, double offset,
                                                        const MachineSpeed& machine);

/// How many times as fast as the whole run its steady part may be, and frames of inputs that were
/// met before as those of others, where the machine gave as much to both. Beyond it frames were
/// held back, or answers kept.
inline constexpr double most_gain = 2;
/// Which of the two `sustained` of a sample shows, in a line; "" for neither.
[[nodiscard]] std::string why_not_sustained(const nlohmann::ordered_json& sustained);

/// A statistic as result files have it; null for none.
[[nodiscard]] nlohmann::ordered_json statistic_json(const std::optional<Statistic>& statistic);

}  // namespace spex::bench
