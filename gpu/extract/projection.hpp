// The projection matrix A on the GPU (extraction.md, section 4), as an operator and dense; the
// counterpart of reference/extract/projection.hpp.
#pragma once

#include "gpu/extract/spectra.hpp"

namespace spex::gpu {

/// Values and weights of a whole CCD, row-major; electron and electron^-2.
struct PixelsView {
  int nx = 0;
  int ny = 0;
  const double* p = nullptr;
  const double* W = nullptr;
};

/// Vectors over the bins of many patches, `[patch][strides]`.
struct BinVectors {
  BinStrides strides;
  double* y = nullptr;     ///< sum_i W_i A_ij p_i
  double* q = nullptr;     ///< sum_i W_i A_ij
  double* good = nullptr;  ///< sum_i A_ij [W_i > 0]
};

/// Computes y, q and good of all padded bins of `count` patches of at most `nmax` bins. One warp
/// per bin.
void project_pixels(const PatchGeometry* patches, int count, int nmax, const SpotsView& spots,
                    const PixelsView& pixels, const BinVectors& bins, cudaStream_t stream);

/// Dense A of `count` patches: patch k is column-major, `rows` x `columns`, at A + k rows columns;
/// row i = (y - y0) nx + (x - x0), column j = s nwave + w; all other elements are 0. WA is the same
/// with each row times W_i. `rows` and `columns` must be at least those of every patch.
void make_dense_projection(const PatchGeometry* patches, int count, int rows, int columns,
                           const SpotsView& spots, const PixelsView& pixels, double* A, double* WA,
                           cudaStream_t stream);

}  // namespace spex::gpu
