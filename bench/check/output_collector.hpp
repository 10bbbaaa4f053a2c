// Inspects the frames of a long run during the run, so that not all of them need to be kept.
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
  /// per frame: time of its rename, by its file system's clock, s since 1970
  std::vector<double> written;
  std::vector<std::string> kept;  ///< by input: current path of its first frame; "" for none
  int max_waiting = 0;  ///< largest number of frames that were complete and not yet inspected
  std::string failure;  ///< the first failure; "" if there is none
};

/// Inspects each frame when it appears: it must be a separate regular file that the run wrote. The
/// first frame of each input is moved to another folder and validated after the run. Each later
/// frame must have the same bytes (sha256), and is removed. So every frame is validated, and the
/// disk holds one frame per input and the waiting ones.
class OutputCollector {
 public:
  /// `frames` are paths in one folder, which has no other files; their inputs repeat after `inputs`
  /// frames. `kept` is a folder in the same file system. `threads` threads hash frames.
  OutputCollector(std::vector<std::string> frames, std::size_t inputs, std::string kept,
                  int threads);

  /// Number of frames that have appeared.
  [[nodiscard]] long seen() const { return seen_; }
  /// Inspects the remaining frames; call it when the run has ended. A missing frame is a failure.
  [[nodiscard]] CollectedFrames finish();

 private:
  void inspect_new();
  [[nodiscard]] std::vector<int> find_new();
  void inspect_frame(int frame);
  void fail(int frame, const std::string& what);

  std::vector<std::string> frames_;
  std::string folder_, kept_;
  int threads_;
  std::unordered_map<std::string, int> awaited_;  // frames not found yet, by name
  std::atomic<long> seen_{0};
  std::mutex mutex_;
  CollectedFrames result_;
  std::vector<std::string> hashes_;  // of the first frame, by input
  std::optional<Repeated> poller_;
};

}  // namespace spex::bench
