// What the runs of a campaign work on and are held to: exposures, reference frames, golden cases.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "bench/campaign/campaign.hpp"
#include "bench/campaign/entry_run.hpp"
#include "bench/correctness/dataset.hpp"
#include "bench/correctness/known_files.hpp"
#include "bench/correctness/reference_store.hpp"
#include "bench/correctness/validation.hpp"

namespace spex::bench {

/// Each is made once, when it is first needed, for all entries that share it.
class CampaignInputs {
 public:
  /// `data` is the data folder; the folder of references is taken here. Throws as OwnedFolder does.
  CampaignInputs(const Plan& plan, const CampaignSettings& settings, const Programs& programs,
                 const std::string& spex_cpu_sha256, std::string data, Signals& signals);

  /// The exposure of a case by the plan's seed, which stays where it is. Throws Error(data).
  const Dataset& exposure(const std::string& case_name, int planned);
  /// The exposures of an entry's runs from `first` on and before `end`, each once; of a long run
  /// those in turn, and then that of the warm-ups.
  std::vector<const Dataset*> exposures_of(const EntryRun& run, int first, int end);

  /// `inputs` of a result before its first run.
  [[nodiscard]] nlohmann::ordered_json json(const EntryRun& run) const;
  /// Adds the exposures of a run that begins to the result's inputs, and the entries that have
  /// extracted some of them before: seeds that are drawn are in no file that is not watched until
  /// then.
  void use(EntryRun& run, const std::vector<const Dataset*>& exposures);
  /// Of a result that is resumed: its inputs are those that are there now. Seeds that are drawn are
  /// others at each start. Throws Error(data) with the result's name.
  void check_resumed(const EntryRun& run, const std::string& result);

  /// Makes the reference frames of an exposure's first frames, where the plan has references.
  void make_references(const EntryRun& run, const Dataset& exposure);
  /// The inputs of a run beyond those that were prepared: of one that is made in the place of a
  /// throttled run, or for a narrower interval.
  void prepare_further(const EntryRun& run, int index);

  /// An output of an input, and what it is held to.
  [[nodiscard]] OutputFrame output_of(const Entry& entry, const InputFrame& input,
                                      const std::string& path) const;
  /// What a run on `its_own` has no business with: the inputs of other runs, which it could work on
  /// off the clock, truths, and reference frames, of other campaigns and options too.
  [[nodiscard]] ClosedFiles not_for(const std::set<const Dataset*>& its_own) const;

  /// Patches of a frame of the entry; those of a camera are as many in every exposure of a case.
  long patches_of(const Entry& entry, const InputFrame& frame);

  /// The plan's golden cases by the entry's milestone, once for all entries that share it.
  nlohmann::ordered_json golden_gate(const Entry& entry);

  /// Fails the runs whose inputs are not those that were made.
  void fail_changed(std::vector<EntryRun>& runs) const;

 private:
  static void add(EntryRun& run, const std::vector<const Dataset*>& exposures);
  void look_at_files();

  const Plan& plan_;
  const CampaignSettings& settings_;
  const Programs& programs_;
  std::string data_;
  Signals& signals_;
  Seeds seeds_;
  ReferenceStore references_;
  std::map<std::pair<std::string, int>, Dataset> exposures_;  // by case and the plan's seed
  // By exposure, the entries that have begun to extract it, and their options.
  std::map<const Dataset*, std::map<std::string, std::vector<std::string>>> users_;
  KnownFiles files_;
  std::map<Milestone, nlohmann::ordered_json> golden_;
  std::map<std::pair<std::string, std::string>, long> patches_;  // by entry and camera
};

}  // namespace spex::bench
