// Per-bin quality of a patch (extraction.md, section 6).
#pragma once

#include <vector>

#include "reference/extract/projection.hpp"
#include "reference/model/choices.hpp"

namespace spex {

/// The pixels of `range` in the box around all spots.
[[nodiscard]] PixelRange box_around(const PatchSpots& spots, const PixelRange& range);

/// pixmask_fraction_j = 1 - sum_i A_ij [W_i > 0] for all bins of `spots`: light that falls off the
/// CCD or outside the used rows counts as masked. Rounding is kept from showing as a negative
/// fraction or one above 1.
[[nodiscard]] std::vector<double> pixmask_fraction(const PatchSpots& spots,
                                                   const PatchPixels& pixels);

/// chi2pix_j = sum_i A_ij (p_i - m_i)^2 t_i / sum_i A_ij [t_i > 0], 0 where the denominator is 0,
/// for the bins of `core`, which are some of those of `spots`; m = A f over all bins of `spots`,
/// t_i = 1 / ((psferr m_i)^2 + 1 / W_i) where W_i > 0, else 0. f: all n bins, electron. With
/// Chi2Pixels::bright, t_i = 0 where psferr m_i <= 0 too, and pixels that the model meets exactly
/// do not count either. The model is computed in the box
/// around the core's spots alone.
[[nodiscard]] std::vector<double> chi2pix(const PatchSpots& core, const PatchSpots& spots,
                                          const PatchPixels& pixels, const std::vector<double>& f,
                                          double psferr, Chi2Pixels counted = Chi2Pixels::weighted);

/// Of each bin of the core.
struct PatchQuality {
  std::vector<double> pixmask_fraction;  ///< masked share of its light
  std::vector<double> chi2pix;           ///< dimensionless
};
/// Both of the above for the bins of `core`, which read the core's spots together.
[[nodiscard]] PatchQuality quality(const PatchSpots& core, const PatchSpots& spots,
                                   const PatchPixels& pixels, const std::vector<double>& f,
                                   double psferr, Chi2Pixels counted = Chi2Pixels::weighted);

}  // namespace spex
