// Views of a CCD's pixels and of vectors over bins, in device memory.
#pragma once

#include "gpu/layout/patches.hpp"
#include "gpu/linalg/batch.hpp"

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

}  // namespace spex::gpu
