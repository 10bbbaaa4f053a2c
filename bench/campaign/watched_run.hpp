// A run of an entry, watched from outside from before its launcher starts until it has ended.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/campaign/entry_run.hpp"
#include "bench/campaign/folders.hpp"
#include "bench/correctness/known_files.hpp"
#include "bench/measure/command.hpp"
#include "bench/measure/gpu_monitor.hpp"
#include "bench/measure/machine.hpp"
#include "bench/measure/nvml.hpp"
#include "bench/measure/run_observer.hpp"

namespace spex::bench {

/// What was seen of a run.
struct WatchedRun {
  CommandResult result;
  std::vector<GpuObservation> gpus;  ///< of the entry
  std::string gpu_not_given;         ///< another one that was used meanwhile; "" where none was
  std::optional<Opening> first_read;
  std::optional<Closing> last_close;  ///< of an output, that was open for writing
  std::string unopened;               ///< an input that was not opened; "" where none is known
  std::string answer;  ///< of a file that a run has no business with (answer_touched); ""
  std::optional<double> node_joules;
};

/// Starts runs, and makes samples of them.
class RunWatcher {
 public:
  /// `write` writes the result of an entry, so that whatever ends this program, it is known that a
  /// run was begun.
  RunWatcher(const Nvml& nvml, const Machine& machine, const CampaignFolders& folders,
             Signals& signals, std::function<void(const EntryRun&)> write);

  /// Runs the entry's launch, whose list of frames is written, or to which the words `frame` are
  /// added, the files of a frame alone. `inputs` are what it reads, `closed` what it must not;
  /// what it writes to the folder `outputs` is watched, unless that is "". What does not end by
  /// itself stays in `dropped`. Throws Error(internal) where this node's files cannot be watched.
  [[nodiscard]] WatchedRun run(EntryRun& run, const std::vector<std::string>& frame,
                               const std::vector<std::string>& inputs, const ClosedFiles& closed,
                               const std::string& outputs, double time_limit_s);

  /// The sample of a run that was not interrupted; what it says of itself is held to what was asked
  /// (`cameras`, and `patches` of all of them) and seen. `last_write` is by this machine's clock.
  [[nodiscard]] Sample sample_of(EntryRun& run, const WatchedRun& watched,
                                 std::optional<double> last_write,
                                 const std::vector<std::string>& cameras, long patches) const;

  /// NVML's numbers of the GPUs of an entry.
  [[nodiscard]] std::vector<int> nvml_indices(const Entry& entry) const;

 private:
  [[nodiscard]] std::vector<int> gpus_not_given(const EntryRun& run) const;
  void look_at_settings(EntryRun& run) const;
  void keep_run_log(EntryRun& run) const;

  const Nvml& nvml_;
  const Machine& machine_;
  const CampaignFolders& folders_;
  Signals& signals_;
  std::function<void(const EntryRun&)> write_;
  // Of the GPUs at the beginning, by NVML's number.
  std::map<int, nlohmann::ordered_json> settings_;
};

}  // namespace spex::bench
