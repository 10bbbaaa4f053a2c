// What the extraction of one patch gives: plain data, as it travels between ranks.
#pragma once

#include <vector>

#include "reference/model/fields.hpp"

namespace spex {

/// How a patch ended. A patch that cannot be solved is a value, counted and reported.
enum class PatchStatus : int {
  ok = 0,
  fell_back = 1,  ///< the method could not do it; solved by eigh
  failed = 2,     ///< eigh could not either: zeros, flagged NODATA
  guarded = 3,    ///< ill-conditioned, or not to be solved spectrum by spectrum; solved as a whole
};

/// How f of the frame in a patch's bundle was found, where the flux is made of that (extraction.md,
/// section 5.2).
enum class FrameSolution : int {
  none = 0,    ///< the flux is the patch's own
  sweeps = 1,  ///< fiber by fiber
  direct = 2,  ///< the guard spoke: all fibers at once
  lifted = 3,  ///< the same, with 1e-14 of the largest element on the diagonal
  failed = 4,  ///< in no way
};

/// Core bins of a patch that lie within the grid, electrons a bin: `[s * nwave + w]`;
/// resolution `[(s * ndiagonals + d) * nwave + w]`.
struct PatchResult {
  PatchStatus status = PatchStatus::ok;  ///< how it ended
  int nspec = 0;                         ///< core fibers
  int nwave = 0;                         ///< kept core bins
  int ndiagonals = 0;                    ///< of `resolution`
  std::vector<double> flux;              ///< electron
  std::vector<double> ivar;              ///< electron^-2
  std::vector<double> chi2pix;           ///< dimensionless
  std::vector<double> pixmask_fraction;  ///< 0 ... 1
  std::vector<double> resolution;        ///< dimensionless
  int x0 = 0;                            ///< first CCD column of `model`
  int x1 = 0;                            ///< one past its last
  int y0 = 0;                            ///< first CCD row of `model`
  int y1 = 0;                            ///< one past its last
  /// A_core f_core, electron, rows first; empty where no model image is wanted.
  std::vector<double> model;
  FrameSolution frame = FrameSolution::none;  ///< whether and how its flux is the whole frame's
};

/// All fields of a PatchResult.
template <MaybeConst<PatchResult> T>
auto fields(T& result) {
  auto& [status, nspec, nwave, ndiagonals, flux, ivar, chi2pix, pixmask_fraction, resolution, x0,
         x1, y0, y1, model, frame] = result;
  return std::tie(status, nspec, nwave, ndiagonals, flux, ivar, chi2pix, pixmask_fraction,
                  resolution, x0, x1, y0, y1, model, frame);
}

}  // namespace spex
