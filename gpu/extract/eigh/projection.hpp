// The dense projection matrix A on the GPU (extraction.md, section 4); the counterpart of
// reference/extract/projection.hpp.
#pragma once

#include "gpu/extract/batch/bins.hpp"

namespace spex::gpu {

/// Dense A of `count` patches: patch k is column-major, `rows` x `columns`, at A + k rows columns;
/// row i = (y - y0) nx + (x - x0), column j = s nwave + w; all other elements are 0. WA is the same
/// with each row times W_i. `rows` and `columns` must be at least those of every patch.
void make_dense_projection(const PatchGeometry* patches, int count, int rows, int columns,
                           const SpotsView& spots, const PixelsView& pixels, double* A, double* WA,
                           cudaStream_t stream);

}  // namespace spex::gpu
