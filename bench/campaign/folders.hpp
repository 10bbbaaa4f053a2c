// The folders of a campaign, and their files.
#pragma once

#include <string>

#include "bench/campaign/campaign.hpp"

namespace spex::bench {

/// Keeps other runs out of a folder while the object lives.
class FolderLock {
 public:
  /// Throws Error(data) if another run holds the folder (the message names it), or the folder
  /// cannot be written.
  explicit FolderLock(const std::string& folder);
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock();

 private:
  int file_ = -1;  // a descriptor; -1 if the file system has no locks
};

/// A folder that spex-bench made, which its lock file shows. While the object lives, no other run
/// uses the folder.
class OwnedFolder {
 public:
  /// Makes the folder if it does not exist. Throws Error(usage) with `option` if the folder has
  /// files but no lock file, or belongs to another user. Throws Error(data) if another run holds it
  /// (the message names it), or it cannot be written.
  OwnedFolder(const std::string& option, const std::string& path);

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
  FolderLock lock_;
};

/// The folders of results and data, made or checked, and locked while the object lives.
class CampaignFolders {
 public:
  /// Throws Error(usage) if one folder is within another, there are results that are not to be
  /// resumed, or a folder belongs to another user or plan. Throws Error(data) if a folder cannot be
  /// written or is in use.
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
  /// The output of the extractor in a run.
  [[nodiscard]] std::string log_of_run(const std::string& entry, int index) const;
  /// The run log that the program under test writes, and the list of its frames.
  [[nodiscard]] std::string events() const { return outputs() + "/events.json"; }
  [[nodiscard]] std::string list() const { return outputs() + "/frames.txt"; }
  [[nodiscard]] std::string outputs_of(const std::string& entry, int index) const;

  /// The same folder, emptied.
  [[nodiscard]] std::string new_outputs_of(const std::string& entry, int index) const;
  /// Whether the disk of inputs and outputs has room for so many bytes (machine/memory.hpp).
  [[nodiscard]] bool has_room_for(double bytes) const;
  /// Whether a disk of the outputs or logs is full.
  [[nodiscard]] bool is_full() const;

 private:
  std::string out_;
  FolderLock out_lock_;
  OwnedFolder data_;
};

}  // namespace spex::bench
