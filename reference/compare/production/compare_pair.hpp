// Compares a frame with the frame of DESI's pipeline of the same camera and exposure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reference/compare/production/compare_spectra.hpp"
#include "reference/compare/production/difference.hpp"
#include "reference/compare/production/frame_pairs.hpp"
#include "reference/compare/tolerance.hpp"

namespace spex {

/// The comparison of one pair of frames.
struct PairReport {
  ProductionPair files;        ///< the two frames
  std::string error = {};      ///< why they cannot be compared, one line; empty if they can
  std::string extractor = {};  ///< of production: "gpu_specter 0.3.0", "specter 0.10.1"
  std::string desispec = {};   ///< version; empty if not stated
  std::string psf = {};        ///< the PSF that tells where the CCD ends; empty if none was found
  std::optional<SpectraComparison> spectra = {};  ///< absent if shapes differ
  std::vector<Difference> differences = {};       ///< those that are not expected first
  std::vector<std::string> looks_like = {};       ///< what may have caused differences, for people

  /// Whether both frames exist.
  [[nodiscard]] bool is_pair() const { return !files.ours.empty() && !files.production.empty(); }
  /// Whether both exist, could be compared, and all differences are expected.
  [[nodiscard]] bool ok() const;
};

/// Compares the frames of `files`, if both exist. Errors of files become `error`: a frame that
/// cannot be read, one of ours that is not of this project (SPEXPROG), or one of production that
/// is.
[[nodiscard]] PairReport compare_pair(const ProductionPair& files, const Tolerance& tolerance);

}  // namespace spex
