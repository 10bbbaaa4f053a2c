// Compares flux, ivar, R and chi2pix with DESI's pipeline, bin by bin.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "reference/compare/production/bin_states.hpp"
#include "reference/compare/production/difference.hpp"
#include "reference/compare/production/patch_grid.hpp"
#include "reference/compare/tolerance.hpp"

namespace spex {

/// How a quantity agrees in all bins with light in both frames, as stored.
struct Agreement {
  /// Bins of the histogram: from 1e-9 in quarters of a decade; smaller differences that are not 0
  /// count in the first, larger ones in the last.
  static constexpr int histogram_bins = 48;
  static constexpr int bins_a_decade = 4;                ///< see histogram_bins
  static constexpr double histogram_min = 1e-9;          ///< see histogram_bins
  std::string what = {};                                 ///< "flux pull", "ivar, relative" ...
  double limit = 0;                                      ///< of two methods (section 8)
  long long compared = 0;                                ///< values
  long long equal = 0;                                   ///< values equal to the last bit
  double rms = 0;                                        ///< root mean square of the difference
  double largest = 0;                                    ///< largest difference
  std::array<long long, histogram_bins> histogram = {};  ///< of differences that are not 0

  /// Counts a value; `sum_of_squares` collects for rms.
  void add(double difference, double& sum_of_squares);
};

/// The comparison of spectra.
struct SpectraComparison {
  std::vector<Agreement> agreements;  ///< of flux, ivar, R, chi2pix
  long long bins = 0;                 ///< of the frame
  long long compared = 0;             ///< with light in both
  long long steps = 0;                ///< patches of a row of `worst_pulls`
  std::vector<double> worst_pulls;    ///< largest flux pull of each patch, by subbundle and step
};

/// Compares values of bins that hold light in both frames. A difference beyond the rounding of
/// float32 and the limits of `tolerance` is expected only
///
/// - near bins without light, within DarkLimits
/// - by a HELIOCOR that differs by at most 2e-10: by the change of the spectra that this shift of
/// the
///   wavelengths makes
/// - in FLUX and CHI2PIX with --flux frame: within 2% of the brightest flux nearby at a patch's
/// edge,
///   and a tenth of that every 12 bins farther
/// - if production used specter: within 3% of the brightest flux nearby, ivar within 1e-3, R within
///   2e-4
/// - in CHI2PIX: if production had another psferr, in its direction; by the other rule of
///   --chi2-pixels, in at most a quarter of the bins
[[nodiscard]] SpectraComparison compare_spectra(const PipelinePair& pair, const PatchGrid& grid,
                                                const BinStates& states, const Tolerance& tolerance,
                                                Differences& differences);

/// Largest difference of two HELIOCOR by the same tables of the Earth's orientation, relative
/// (extraction.md, section 3.1).
inline constexpr double equal_heliocor = 1e-12;
/// Largest difference of two HELIOCOR that tables of the Earth's orientation explain, relative.
inline constexpr double earth_orientation_limit = 2e-10;

}  // namespace spex
