// Views of a CCD's pixels, of the bins that reach its rows, and of vectors over bins, in device
// memory.
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

/// Solution and constraints of many patches, as BinVectors lays them out.
struct SolutionView {
  BinStrides strides;
  const double* f = nullptr;
  const double* q = nullptr;
  const double* good = nullptr;
};

/// The bins and columns of one fiber's spots that reach one CCD row: all bins are in [first, last),
/// and the columns on the CCD in [x0, x1). If no spot reaches the row, first and x0 are INT_MAX.
struct alignas(16) RowBins {
  int first = 0;
  int last = 0;
  int x0 = 0;
  int x1 = 0;
};

/// RowBins of all fibers and rows, `[fiber * ny_ccd + y]`.
struct RowBinsView {
  int ny_ccd = 0;
  RowBins* rows = nullptr;
};

}  // namespace spex::gpu
