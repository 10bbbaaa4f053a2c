// The folders of a campaign, and what lies where in them.
#pragma once

#include <string>

#include "bench/campaign/campaign.hpp"

namespace spex::bench {

/// Keeps other runs out of a folder while it lives.
class FolderLock {
 public:
  /// Throws Error(data) where another run holds the folder, which is named, or it cannot be
  /// written.
  explicit FolderLock(const std::string& folder);
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock();

 private:
  int file_ = -1;  // a descriptor; -1 where the file system has no locks
};

/// A folder that spex-bench made: one with its lock file, which others' folders lack. While one
/// lives, no other run uses the folder.
class OwnedFolder {
 public:
  /// Makes the folder where there is none. Throws Error(usage) with `option` where it holds files
  /// and no lock file, or belongs to another user, Error(data) where another run holds it, which is
  /// named, or it cannot be written.
  OwnedFolder(const std::string& option, const std::string& path);

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
  FolderLock lock_;
};

/// The folders of results and of data, made or found fit, and held for as long as this lives.
class CampaignFolders {
 public:
  /// Throws Error(usage) where one lies in another, where there are results of the plan already
  /// that are not to be resumed, or where a folder is another's; Error(data) where one cannot be
  /// written, or is in use.
  CampaignFolders(const CampaignSettings& settings, const Plan& plan);

  [[nodiscard]] const std::string& data() const { return data_.path(); }
  [[nodiscard]] std::string outputs() const { return data() + "/outputs"; }
  [[nodiscard]] std::string logs() const { return out_ + "/logs"; }
  [[nodiscard]] std::string result(const std::string& entry) const {
    return out_ + "/" + entry + ".json";
  }
  [[nodiscard]] std::string run_log(const std::string& entry) const {
    return out_ + "/" + entry + ".events.json";
  }
  [[nodiscard]] std::string series(const std::string& entry) const {
    return out_ + "/" + entry + ".series.json";
  }
  /// What the extractor says in a run.
  [[nodiscard]] std::string log_of_run(const std::string& entry, int index) const;
  /// Where the program under test writes its run log, and finds the list of its frames.
  [[nodiscard]] std::string events() const { return outputs() + "/events.json"; }
  [[nodiscard]] std::string list() const { return outputs() + "/frames.txt"; }
  [[nodiscard]] std::string outputs_of(const std::string& entry, int index) const;

  /// The same, new and empty.
  [[nodiscard]] std::string new_outputs_of(const std::string& entry, int index) const;
  /// Whether a disk of the outputs or logs is full.
  [[nodiscard]] bool is_full() const;

 private:
  std::string out_;
  FolderLock out_lock_;
  OwnedFolder data_;
};

}  // namespace spex::bench
