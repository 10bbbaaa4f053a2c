// FP64 tensor core products of 8 x 8 x 4 or 16 x 8 x 4 per warp.
#pragma once

namespace spex::gpu {

/// A lane's elements of an 8 x 8 fragment: A(row, k) and B(k, column) with k = lane % 4 and row,
/// column = lane / 4; of the result row lane / 4, columns 2 (lane % 4) and the next.
struct FragmentLane {
  int g;  ///< lane / 4
  int t;  ///< lane % 4
};
__device__ inline FragmentLane fragment_lane() {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  return {lane / 4, lane % 4};
}

/// (c0, c1) += A B for the warp's fragments (PTX ISA, mma.m8n8k4 with .f64).
__device__ inline void multiply_add(double a, double b, double& c0, double& c1) {
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
      : "+d"(c0), "+d"(c1)
      : "d"(a), "d"(b));
}

/// c += A B with 16 rows in A: a0 is A's element in row lane / 4, a1 in the row 8 below. c[0] and
/// c[1] are in the result's row lane / 4, c[2] and c[3] in the row 8 below. Uses Hopper's
/// instruction mma.m16n8k4, which has twice the throughput, and two products of 8 rows on other
/// GPUs.
__device__ inline void multiply_add(double a0, double a1, double b, double (&c)[4]) {
#if __CUDA_ARCH__ >= 900
  asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 "
      "{%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
      : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
      : "d"(a0), "d"(a1), "d"(b));
#else
  multiply_add(a0, b, c[0], c[1]);
  multiply_add(a1, b, c[2], c[3]);
#endif
}

}  // namespace spex::gpu
