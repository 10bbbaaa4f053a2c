// What a core can do at most, by the kernels over lanes.
#pragma once

#include "reference/core/simd/instructions.hpp"

namespace spex {

/// The kernels of one instruction set.
struct CeilingKernels {
  /// x <- x a + b, `steps` times, for `count` numbers that stay in registers; gives their sum.
  double (*multiply_add)(long steps, double a, double b);
  int count;  ///< numbers of multiply_add
  /// The sum of n numbers in memory, whole groups of 64.
  double (*sum)(const double* x, long n);
};
SPEX_KERNELS(CeilingKernels, ceiling_kernels)

}  // namespace spex
