// A folder whose contents spex-bench may remove.
#pragma once

#include <string>

namespace spex::bench {

/// Keeps other runs out of a folder while it lives. Move-only.
class FolderLock {
 public:
  /// Throws Error(data) where another run holds the folder, which is named, or it cannot be
  /// written.
  explicit FolderLock(const std::string& folder);
  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&&) = delete;
  ~FolderLock();

 private:
  int file_ = -1;  // a descriptor; -1 where the file system has no locks
};

/// A folder that spex-bench made: one with its lock file, which others' folders lack. While one
/// lives, no other run uses the folder. Move-only.
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

}  // namespace spex::bench
