// Files that a run has no business with, and where they are.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace spex::bench {

/// All files below some folders, and the folders, as they were when spex-bench was last at work
/// there. A watch of files by their names sees those that have not been moved away, or others put
/// in their place. Hidden files are none of spex-bench's but its locks, which others open.
class KnownFiles {
 public:
  /// Looks at the folders anew. Throws Error(data) where one of them, or one below, cannot be read,
  /// or is a link: what is not known is not watched.
  void look(const std::vector<std::string>& folders);

  /// Of the files.
  [[nodiscard]] std::vector<std::string> paths() const;
  /// The first file or folder that is not where it was, or is another one there; "" where all are.
  [[nodiscard]] std::string moved() const;

 private:
  /// Of what a name is, and of what it leads to where it is a link.
  struct Identity {
    unsigned long device = 0, inode = 0, target_device = 0, target_inode = 0;
    bool is_folder = false;
    bool operator==(const Identity&) const = default;
  };
  static bool identify(const std::string& path, Identity& identity);
  void take(const std::string& path);

  std::map<std::string, Identity> known_;
};

/// What a run has no business with.
struct ClosedFiles {
  std::vector<std::string> paths;   ///< it does not open them
  const KnownFiles* all = nullptr;  ///< it leaves them, and its own inputs, where they are; or null

  /// KnownFiles::moved of all; "" where there are none.
  [[nodiscard]] std::string moved() const { return all == nullptr ? "" : all->moved(); }
};

}  // namespace spex::bench
