// Files that a run has no business with, and where they are.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace spex::bench {

/// All files below some folders, as they were when spex-bench was last at work there. A watch of
/// files by their names sees those that have not been moved away, or others put in their place.
class KnownFiles {
 public:
  /// Looks at the folders anew. Throws Error(data) where one of them, or one below, cannot be read:
  /// what is not known is not watched.
  void look(const std::vector<std::string>& folders);

  [[nodiscard]] std::vector<std::string> paths() const;
  /// The first that is not where it was, or is another file there; "" where all are.
  [[nodiscard]] std::string moved() const;

 private:
  struct Identity {
    unsigned long device = 0, inode = 0;
    bool operator==(const Identity&) const = default;
  };
  static bool identify(const std::string& path, Identity& identity);

  std::map<std::string, Identity> files_;
};

/// What a run has no business with.
struct ClosedFiles {
  std::vector<std::string> paths;   ///< it does not open them
  const KnownFiles* all = nullptr;  ///< it leaves them, and its own inputs, where they are; or null
};

}  // namespace spex::bench
