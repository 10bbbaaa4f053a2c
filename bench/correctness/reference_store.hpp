// Frames of the CPU extractor that all others are held to.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/correctness/dataset.hpp"
#include "bench/correctness/owned_folder.hpp"
#include "bench/measure/entry.hpp"
#include "bench/measure/launch.hpp"
#include "bench/measure/signals.hpp"

namespace spex::bench {

/// How the frames that others are held to are made, outside the clock.
struct Reference {
  std::string method = "cholesky";
  /// Of which cameras; all where it is empty, as it must be outside the tier ci.
  std::vector<std::string> cameras;

  [[nodiscard]] bool has(const std::string& camera) const;
};

/// A folder of reference frames, each named by the hash of what decides its values: image, PSF,
/// options, method, and the program that made it. They are kept for later runs. The program under
/// test is told nothing of this folder.
class ReferenceStore {
 public:
  /// `spex_cpu_sha256` is the hash of the program that makes them. Those of drawn seeds lie apart:
  /// those of other campaigns are removed, which nobody has a use for.
  ReferenceStore(OwnedFolder folder, std::string spex_cpu_sha256, SeedSource seeds);

  /// Makes those of the entry's first `frames` frames that the store does not hold, or holds with
  /// other bytes than were written; and, of those that it holds from earlier, one that is drawn by
  /// lot, which must come out the same. Throws Error(data) where that fails.
  void prepare(const Entry& entry, const Dataset& dataset, int frames, const Reference& reference,
               const Programs& programs, Signals& signals);

  /// The file of a frame that was prepared; "" where the reference does not have its camera.
  [[nodiscard]] std::string path_of(const Entry& entry, const InputFrame& frame,
                                    const Reference& reference) const;

  /// The sha256 that the file had when it was prepared; "" for other files. What it has now is
  /// for who reads it to say.
  [[nodiscard]] std::string sha256_of(const std::string& path) const;

 private:
  [[nodiscard]] bool holds(const std::string& path);
  /// By spex-cpu, with their hashes. `again`, made once more from its input, may have no input.
  void make(const std::vector<ListedFrame>& missing, const ListedFrame& again, const Entry& entry,
            const Reference& reference, const Programs& programs, Signals& signals);
  /// Frames of the folder are made again before they are used.
  void forget_all();

  OwnedFolder owned_;
  std::string folder_;  // of the frames
  std::string spex_cpu_sha256_;
  std::map<std::string, std::string> checked_;  // sha256 by path; "" where it is not as written
};

}  // namespace spex::bench
