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
  long long pairs = 0;           ///< of neighbouring wavelengths where both are used
  double mean = unknown;         ///< 0 is expected
  double std = unknown;          ///< of the population
  double half_width = unknown;   ///< half of the central 68.27 %, by linear interpolation
  double correlation = unknown;  ///< of pulls in bins w and w + 1, over pairs where both are used
};

/// How far the statistics of so many unit normal pulls may be from 0, 1, 1 and 0: `sigmas` of their
/// standard deviations, so that the limits are as narrow as the number of bins lets them be.
struct PullLimits {
  /// Standard deviations of each statistic.
  static constexpr double sigmas = 6;
  /// Besides, of the mean: pixels' weights follow their own noise, which draws the mean of
  /// simulated frames to -0.001 to -0.004.
  static constexpr double pull_bias = 0.005;
  double mean = 0;         ///< from 0
  double std = 0;          ///< from 1
  double half_width = 0;   ///< from 1
  double correlation = 0;  ///< from 0
};
/// The limits for statistics of so many bins and pairs.
[[nodiscard]] PullLimits pull_limits(long long bins, long long pairs);

/// With fewer used bins than this nothing is said, and the check fails.
inline constexpr long long truth_least_bins = 1000;
/// The part of each fiber's bins that must be used.
inline constexpr double truth_least_of_fiber = 0.5;
/// With fewer used bins than this nothing is said of a fiber by itself.
inline constexpr long long truth_bins_of_fiber = 30;

/// The pulls of a frame against a truth, and what they are held to.
struct TruthCheck {
  std::string path;           ///< of the truth
  PullStatistics pulls;       ///< of the bins that are used
  PullLimits limits;          ///< of these
  std::vector<Check> checks;  ///< the statistics against their limits

  /// Whether all checks pass.
  [[nodiscard]] bool ok() const;
};

/// R f of one spectrum of nwave bins; `resolution[d nwave + j]` is R[j - ndiag + d][j] (section 5).
[[nodiscard]] std::vector<double> apply_resolution(const double* resolution, long long ndiagonals,
                                                   const double* flux, long long nwave);

/// Mean and standard deviation of the pulls of several frames together, from those of each, as two
/// checks (of "all").
[[nodiscard]] std::vector<Check> check_together(const std::vector<PullStatistics>& frames);

/// Statistics over the bins with MASK = 0 and ivar > 0 that are ndiag bins or more from the ends of
/// the grid: nearer to them, light of bins outside the grid, whose resolution the frame does not
/// hold, reaches into the expected flux. They are held to their limits over all bins and for each
/// fiber, of which half of the bins must count.
///
/// The frame must have the HDUs of file-formats.md in fitting shapes (else a check fails). Throws
/// Error(data) where the truth is not on the frame's wavelengths or has not its fibers.
[[nodiscard]] TruthCheck check_truth(const FrameFile& frame, const TruthFile& truth);

}  // namespace spex
