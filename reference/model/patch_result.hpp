// What the extraction of one patch gives: plain data, as it travels between ranks.
#pragma once

#include <vector>

namespace spex {

/// How a patch ended. A patch that cannot be solved is a value, counted and reported.
enum class PatchStatus : int {
  ok = 0,
  fell_back = 1,  ///< the method could not do it; solved by eigh
  failed = 2,     ///< eigh could not either: zeros, flagged NODATA
};

/// Core bins of a patch that lie within the grid, electrons a bin: `[s * nwave + w]`;
/// resolution `[(s * ndiagonals + d) * nwave + w]`.
struct PatchResult {
  PatchStatus status = PatchStatus::ok;
  int nspec = 0;  ///< core fibers
  int nwave = 0;  ///< kept core bins
  int ndiagonals = 0;
  std::vector<double> flux;
  std::vector<double> ivar;
  std::vector<double> chi2pix;
  std::vector<double> pixmask_fraction;
  std::vector<double> resolution;
  // A_core f_core over the CCD pixels [x0, x1) x [y0, y1), rows first; empty where no model image
  // is wanted.
  int x0 = 0, x1 = 0, y0 = 0, y1 = 0;
  std::vector<double> model;
};

}  // namespace spex
