// A second extractor for hand-size patches: long double, dense, by textbook algorithms
// (Gauss-Jordan elimination, cyclic Jacobi rotations), written from extraction.md alone. It shares
// nothing with the extractor but the PSF's spots.
#pragma once

#include <vector>

#include "reference/layout/patches.hpp"
#include "reference/model/extract_options.hpp"
#include "reference/model/preproc.hpp"
#include "reference/psf/spots.hpp"

namespace spex::test {

using Real = long double;
/// Dense, [row][column].
using Matrix = std::vector<std::vector<Real>>;

/// All padded bins of a patch, j = s nwave + w.
struct OracleResult {
  std::vector<Real> f, flux, ivar, chi2pix, pixmask_fraction, q;
  Matrix R;            ///< signal: block diagonal; noise: whole
  Real condition = 1;  ///< of N, in the 1-norm
  Matrix model;        ///< [CCD row][CCD column], A_core f_core
};

/// Extracts the patch whose padded fibers and bins are exactly those of `spots`.
OracleResult oracle(const Patch& patch, const Spots& spots, const Pixels& pixels,
                    const ExtractOptions& options, double psferr);

Matrix inverse(Matrix A);
/// V diag(function(u)) V^T of a symmetric matrix, eigenvalues clipped to 1e-14 of the largest.
Matrix symmetric_function(Matrix A, Real (*function)(Real));

}  // namespace spex::test
