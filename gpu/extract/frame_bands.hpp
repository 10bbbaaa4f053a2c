// N by spectra over all wavelengths of many fibers, once for all patches that share its elements
// (extraction.md, sections 4 and 5.1).
#pragma once

#include "gpu/extract/projection.hpp"

namespace spex::gpu {

/// Bands, without their prior, and sums over pixels of all bins of a SpotsView, from all pixels of
/// the CCD (extraction.md, section 4). Fiber s counts from the view's first, bin v as the view's.
/// In device memory; bands and q in electron^-2, y in electron^-1, good without unit.
struct FrameBands {
  int nspec = 0;
  int nwave = 0;
  int reach = 0;
  double* band = nullptr;  ///< N_ss: (v + d, v) at (s nwave + v) (reach + 1) + d
  /// N_{s+1,s}: (v - reach + d, v) at (s nwave + v) (2 reach + 1) + d. It and `band` have zeros
  /// where there is no such bin.
  double* pair = nullptr;
  /// sum_i W_i A_ij p_i, sum_i W_i A_ij and sum_i A_ij [W_i > 0], `[s][v]` each.
  double* y = nullptr;
  double* q = nullptr;     ///< see `y`
  double* good = nullptr;  ///< see `y`
  /// Not 0 where bin (s, v), without its prior, shares more light than fiber_bounds::far with a
  /// bin of a spectrum two or more above it, `[s][v]`.
  unsigned char* far = nullptr;

  [[nodiscard]] SPEX_HD size_t bin(int s, int v) const {
    return static_cast<size_t>(s) * nwave + v;
  }
};

/// Sets all of `bands`, whose sizes are given, but `far`. `first_bin` is the bin of the grid of the
/// view's first, so that an element's sum has one order whichever bins the view holds. A warp eight
/// bins.
void assemble_frame(const SpotsView& spots, const PixelsView& pixels, int first_bin,
                    const FrameBands& bands, cudaStream_t stream);

/// Sets `far` of bands that are assembled. `nslots` says how many spectra a patch has at most,
/// beyond which light is not looked for.
void find_far_light(const SpotsView& spots, const PixelsView& pixels, int first_bin, int nslots,
                    const FrameBands& bands, cudaStream_t stream);

}  // namespace spex::gpu
