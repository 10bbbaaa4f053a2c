// The kernels of square matrices over lanes, for the part of a spectrum's P beyond its band.
//
// Rows are whole groups of eight numbers long, and begin at a cache line. Each sum has one order,
// whatever the instruction set.
#pragma once

#include "reference/core/simd/instructions.hpp"

namespace spex {

/// The kernels of one instruction set.
struct DenseKernels {
  /// D += V^T V for V [n][columns], whose row i has nothing but zeros from column `first + i` on.
  /// D is [columns][columns]; of its blocks of eight by eight those on and above the diagonal are
  /// set.
  void (*add_gram)(int n, int columns, int first, const double* V, double* D);
  /// Sets the triangle of D [columns][columns] below the diagonal to the one above.
  void (*mirror)(int columns, double* D);
  /// Y = E X: E is [n][stride], X and Y are [n][lanes].
  void (*multiply)(int n, int stride, const double* E, int lanes, const double* X, double* Y);
  /// y -= E x for the symmetric E [n][stride]; x has n entries and y a whole group more at most.
  void (*subtract_product)(int n, int stride, const double* E, const double* x, double* y);
  /// sum_ij z_i |D_ij| z_j of D [n][stride]; z is zero in a whole group beyond n.
  double (*sum_of_magnitudes)(int n, int stride, const double* D, const double* z);
  /// max_i sum_j |E_ji|, the norm of the symmetric E [n][stride]; zero in a whole group beyond n.
  double (*largest_column)(int n, int stride, const double* E);
};
SPEX_KERNELS(DenseKernels, dense_kernels)

}  // namespace spex
