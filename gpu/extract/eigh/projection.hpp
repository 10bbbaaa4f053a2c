// The dense projection matrix A on the GPU (extraction.md, section 4); the counterpart of
// reference/extract/projection.hpp.
#pragma once

#include "gpu/extract/batch/batch_view.hpp"

namespace spex::gpu {

/// Dense A of a batch: patch k is column-major, npixel x n of the batch, at A + k npixel n; row i =
/// (y - y0) nx + (x - x0), column j = s nwave + w; all other elements are 0. WA is the same with
/// each row times W_i.
void make_dense_projection(const BatchView& batch, double* A, double* WA, cudaStream_t stream);

}  // namespace spex::gpu
