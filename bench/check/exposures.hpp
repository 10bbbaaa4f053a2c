// The simulated exposures that runs work on.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "bench/plan/entry.hpp"
#include "bench/result/record.hpp"
#include "bench/run/launch.hpp"
#include "bench/run/signals.hpp"

namespace spex::bench {

/// A frame's files. The truth is there once it was made.
struct InputFrame {
  std::string camera;
  std::string preproc, psf, truth;
};

/// A case's frames on disk, of one seed, in the order of the case.
struct Exposure {
  const Case* of = nullptr;
  std::string folder;
  std::int64_t seed = 0;
  std::string sha256;  ///< of the hashes of all images and PSFs
  std::vector<InputFrame> frames;
};

/// A frame of one of several exposures.
struct ExposureFrame {
  std::size_t exposure = 0;
  int frame = 0;
};

/// The first `frames` frames of each exposure, in the order in which --exposure extracts them.
[[nodiscard]] std::vector<ExposureFrame> frames_of(const std::vector<Exposure>& exposures,
                                                   int frames);

/// Simulates inputs by spex-sim: images and PSFs whose headers do not name the seed. A truth is
/// made from the seed when it is asked for. Inputs of the plan's seeds are kept for later
/// campaigns.
class Exposures {
 public:
  /// They lie in `data`/inputs. Seeds are the plan's, or `drawn` for each exposure, so that nobody
  /// knows them before.
  Exposures(std::string data, bool drawn, const Programs& programs, Signals& signals);

  /// Inputs of the case by the plan's seed, or by one that is drawn now. Throws Error(data) where
  /// they cannot be made, and Interrupted.
  [[nodiscard]] Exposure make(const Case& one, int planned_seed);
  /// Those of a seed that were made before; nothing where they are no longer there as they were.
  [[nodiscard]] std::optional<Exposure> find(const Case& one, std::int64_t seed,
                                             const std::string& sha256) const;
  /// Makes the truths of an exposure whose inputs are still those that were made. Throws as `make`.
  void make_truths(const Exposure& exposure);
  static void remove_truths(const Exposure& exposure);
  /// Removes inputs of a drawn seed; those of the plan's are kept.
  void remove(const Exposure& exposure) const;
  /// Removes all inputs of drawn seeds.
  void clear() const;

  [[nodiscard]] bool are_drawn() const { return drawn_; }
  /// `inputs` of a result.
  [[nodiscard]] InputsRecord record(const Case& one) const;

 private:
  [[nodiscard]] Exposure at(const Case& one, std::int64_t seed) const;
  void simulate(const Exposure& exposure, const char* files);

  std::string data_, folder_;
  bool drawn_;
  const Programs& programs_;
  Signals& signals_;
};

/// A frame to extract, and where to.
struct ListedFrame {
  const InputFrame* input = nullptr;
  std::string output;
};

/// Writes a list for the extractors' --list, in this order. Throws Error(data).
void write_frame_list(const std::vector<ListedFrame>& frames, const std::string& path);

}  // namespace spex::bench
