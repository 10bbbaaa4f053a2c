#include "bench/micro/cpu/ceiling_lanes.hpp"

#include "reference/core/simd/lanes.hpp"

namespace spex::SPEX_INSTRUCTION_SET {
namespace {

// Twelve registers hide the latency of both operations.
constexpr int groups = 12 / Lanes::parts;

SPEX_LANES_INLINE double sum_of(const Lanes* x, int n) {
  Lanes sum = 0.0;
#pragma GCC unroll 12
  for (int k = 0; k < n; ++k) sum += x[k];
  return sum_of_lanes(sum);
}

double multiply_add(long steps, double a, double b) {
  const Lanes factor = a, summand = b;
  Lanes x[groups];
#pragma GCC unroll 12
  for (int k = 0; k < groups; ++k) x[k] = static_cast<double>(k);
  for (long i = 0; i < steps; ++i)
#pragma GCC unroll 12
    for (int k = 0; k < groups; ++k) x[k] = x[k] * factor + summand;
  return sum_of(x, groups);
}

double sum(const double* x, long n) {
  constexpr int side_by_side = 8;
  Lanes sums[side_by_side];
  for (Lanes& one : sums) one = 0.0;
  for (long i = 0; i < n; i += side_by_side * Lanes::count)
#pragma GCC unroll 8
    for (int k = 0; k < side_by_side; ++k) sums[k] += load(x + i + k * Lanes::count);
  return sum_of(sums, side_by_side);
}

}  // namespace

extern const CeilingKernels ceiling_kernels_of_set{&multiply_add, groups* Lanes::count, &sum};

}  // namespace spex::SPEX_INSTRUCTION_SET
