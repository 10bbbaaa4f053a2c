// Kernels over lanes that measure the peak rates of a core.
#pragma once

#include "reference/core/simd/instructions.hpp"

namespace spex {

/// The kernels of one instruction set.
struct CeilingKernels {
  /// x <- x a + b, `steps` times, for `count` numbers that stay in registers; returns their sum.
  double (*multiply_add)(long steps, double a, double b);
  int count;  ///< numbers of multiply_add
  /// The sum of n numbers in memory; n is a multiple of 64.
  double (*sum)(const double* x, long n);
};
SPEX_KERNELS(CeilingKernels, ceiling_kernels)

}  // namespace spex
