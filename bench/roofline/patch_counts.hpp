// The counts of a patch that its cost depends on, from the PSF's traces only.
#pragma once

#include <climits>
#include <vector>

#include "reference/layout/patches.hpp"
#include "reference/layout/wavelengths.hpp"
#include "reference/model/psf.hpp"

namespace spex {
struct ExtractOptions;
}

namespace spex::bench {

/// Fibers [spec_first, spec_last) and bins [wave_first, wave_last).
struct SpotRange {
  int spec_first = INT_MAX;
  int spec_last = 0;
  int wave_first = INT_MAX;
  int wave_last = INT_MIN;

  void add(const Patch& patch);
  [[nodiscard]] int nspec() const { return spec_last - spec_first; }
  [[nodiscard]] int nwave() const { return wave_last - wave_first; }
};

/// The size of a patch. A spot's pixels count if they are on the CCD and in the used rows.
struct PatchCounts {
  int nspec = 0;  ///< padded fibers
  int ncore = 0;  ///< core fibers
  int nwave = 0;  ///< padded bins
  int nkept = 0;  ///< core bins within the grid
  int reach = 1;  ///< largest distance of two overlapping spots, bins
  PixelRange range;
  double n = 0;              ///< unknowns
  double npixel = 0;         ///< used pixels
  double nonzeros = 0;       ///< of A
  double core_nonzeros = 0;  ///< of A's columns of kept core bins
  double pair_pixels = 0;    ///< sum over pairs j >= k of the pixels that spots j and k share

  [[nodiscard]] double core_bins() const { return static_cast<double>(ncore) * nkept; }
};

/// Flops for the band of one spectrum, of m rows and reach r (reference/linalg/band_lanes.cpp,
/// gpu/extract/fibers).
struct BandFlops {
  double m, r;
  [[nodiscard]] double factor() const { return m * (1 + r + r * (r + 1)); }
  [[nodiscard]] double inverse() const { return m * (2 * r * r + 2 * r); }
  [[nodiscard]] double solution() const { return m * (4 * r + 1); }
};

/// Counts of each patch. `patches` are those of `options`.
[[nodiscard]] std::vector<PatchCounts> count_patches(const Psf& psf, const WaveGrid& grid,
                                                     const ExtractOptions& options,
                                                     const std::vector<Patch>& patches);

}  // namespace spex::bench
