// Frames of the CPU extractor that all others are compared with.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bench/check/exposures.hpp"
#include "bench/plan/entry.hpp"
#include "bench/run/launch.hpp"
#include "bench/run/signals.hpp"

namespace spex::bench {

/// A folder of reference frames, each named by the hash of what decides its values: inputs, camera,
/// options, method, and the program that makes it. Those of the plan's seeds are kept for later
/// campaigns.
class References {
 public:
  /// `spex_cpu_sha256` is the hash of the program that makes them.
  References(std::string folder, std::string spex_cpu_sha256, const Programs& programs,
             Signals& signals);

  /// Makes those of the exposure's first `frames` frames that are not there; the file of each
  /// camera that `reference` has. Throws Error(data) where that fails, and Interrupted.
  [[nodiscard]] std::map<std::string, std::string> make(const Entry& entry,
                                                        const Exposure& exposure, int frames,
                                                        const Reference& reference);
  /// Removes files that `make` returned.
  static void remove(const std::map<std::string, std::string>& files);

 private:
  void extract(const std::vector<ListedFrame>& frames, const Entry& entry,
               const Reference& reference);

  std::string folder_;
  std::string spex_cpu_sha256_;
  const Programs& programs_;
  Signals& signals_;
};

}  // namespace spex::bench
