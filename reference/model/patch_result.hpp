// The result of one patch: plain data, sent between ranks.
#pragma once

#include <cstdint>
#include <vector>

#include "reference/model/members.hpp"

namespace spex {

/// The status of a patch. An unsolvable patch is a value, counted and reported, not an error.
enum class PatchStatus : int {
  ok = 0,
  fell_back = 1,  ///< the method failed; solved by eigh
  failed = 2,     ///< eigh failed, too: zeros, flagged NODATA
  guarded = 3,    ///< ill-conditioned, or unsuitable for fiber-by-fiber solution; solved as a whole
};

/// How f of the whole frame was found in the patch's bundle, for FluxSolver::frame (extraction.md,
/// section 5.2).
enum class FrameSolution : int {
  none = 0,    ///< FluxSolver::patch
  sweeps = 1,  ///< sweeps, fiber by fiber
  direct = 2,  ///< the guard rejected sweeps: all fibers at once
  lifted = 3,  ///< the same, with 1e-14 of the largest element added to the diagonal
  failed = 4,  ///< no solution was found
};

/// Core bins of a patch within the grid, in electrons per bin: `[s * nwave + w]`; resolution `[(s *
/// ndiagonals + d) * nwave + w]`.
struct PatchResult {
  PatchStatus status = PatchStatus::ok;  ///< status of the patch
  int nspec = 0;                         ///< core fibers
  int nwave = 0;                         ///< kept core bins
  int ndiagonals = 0;                    ///< diagonals of `resolution`
  std::vector<double> flux;              ///< electron
  std::vector<double> ivar;              ///< electron^-2
  std::vector<double> f;                 ///< before reconvolution, electron; only if requested
  std::vector<double> chi2pix;           ///< dimensionless
  std::vector<double> pixmask_fraction;  ///< 0 ... 1
  std::vector<std::uint8_t> pulled;      ///< 1 where the prior pulls the flux (section 4.1), else 0
  std::vector<double> resolution;        ///< dimensionless
  int x0 = 0;                            ///< first CCD column of `model`
  int x1 = 0;                            ///< one past its last
  int y0 = 0;                            ///< first CCD row of `model`
  int y1 = 0;                            ///< one past its last
  /// A_core f_core, electron, rows first; empty unless a model image is requested.
  std::vector<double> model;
  FrameSolution frame = FrameSolution::none;  ///< how f of the whole frame was found
  int nrejected = 0;  ///< pixels of the patch that were rejected (section 5.3)
  /// All rejected pixels of the patch's bundle, as y nx + x of the CCD, ascending; only in the
  /// patches of the first wavelength step.
  std::vector<std::uint32_t> rejected;
  int reject_rounds = 0;  ///< rounds in which pixels of the patch's bundle were rejected

  SPEX_MEMBERS(status, nspec, nwave, ndiagonals, flux, ivar, f, chi2pix, pixmask_fraction, pulled,
               resolution, x0, x1, y0, y1, model, frame, nrejected, rejected, reject_rounds)
};

}  // namespace spex
