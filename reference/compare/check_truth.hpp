// Compares extracted spectra with the simulated spectra, independently of any golden.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "reference/compare/check.hpp"
#include "reference/compare/frame_file.hpp"

namespace spex {

/// The simulated spectra of an image (file-formats.md).
struct TruthFile {
  std::string path;          ///< path of the file
  long long nfiber = 0;      ///< number of fibers
  long long nwave = 0;       ///< number of wavelengths
  std::vector<double> wave;  ///< Angstrom [nwave]
  std::vector<double> flux;  ///< electron / Angstrom [nfiber, nwave]
};

/// Throws Error(data) if the file is not a truth file, is not on the extraction's grid (ONGRID), or
/// contains a non-finite flux.
[[nodiscard]] TruthFile read_truth(const std::string& path, bool checksums = true);

/// Statistics of pull = (flux - R truth) sqrt(ivar), which must be unit normal and independent
/// between neighboring wavelengths. All NaN if there are too few bins.
struct PullStatistics {
  /// The value of a statistic with too few bins.
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  long long bins = 0;            ///< used bins
  long long pairs = 0;           ///< pairs of neighboring used bins
  double mean = unknown;         ///< expected: 0
  double std = unknown;          ///< population standard deviation
  double half_width = unknown;   ///< half of the central 68.27 %, by linear interpolation
  double correlation = unknown;  ///< correlation of pulls in bins w and w + 1, over pairs
};

/// Limits of the deviation of these statistics from 0, 1, 1 and 0: `sigmas` standard deviations of
/// each statistic for the number of bins.
struct PullLimits {
  /// Width of the limits in standard deviations.
  static constexpr double sigmas = 6;
  /// Additional allowance for the mean: weights correlate with the pixels' noise, which shifts the
  /// mean of simulated frames to -0.001 to -0.004.
  static constexpr double pull_bias = 0.005;
  /// Error at the edges of patches (seams.md) as a fraction of the flux, rms over all bins. With
  /// `--flux patch`, a fiber's standard deviation and half-width may be larger by what it adds.
  /// Measured in camera z at S/N 120: 0.0026.
  static constexpr double seam = 0.003;
  static constexpr double seam_nwavestep = 50;  ///< nwavestep of the patches with this error
  double mean = 0;                              ///< from 0
  double std = 0;                               ///< from 1
  double half_width = 0;                        ///< from 1
  double correlation = 0;                       ///< from 0
};
/// The limits for the numbers of bins and pairs.
[[nodiscard]] PullLimits pull_limits(long long bins, long long pairs);

/// Minimal number of used bins of a frame; fewer bins fail the check.
inline constexpr long long truth_min_bins = 1000;
/// Minimal fraction of each fiber's bins that must be used.
inline constexpr double truth_min_of_fiber = 0.5;
/// Minimal number of used bins for statistics of a single fiber.
inline constexpr long long truth_bins_of_fiber = 30;

/// The comparison of a frame with a truth.
struct TruthCheck {
  std::string path;           ///< path of the truth
  PullStatistics pulls;       ///< statistics of the used bins
  PullLimits limits;          ///< limits of the statistics
  std::vector<Check> checks;  ///< the statistics against their limits

  /// Whether all checks pass.
  [[nodiscard]] bool ok() const;
};

/// R f of one spectrum of nwave bins; `resolution[d nwave + j]` is R[j - ndiag + d][j] (section 5).
[[nodiscard]] std::vector<double> apply_resolution(const double* resolution, long long ndiagonals,
                                                   const double* flux, long long nwave);

/// Checks the mean and the standard deviation of several frames' combined pulls, from the
/// statistics of each frame. Returns two checks for HDU "all".
[[nodiscard]] std::vector<Check> check_together(const std::vector<PullStatistics>& frames);

/// Uses the bins with MASK = 0 and ivar > 0 that are at least ndiag bins from the ends of the grid.
/// Closer to the ends, the expected flux includes light from bins outside of the grid, whose
/// resolution the frame does not store. Checks the statistics of all bins and of each fiber; half
/// of each fiber's bins must be used.
///
/// A frame without the HDUs of file-formats.md in matching shapes fails a check. Throws Error(data)
/// if the truth does not cover the frame's wavelengths or fibers.
[[nodiscard]] TruthCheck check_truth(const FrameFile& frame, const TruthFile& truth);

}  // namespace spex
