// Simulated exposures, the inputs of runs.
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

/// A frame's files. The truth exists only after make_truths.
struct InputFrame {
  std::string camera;
  std::string preproc, psf, truth;
};

/// Files of a case's frames for one seed, in the order of the case.
struct Exposure {
  const Case* plan_case = nullptr;
  std::string folder;
  std::int64_t seed = 0;
  std::string sha256;  ///< of the list of the hashes of all images and PSFs
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

/// Simulates inputs with spex-sim: images and PSFs whose headers do not contain the seed. Truths
/// are made from the seed later. Inputs of the plan's seeds are kept for later campaigns.
class Exposures {
 public:
  /// Inputs are in `data`/inputs. Their seeds are the plan's, or `drawn` for each exposure, so that
  /// nobody knows them in advance.
  Exposures(std::string data, bool drawn, const Programs& programs, Signals& signals);

  /// Inputs of the case with the plan's seed, or with a seed drawn now. Throws Interrupted, and
  /// Error(data) if they cannot be made.
  [[nodiscard]] Exposure make(const Case& plan_case, int planned_seed);
  /// Inputs made earlier from a seed; nothing if they are missing or changed.
  [[nodiscard]] std::optional<Exposure> find(const Case& plan_case, std::int64_t seed,
                                             const std::string& sha256) const;
  /// Makes the truths of an exposure. Throws as `make` does, and Error(data) if its inputs changed.
  void make_truths(const Exposure& exposure);
  static void remove_truths(const Exposure& exposure);
  /// Removes the exposure's inputs if their seed was drawn.
  void remove(const Exposure& exposure) const;
  /// Removes all inputs of drawn seeds.
  void clear() const;

  [[nodiscard]] bool are_drawn() const { return drawn_; }
  /// The object `inputs` of a result.
  [[nodiscard]] InputsRecord record(const Case& plan_case) const;

 private:
  [[nodiscard]] Exposure at(const Case& plan_case, std::int64_t seed) const;
  void simulate(const Exposure& exposure, const char* files);

  std::string data_, folder_;
  bool drawn_;
  const Programs& programs_;
  Signals& signals_;
};

/// A frame to extract, and its output path.
struct ListedFrame {
  const InputFrame* input = nullptr;
  std::string output;
};

/// Writes a list for the extractors' --list in this order. Throws Error(data).
void write_frame_list(const std::vector<ListedFrame>& frames, const std::string& path);

}  // namespace spex::bench
