// The frames of a long run, looked at while it goes on, so that they need not all be kept.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "bench/machine/repeated.hpp"

namespace spex::bench {

struct CollectedFrames {
  std::vector<double> written;    ///< of each frame: when it took its name, by its file system
  std::vector<std::string> kept;  ///< by input: where its first frame is now; "" for none
  int most_waiting = 0;           ///< frames that were there and not yet looked at
  std::string failure;            ///< the first; empty where there is none
};

/// Takes each frame as it appears: it must be a file of its own that the run wrote. The first of
/// each input is moved to a folder of its own, to be validated once the run is over; each later one
/// must have its bytes (sha256), and is removed. So every frame of the run is validated, and the
/// disk holds one of each input and those that are waiting.
class OutputCollector {
 public:
  /// `frames` are paths in one folder, where nothing else is, of `inputs` distinct inputs in turn;
  /// `kept` is a folder in the same file system. `threads` hash at a time.
  OutputCollector(std::vector<std::string> frames, std::size_t inputs, std::string kept,
                  int threads);

  /// Frames that have appeared so far.
  [[nodiscard]] long seen() const { return seen_; }
  /// To be called when the run has ended: looks at what is left. A frame that is missing is a
  /// failure.
  [[nodiscard]] CollectedFrames finish();

 private:
  void look();
  [[nodiscard]] std::vector<int> find_new();
  void take(int frame);
  void fail(int frame, const std::string& what);

  std::vector<std::string> frames_;
  std::string folder_, kept_;
  int threads_;
  std::unordered_map<std::string, int> awaited_;  // by name; those that were found are out
  std::atomic<long> seen_{0};
  std::mutex mutex_;
  CollectedFrames result_;
  std::vector<std::string> hashes_;  // of the first frame, by input
  std::optional<Repeated> looks_;
};

}  // namespace spex::bench
