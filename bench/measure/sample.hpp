// One run of an entry: what the clocks and the run log say.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "bench/measure/command.hpp"
#include "bench/measure/run_log.hpp"

namespace spex::bench {

struct Sample {
  int index = 0;
  bool warmup = false;
  std::int64_t seed = 0;  ///< of its inputs, as spex-sim was given it
  std::string start_utc;
  int exit_status = 0;
  std::optional<std::string> failure;
  double effective_s = 0;              ///< from before the launcher starts to its exit
  std::optional<double> extraction_s;  ///< from the barrier of all ranks to the last file renamed
  std::optional<double> launch_s;      ///< from before the launcher starts to that barrier
  /// From the first opening of an input to the last output, as spex-bench saw it.
  std::optional<double> observed_s;
  bool throttled = false;  ///< a GPU was held back: the sample does not count
  std::map<std::string, PhaseSeconds> phases;
  std::optional<std::vector<double>> joules;    ///< by GPU
  std::optional<std::vector<double>> gpu_busy;  ///< by GPU: part of the time with a kernel
  std::optional<double> cpu_s;  ///< of all CPUs of this node, where the launcher waits for them
  std::optional<double> node_joules;  ///< by the node's own counter
  std::optional<double> max_rss_bytes;
  std::optional<double> device_memory_bytes;
  std::vector<RunLog::Frame> logged;  ///< as the run log has them; not in the result
  long patches = 0, fell_back = 0, failed_patches = 0;
  nlohmann::ordered_json sustained;  ///< of a long run (campaign/sustained.hpp); null for others

  [[nodiscard]] nlohmann::ordered_json to_json() const;
  [[nodiscard]] static Sample from_json(const nlohmann::ordered_json& json);
};

/// A run that was begun and is no sample: it was interrupted, or failed and was made again.
struct DroppedRun {
  int index = 0;
  std::string start_utc;
  std::optional<double> seconds;  ///< until its end; nothing where spex-bench itself was ended
  std::string reason;
};

/// The reason of a run that was interrupted by a signal.
inline constexpr const char* interrupted_run = "was interrupted";

/// A run that has ended, with its run log. Where the run failed, its log is missing or malformed,
/// or names frames that failed, or `check` finds something wrong with it, the sample says so.
[[nodiscard]] Sample make_sample(const CommandResult& ended, const std::string& run_log,
                                 const std::string& program_log,
                                 const std::function<std::string(const RunLog&)>& check);

/// "2026-11-21T08:00:00Z".
[[nodiscard]] std::string utc_text(double unix_seconds);
/// The seconds since 1970 of such a text; 0 where it is none.
[[nodiscard]] double unix_of(const std::string& utc);
/// Now, seconds since 1970.
[[nodiscard]] double unix_now();

}  // namespace spex::bench
