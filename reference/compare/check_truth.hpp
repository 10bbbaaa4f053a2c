// Extracted spectra against the spectra that were simulated: the check that no golden can replace.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "reference/compare/check.hpp"
#include "reference/compare/frame_file.hpp"

namespace spex {

/// What went into a simulated image (file-formats.md).
struct TruthFile {
  std::string path;          ///< of the file
  long long nfiber = 0;      ///< number of fibers
  long long nwave = 0;       ///< number of wavelengths
  std::vector<double> wave;  ///< Angstrom [nwave]
  std::vector<double> flux;  ///< electron / Angstrom [nfiber, nwave]
};

/// Throws Error(data) where the file is no truth file, is not on a grid (ONGRID), or holds a flux
/// that is not finite.
[[nodiscard]] TruthFile read_truth(const std::string& path);

/// pull = (flux - R truth) sqrt(ivar). It must be a unit normal, and pulls of neighbouring
/// wavelengths must be independent. All are NaN where there are too few bins to say.
struct PullStatistics {
  /// Where too few bins are used.
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  long long bins = 0;            ///< how many are used
  double mean = unknown;         ///< 0 is expected
  double std = unknown;          ///< of the population
  double half_width = unknown;   ///< half of the central 68.27 %, by linear interpolation
  double correlation = unknown;  ///< of pulls in bins w and w + 1, over pairs where both are used
};

inline constexpr double truth_limit = 0.03;  ///< |mean|, |std - 1|, |half width - 1|, |corr|
/// With fewer used bins than this nothing is said, and the check fails.
inline constexpr long long truth_least_bins = 1000;

/// The pulls of a frame against a truth, and what they are held to.
struct TruthCheck {
  std::string path;           ///< of the truth
  PullStatistics pulls;       ///< of the bins that are used
  std::vector<Check> checks;  ///< the statistics against truth_limit

  /// Whether all checks pass.
  [[nodiscard]] bool ok() const;
};

/// R f of one spectrum of nwave bins; `resolution[d nwave + j]` is R[j - ndiag + d][j] (section 5).
[[nodiscard]] std::vector<double> apply_resolution(const double* resolution, long long ndiagonals,
                                                   const double* flux, long long nwave);

/// Statistics over the bins with MASK = 0 and ivar > 0 that are ndiag bins or more from the ends of
/// the grid: nearer to them, light of bins outside the grid, whose resolution the frame does not
/// hold, reaches into the expected flux.
///
/// The frame must have the HDUs of file-formats.md in fitting shapes (else a check fails). Throws
/// Error(data) where the truth is not on the frame's wavelengths or has not its fibers.
[[nodiscard]] TruthCheck check_truth(const FrameFile& frame, const TruthFile& truth);

}  // namespace spex
