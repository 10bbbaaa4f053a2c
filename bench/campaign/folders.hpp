// The folders of a campaign, and what lies where in them.
#pragma once

#include <string>

#include "bench/campaign/campaign.hpp"
#include "bench/correctness/owned_folder.hpp"
#include "bench/correctness/validation.hpp"
#include "bench/measure/command.hpp"

namespace spex::bench {

/// The folders of results and of data, made or found fit, and held for as long as this lives.
class CampaignFolders {
 public:
  /// Throws Error(usage) where one lies in another, where there are results of the plan already
  /// that are not to be resumed, or where a folder is another's; Error(data) where one cannot be
  /// written, or is in use.
  CampaignFolders(const CampaignSettings& settings, const Plan& plan);

  [[nodiscard]] const std::string& data() const { return data_.path(); }
  [[nodiscard]] std::string outputs() const;
  [[nodiscard]] std::string logs() const;
  [[nodiscard]] std::string result(const std::string& entry) const;
  [[nodiscard]] std::string run_log(const std::string& entry) const;
  [[nodiscard]] std::string series(const std::string& entry) const;
  /// What the extractor says in a run.
  [[nodiscard]] std::string log_of_run(const std::string& entry, int index) const;
  /// Where the program under test writes its run log, and finds the list of its frames: it is told
  /// nothing of the results' folder.
  [[nodiscard]] std::string events() const;
  [[nodiscard]] std::string list() const;

  /// The key of the seals, which is made with the data folder.
  [[nodiscard]] std::string seal_key() const;

  void remove_outputs() const;
  /// An empty folder for a run, among the outputs: what an earlier run may still be writing does
  /// not come into it.
  [[nodiscard]] std::string new_output_folder(const char* name) const;

  /// Seconds by which the clock of the outputs may differ from this machine's, once the offset of
  /// the two is known.
  [[nodiscard]] double clock_slack() const;
  /// A run that is over, by the clock of the outputs; `offset` is of that clock.
  [[nodiscard]] RunWindow window_of(const CommandResult& run, double offset) const;
  /// One that begins now and has no end.
  [[nodiscard]] RunWindow window_from_now(double offset) const;
  /// Whether a disk of the outputs or logs is full.
  [[nodiscard]] bool is_full() const;

 private:
  [[nodiscard]] unsigned long output_device() const;

  std::string out_;
  FolderLock out_lock_;
  OwnedFolder data_;
};

}  // namespace spex::bench
