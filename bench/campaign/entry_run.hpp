// An entry of a plan while it is run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "bench/campaign/plan.hpp"
#include "bench/campaign/verdict.hpp"
#include "bench/correctness/validation.hpp"
#include "bench/measure/gpu_monitor.hpp"
#include "bench/measure/launch.hpp"
#include "bench/measure/sample.hpp"

namespace spex::bench {

/// What all result files of a run share.
struct RunFacts {
  std::string run_id;
  const Plan* plan = nullptr;
  std::string plan_sha256;
  nlohmann::ordered_json build, system;
  nlohmann::ordered_json programs;                 ///< sha256 by name
  std::map<std::string, std::string> environment;  ///< variables that bear on speed or values
  std::map<std::string, std::string> slurm;        ///< ids and shapes of its job
  std::string seal_key;                            ///< of the data folder
  bool goldens_are_ours = false;                   ///< the list of golden cases is the repository's
  std::string gpu_reason;                          ///< why NVML says nothing; empty where it does
  std::optional<Thresholds> thresholds;
};

/// Everything known of one entry. A plain record that the campaign fills.
struct EntryRun {
  Entry entry;
  std::string start_utc, end_utc;
  int warmups = 0, repeats = 0;
  std::optional<Stopping> until;
  int frames = 0;   ///< asked for; of a long run, known when its warm-ups are over
  int bundles = 0;  ///< of all frames
  bool has_fpnh = true;
  Launch launch;
  nlohmann::ordered_json inputs;
  nlohmann::ordered_json golden = nlohmann::ordered_json::array();
  std::vector<Sample> samples;
  std::vector<DroppedRun> dropped;
  bool extended = false;  ///< runs were added to a result that was complete
  /// Of what is kept of the last run beside the result; nothing where that was not kept.
  std::optional<std::string> run_log_sha256, series_sha256;
  Validation validation;
  nlohmann::ordered_json health_before, health_after;  ///< null where unknown
  std::vector<nlohmann::ordered_json> health_during;   ///< by GPU
  /// Which setting of a GPU was not what it had been, after which run; the first that was seen.
  std::optional<std::string> settings_changed;
  nlohmann::ordered_json stage_costs = nlohmann::ordered_json::array();  ///< of all frames
  bool skipped = false;
  std::string skipped_because;
  std::string error;

  /// Nothing is left to run: there are as many timed runs that count as were asked for, and the
  /// interval is as narrow, or there are as many as there may be. A throttled run is made again,
  /// but no more of them than were asked for.
  [[nodiscard]] bool done() const;
  [[nodiscard]] bool failed() const;     ///< a run failed, a frame is wrong, or a golden case is
  [[nodiscard]] int next_index() const;  ///< of the samples
  [[nodiscard]] int runs_left() const;   ///< at least
  /// The seeds of run `index`, of a case that is no long run's: of its beginnings that are no
  /// samples, and last of itself.
  [[nodiscard]] std::vector<int> seeds_of_run(const Case& one, int index) const;
  /// The timed samples that count.
  [[nodiscard]] std::vector<const Sample*> timed() const;

  /// Adds what was seen of the GPUs during a run.
  void add_health(const std::vector<GpuObservation>& watched);
  [[nodiscard]] Evidence evidence(const RunFacts& facts) const;
};

}  // namespace spex::bench
