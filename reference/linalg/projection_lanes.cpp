#include "reference/linalg/projection_lanes.hpp"

#include "reference/core/simd/lanes.hpp"
#include "reference/core/simd/transpose.hpp"

namespace spex::SPEX_INSTRUCTION_SET {
namespace {

constexpr int group = Lanes::count;
// Bins of s whose sums stay in registers, a group of bins of t each.
constexpr int max_bins = Lanes::parts == 1 ? 10 : Lanes::parts == 2 ? 4 : 2;

// Calls function<C>() with C = columns where loops of that length are unrolled, else C = 0.
template <class Function>
SPEX_LANES_INLINE void with_columns(int columns, const Function& function) {
  switch (columns) {
    case 13:
      return function.template operator()<13>();
    case 15:
      return function.template operator()<15>();
    case 17:
      return function.template operator()<17>();
    default:
      return function.template operator()<0>();
  }
}

// The sums over a part of C columns (any number where C = 0) of `Vectors` vectors. Each column of
// the whole groups has its lane; the columns beyond have one sum.
template <int C, int Vectors>
SPEX_LANES_INLINE void sums_of_part(const SpotPart& A, const double* const* v, int nx,
                                    double* result) {
  const int columns = C > 0 ? C : A.columns;
  const int whole = columns / group * group;
  Lanes in_lanes[Vectors];
  double beyond[Vectors];
#pragma GCC unroll 2
  for (int k = 0; k < Vectors; ++k) in_lanes[k] = 0.0, beyond[k] = 0.0;
  for (int y = 0; y < A.rows; ++y) {
    const double* spot = A.spot + static_cast<long>(y) * A.stride;
    const long row = static_cast<long>(y) * nx;
#pragma GCC unroll 4
    for (int x = 0; x < whole; x += group) {
      const Lanes a = load(spot + x);
#pragma GCC unroll 2
      for (int k = 0; k < Vectors; ++k) in_lanes[k] += a * load(v[k] + row + x);
    }
#pragma GCC unroll 8
    for (int x = whole; x < columns; ++x)
#pragma GCC unroll 2
      for (int k = 0; k < Vectors; ++k) beyond[k] += spot[x] * v[k][row + x];
  }
#pragma GCC unroll 2
  for (int k = 0; k < Vectors; ++k) result[k] = sum_of_lanes(in_lanes[k]) + beyond[k];
}

double sum(const SpotPart& A, const double* v, int nx) {
  double result;
  with_columns(A.columns, [&]<int C>() { sums_of_part<C, 1>(A, &v, nx, &result); });
  return result;
}

void sums(const SpotPart& A, const double* v, const double* w, int nx, double result[2]) {
  const double* const both[] = {v, w};
  with_columns(A.columns, [&]<int C>() { sums_of_part<C, 2>(A, both, nx, result); });
}

void add(const SpotPart& A, double f, double* m, int nx) {
  with_columns(A.columns, [&]<int C>() {
    const int columns = C > 0 ? C : A.columns;
    const int whole = columns / group * group;
    for (int y = 0; y < A.rows; ++y) {
      const double* spot = A.spot + static_cast<long>(y) * A.stride;
      double* row = m + static_cast<long>(y) * nx;
#pragma GCC unroll 4
      for (int x = 0; x < whole; x += group) store(load(row + x) + load(spot + x) * f, row + x);
#pragma GCC unroll 8
      for (int x = whole; x < columns; ++x) row[x] += spot[x] * f;
    }
  });
}

void widen(int n, const float* from, double* to) {
  typedef float Floats __attribute__((vector_size(Lanes::width * sizeof(float))));
  int i = 0;
  for (; i + Lanes::width <= n; i += Lanes::width) {
    Floats numbers;
    __builtin_memcpy(&numbers, from + i, sizeof(numbers));
    const Lanes::Vector wide = __builtin_convertvector(numbers, Lanes::Vector);
    __builtin_memcpy(to + i, &wide, sizeof(wide));
  }
  for (; i < n; ++i) to[i] = from[i];
}

bool is_at_same_pixels(const BinOfRow* of, int bins) {
  for (int k = 1; k < bins; ++k)
    if (of[k].x != of[0].x || of[k].columns != of[0].columns) return false;
  return true;
}

// Bins at the same pixels: whole groups of pixels are transposed.
void put_group_at_same_pixels(const BinOfRow* of, int bins, int pixels, int lanes, double* A) {
  const int columns = of[0].columns, end = of[0].x + columns;
  for (int x = 0; x < of[0].x; ++x) store(0.0, A + static_cast<long>(x) * lanes);
  for (int x = end; x < pixels; ++x) store(0.0, A + static_cast<long>(x) * lanes);
  double* first = A + static_cast<long>(of[0].x) * lanes;
  int x = 0;
  for (; x + group <= columns; x += group) {
    Lanes a[group];
#pragma GCC unroll 8
    for (int k = 0; k < group; ++k) a[k] = k < bins ? load(of[k].spot + x) : Lanes(0.0);
    transpose(a);
#pragma GCC unroll 8
    for (int k = 0; k < group; ++k) store(a[k], first + static_cast<long>(x + k) * lanes);
  }
  for (; x < columns; ++x)
    for (int k = 0; k < group; ++k)
      first[static_cast<long>(x) * lanes + k] = k < bins ? of[k].spot[x] : 0.0;
}

void put_row(const BinOfRow* of, int bins, int pixels, double* A) {
  const int lanes = (bins + group - 1) / group * group;
  for (int k = 0; k < bins; k += group, of += group, A += group) {
    const int in_group = bins - k < group ? bins - k : group;
    if (is_at_same_pixels(of, in_group)) {
      put_group_at_same_pixels(of, in_group, pixels, lanes, A);
      continue;
    }
    for (int x = 0; x < pixels; ++x) store(0.0, A + static_cast<long>(x) * lanes);
    for (int bin = 0; bin < in_group; ++bin)
      for (int x = 0; x < of[bin].columns; ++x)
        A[static_cast<long>(of[bin].x + x) * lanes + bin] = of[bin].spot[x];
  }
}

void weigh(const RowOfA& row, int pixels, const double* W, double* WA) {
  for (int x = 0; x < pixels; ++x)
    for (int k = 0; k < row.lanes; k += group) {
      const long at = static_cast<long>(x) * row.lanes + k;
      store(load(row.A + at) * W[x], WA + at);
    }
}

template <int Bins>
SPEX_LANES_INLINE void add_tile(const RowOfA& t, const RowOfA& WA, int pixels, double* N,
                                long stride) {
  Lanes sum[Bins];
#pragma GCC unroll 16
  for (int v = 0; v < Bins; ++v) sum[v] = 0.0;
  for (int x = 0; x < pixels; ++x) {
    const Lanes a = load(t.A + static_cast<long>(x) * t.lanes);
    const double* wa = WA.A + static_cast<long>(x) * WA.lanes;
#pragma GCC unroll 16
    for (int v = 0; v < Bins; ++v) sum[v] += Lanes(wa[v]) * a;
  }
#pragma GCC unroll 16
  for (int v = 0; v < Bins; ++v) store(load(N + v * stride) + sum[v], N + v * stride);
}

// add_tile<WA.bins>; 0 < WA.bins <= max_bins.
template <int Bins = max_bins>
SPEX_LANES_INLINE void add_tile_of(const RowOfA& t, const RowOfA& WA, int pixels, double* N,
                                   long stride) {
  if constexpr (Bins > 1)
    if (WA.bins < Bins) return add_tile_of<Bins - 1>(t, WA, pixels, N, stride);
  add_tile<Bins>(t, WA, pixels, N, stride);
}

void add_products(const RowOfA& t, const RowOfA& WA_s, int pixels, double* N, long stride) {
  const int tiles = (WA_s.bins + max_bins - 1) / max_bins;
  for (int tile = 0; tile < tiles; ++tile) {
    const int v0 = WA_s.bins * tile / tiles;
    const int v1 = WA_s.bins * (tile + 1) / tiles;
    for (int k = 0; k < t.lanes; k += group)
      add_tile_of({t.bins, t.lanes, t.A + k}, {v1 - v0, WA_s.lanes, WA_s.A + v0}, pixels,
                  N + v0 * stride + k, stride);
  }
}

}  // namespace

extern const ProjectionKernels projection_kernels_of_set{&sum,     &sums,  &add,         &widen,
                                                         &put_row, &weigh, &add_products};

}  // namespace spex::SPEX_INSTRUCTION_SET
