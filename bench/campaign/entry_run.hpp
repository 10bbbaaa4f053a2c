// An entry of a plan and its runs.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/campaign/folders.hpp"
#include "bench/check/exposures.hpp"
#include "bench/plan/plan.hpp"
#include "bench/result/record.hpp"

namespace spex::bench {

/// Output paths of a run, by frame of the exposure; "" if a frame is missing.
struct ExposureOutputs {
  Exposure exposure;
  std::vector<std::string> frames;
};

/// A run whose frames are not yet compared.
struct PendingRun {
  std::size_t sample = 0;                ///< index in the record
  std::vector<ExposureOutputs> outputs;  ///< empty if an earlier run gave the same bytes

  [[nodiscard]] std::vector<std::string> paths() const;
};

struct EntryRun {
  const Entry* entry = nullptr;
  const Case* plan_case = nullptr;
  Record record;
  std::vector<PendingRun> pending;
  /// Frames per second of a long run that was too short, and is repeated.
  std::optional<double> steady_rate;

  /// Whether this is a long run (tier night).
  [[nodiscard]] bool is_long() const { return entry->sustain.has_value(); }
  /// Whether several runs may have the same inputs.
  [[nodiscard]] bool has_shared_inputs() const { return plan_case->seeds || is_long(); }
  [[nodiscard]] int next_index() const { return static_cast<int>(record.timing.samples.size()); }
  [[nodiscard]] bool next_is_warmup() const { return next_index() < record.timing.warmups; }
};

/// Whether an earlier successful run had the same inputs and the same output bytes.
[[nodiscard]] bool is_repeat(const std::vector<Sample>& samples, std::size_t index);

/// Writes the result of an entry so far, so that a later failure does not lose it.
void write_result(const CampaignFolders& folders, EntryRun& run);

/// The record of an entry before its first run. `shared` has what all entries of a campaign share.
[[nodiscard]] Record begin_record(const Entry& entry, const Case& plan_case, const Plan& plan,
                                  const Record& shared);

/// Adds the samples, validation, health, golden cases and costs of the result file at `path` to
/// `now`, the record before its first run. Throws Error(data) if the file is not a result of the
/// same plan, build, machine and launch as `now`, or contradicts itself.
void resume_record(const std::string& path, Record& now);

}  // namespace spex::bench
