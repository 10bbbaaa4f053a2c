// A result file that is made once more from its own samples.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "bench/campaign/entry_run.hpp"
#include "bench/campaign/plan.hpp"

namespace spex::bench {

/// Reads a result of `entry` of `plan`, and makes all of it anew that follows from the plan, the
/// samples and the checks of frames: figures, energy, roofline, publication, verdict, seal.
class Replay {
 public:
  /// `key` is that of the seal. Throws where the JSON is no result of this version.
  Replay(const Plan& plan, const Entry& entry, const nlohmann::ordered_json& json,
         const std::string& key);

  /// Every member that is another than what was made anew, and samples and frames that cannot be.
  [[nodiscard]] const std::vector<std::string>& inconsistent() const { return inconsistent_; }
  [[nodiscard]] const std::vector<std::string>& incomplete() const { return incomplete_; }
  /// As made anew.
  [[nodiscard]] const std::vector<std::string>& not_published() const { return not_published_; }
  [[nodiscard]] const EntryRun& run() const { return run_; }

 private:
  void read_run(const nlohmann::ordered_json& json, const std::string& key);
  void compare(const nlohmann::ordered_json& json);
  void check_against_plan(const nlohmann::ordered_json& json);
  void check_samples();
  void check_seed(const Sample& sample, const std::string& name);
  void check_steady_part(const Sample& sample, const std::string& name);
  void check_frames(const nlohmann::ordered_json& json);
  void check_inputs();
  void refuse(const std::string& what) { inconsistent_.push_back(what); }

  const Plan& plan_;
  RunFacts facts_;
  EntryRun run_;
  std::optional<double> planned_s_;  // that a long run lasts
  std::vector<std::string> inconsistent_, incomplete_, not_published_;
};

}  // namespace spex::bench
