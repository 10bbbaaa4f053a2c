// Reference frames by the CPU extractor, with which all other frames are compared.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bench/check/exposures.hpp"
#include "bench/plan/entry.hpp"
#include "bench/run/launch.hpp"
#include "bench/run/signals.hpp"

namespace spex::bench {

/// A folder of reference frames. Each is named by the hash of all that determines its values:
/// inputs, camera, options, method, program. References for the plan's seeds are kept for later
/// campaigns.
class References {
 public:
  /// `spex_cpu_sha256` is the hash of the program that makes the frames.
  References(std::string folder, std::string spex_cpu_sha256, const Programs& programs,
             Signals& signals);

  /// Makes the missing references of the exposure's first `frames` frames; returns the path for
  /// each camera that `reference` has, by its method in run `run`. Throws Interrupted, and
  /// Error(data) if a frame cannot be made.
  [[nodiscard]] std::map<std::string, std::string> make(const Entry& entry,
                                                        const Exposure& exposure, int frames,
                                                        const Reference& reference, int run);
  /// Removes files that `make` returned.
  static void remove(const std::map<std::string, std::string>& files);

 private:
  void extract(const std::vector<ListedFrame>& frames, const Entry& entry,
               const std::string& method);

  std::string folder_;
  std::string spex_cpu_sha256_;
  const Programs& programs_;
  Signals& signals_;
};

}  // namespace spex::bench
