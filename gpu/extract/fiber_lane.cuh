// What a lane of find_fiber_roots works on, where it keeps it, and how lanes join their results.
//
// Two lanes solve P + shift for a pole: each eliminates rows from its own end of the spectrum,
// until R + 1 rows in the middle are left, which both lanes then solve.
#pragma once

#include "gpu/core/launch.hpp"
#include "gpu/extract/limits.hpp"

namespace spex::gpu {

/// Rows that each lane eliminates of a band of m rows.
[[nodiscard]] __host__ __device__ constexpr int rows_of_half(int R, int m) {
  return m > R + 1 ? (m - R) / 2 : 0;
}
/// Rows of the band with both halves and the middle: m, or more by rows that are those of 1.
[[nodiscard]] __host__ __device__ constexpr int rows_of_halves(int R, int m) {
  return 2 * rows_of_half(R, m) + R + 1;
}

/// A pole of a spectrum, and a half of the spectrum's rows. Rows j of a half count from its end of
/// the spectrum.
template <int R>
struct Lane {
  static constexpr int vectors = fiber_roots::vectors;
  static constexpr int group = fiber_roots::group;

  int m;
  int h;     ///< rows of a half
  int rows;  ///< of both halves and the middle
  int ndiag;
  int p;     ///< within the lanes of the spectrum's half
  int side;  ///< 0: from the first row on; 1: from the last row back
  // In P, from the lane's end: element (0, 0), and how far it is to the next of a row or column.
  int first, next_column, next_row;
  const double* P;  ///< band of the spectrum, zeros beyond its rows
  const double* E;
  const double* y;
  double* sums;   ///< shared, [m][group chunks]: 1, y, then the band of Q, from P_b alone
  double* added;  ///< shared, [vectors][m]: what E adds to P^(-1/2) of 1 and y
  double* r;      ///< shared, [m]

  __device__ int width() const { return group * fiber_roots::chunks(ndiag); }
  __device__ double of_band(int v, int j) const { return sums[j * width() + v]; }
  __device__ double Q(int j, int d) const { return sums[j * width() + vectors + d]; }
  __device__ int row(int j) const { return side == 0 ? j : rows - 1 - j; }
  /// Element (j + d, j) of P + shift, rows and columns counted from the lane's end; rows beyond m
  /// are those of 1.
  template <class Real>
  __device__ Real element(int j, int d, double shift) const {
    const double diagonal = row(j) < m ? shift : 1.0;
    return static_cast<Real>(P[first + j * next_column + d * next_row] + (d == 0 ? diagonal : 0.0));
  }
  /// Element j of 1 and of y.
  template <class Real>
  __device__ Real right_hand_side(int k, int j) const {
    const int i = row(j);
    if (i >= m) return 0;
    return static_cast<Real>(k == 0 ? 1.0 : y[i]);
  }
};

/// Where a warp keeps what its lanes eliminate.
template <int R, class Real>
class LaneScratch {
 public:
  static constexpr int vectors = fiber_roots::vectors;
  static constexpr int poles = warp_size / fiber_roots::sides;

  /// The last columns, `in_shared` in double precision, lie in the warp's shared memory.
  __device__ LaneScratch(double* of_warp, double* shared_of_warp, int in_shared, int h, int rows) {
    constexpr int ratio = sizeof(double) / sizeof(Real);
    const int lane = threadIdx.x % warp_size;
    const int pole =
        lane / (2 * fiber_roots::group) * fiber_roots::group + lane % fiber_roots::group;
    const auto first = reinterpret_cast<Real*>(of_warp);
    in_global_ = max(h - ratio * in_shared, 0);
    columns_ = first + lane;
    shared_columns_ = reinterpret_cast<Real*>(shared_of_warp) + lane;
    x_ = first + h * column_size + pole;
    Ex_ = x_ + rows * vectors * poles;
  }
  /// Numbers of a warp for m rows.
  [[nodiscard]] static __host__ __device__ constexpr int size(int m) {
    return rows_of_half(R, m) * column_size + 2 * rows_of_halves(R, m) * vectors * poles;
  }

  /// Numbers of a column.
  static constexpr int column_size = (R + 1 + vectors) * warp_size;

  /// Column j: number d of L is d * warp_size on, and those of L^-1 of both vectors follow.
  __device__ Real* column(int j) const {
    return j < in_global_ ? columns_ + j * column_size
                          : shared_columns_ + (j - in_global_) * column_size;
  }
  /// Row i of X of both vectors, and of E X, which both lanes of a pole share: vector k is
  /// k * poles on.
  __device__ Real* x(int i) const { return x_ + i * (vectors * poles); }
  __device__ Real* Ex(int i) const { return Ex_ + i * (vectors * poles); }

  /// Column j of L, and its elements of both vectors.
  __device__ void load(int j, Real (&l)[R + 1], Real (&v)[vectors]) const {
    const Real* from = column(j);
#pragma unroll
    for (int d = 0; d <= R; ++d) l[d] = from[d * warp_size];
#pragma unroll
    for (int k = 0; k < vectors; ++k) v[k] = from[(R + 1 + k) * warp_size];
  }

 private:
  int in_global_;         // columns
  Real* columns_;         // [h][R + 1 + vectors][32]
  Real* shared_columns_;  // the same, from column in_global_ on
  Real* x_;               // [rows][vectors][poles]
  Real* Ex_;
};

inline constexpr unsigned all_lanes = 0xffffffffU;

/// The value of the lane that has the same pole and the other half.
template <class T>
__device__ T of_other_side(T value) {
  return __shfl_xor_sync(all_lanes, value, fiber_roots::group);
}

/// The values of a group's lanes, each the sum over the lanes of one number of `v`: lane p has
/// that of v[p]. Halves of the numbers change sides, so that a step adds half as many as the last.
template <class Real>
__device__ Real sum_over_group(const Real (&v)[fiber_roots::group]) {
  static_assert(fiber_roots::group == 8);
  const int lane = threadIdx.x % fiber_roots::group;
  Real half[4], quarter[2];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const bool upper = (lane & 4) != 0;
    half[i] = upper ? v[i + 4] : v[i];
    half[i] += __shfl_xor_sync(all_lanes, upper ? v[i] : v[i + 4], 4);
  }
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const bool upper = (lane & 2) != 0;
    quarter[i] = upper ? half[i + 2] : half[i];
    quarter[i] += __shfl_xor_sync(all_lanes, upper ? half[i] : half[i + 2], 2);
  }
  const bool upper = (lane & 1) != 0;
  return (upper ? quarter[1] : quarter[0]) +
         __shfl_xor_sync(all_lanes, upper ? quarter[0] : quarter[1], 1);
}

}  // namespace spex::gpu
