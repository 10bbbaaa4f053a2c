// An entry of a plan while it is run.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "bench/campaign/folders.hpp"
#include "bench/check/exposures.hpp"
#include "bench/plan/plan.hpp"
#include "bench/result/record.hpp"

namespace spex::bench {

/// The outputs of a run of an exposure: by frame of the exposure, "" where there is none.
struct ExposureOutputs {
  Exposure exposure;
  std::vector<std::string> frames;
};

/// A run whose frames are not yet compared.
struct PendingRun {
  std::size_t sample = 0;                ///< of the record
  std::vector<ExposureOutputs> outputs;  ///< none where an earlier run gave the same bytes

  [[nodiscard]] std::vector<std::string> paths() const;
};

struct EntryRun {
  const Entry* entry = nullptr;
  const Case* of = nullptr;
  Record record;
  std::vector<PendingRun> pending;

  /// A run of the tier night.
  [[nodiscard]] bool is_long() const { return entry->sustain.has_value(); }
  /// Whether several runs may have the same inputs.
  [[nodiscard]] bool has_shared_inputs() const { return of->seeds || is_long(); }
  [[nodiscard]] int next_index() const { return static_cast<int>(record.timing.samples.size()); }
  [[nodiscard]] bool next_is_warmup() const { return next_index() < record.timing.warmups; }
};

/// Whether an earlier run that did not fail had the same inputs and gave the same bytes.
[[nodiscard]] bool is_repeat(const std::vector<Sample>& samples, std::size_t index);

/// Writes the result of an entry so far, so that a later failure does not lose it.
void write_result(const CampaignFolders& folders, EntryRun& run);

/// The record of an entry before its first run; `shared` has what all entries of a campaign share.
[[nodiscard]] Record begin_record(const Entry& entry, const Case& one, const Plan& plan,
                                  const Record& shared);

/// Takes up the samples, validation, health, golden cases and costs of the result file at `path`.
/// Throws Error(data) where it is no result that `now`, the record before its first run, goes on
/// with: another plan, build, machine, launch, ..., or one that does not follow from its record.
void resume_record(const std::string& path, Record& now);

}  // namespace spex::bench
