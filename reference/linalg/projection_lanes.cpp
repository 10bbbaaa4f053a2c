#include "reference/linalg/projection_lanes.hpp"

#include "reference/core/lanes.hpp"

namespace spex::SPEX_INSTRUCTION_SET {
namespace {

constexpr int group = Lanes::count;
// Bins of s whose sums stay in registers, a group of bins of t each.
constexpr int most_bins = Lanes::parts == 1 ? 10 : Lanes::parts == 2 ? 4 : 2;

void weigh(const RowOfA& row, int pixels, const double* W, double* WA) {
  for (int x = 0; x < pixels; ++x)
    for (int k = 0; k < row.lanes; k += group) {
      const long at = static_cast<long>(x) * row.lanes + k;
      store(load(row.A + at) * W[x], WA + at);
    }
}

template <int Bins>
SPEX_LANES_INLINE void add_tile(const double* A, int lanes, const double* WA, int lanes_of_WA,
                                int pixels, double* N, long stride) {
  Lanes sum[Bins];
#pragma GCC unroll 16
  for (int v = 0; v < Bins; ++v) sum[v] = 0.0;
  for (int x = 0; x < pixels; ++x) {
    const Lanes a = load(A + static_cast<long>(x) * lanes);
    const double* wa = WA + static_cast<long>(x) * lanes_of_WA;
#pragma GCC unroll 16
    for (int v = 0; v < Bins; ++v) sum[v] += Lanes(wa[v]) * a;
  }
#pragma GCC unroll 16
  for (int v = 0; v < Bins; ++v) store(load(N + v * stride) + sum[v], N + v * stride);
}

// add_tile<bins>; 0 < bins <= most_bins.
template <int Bins = most_bins>
SPEX_LANES_INLINE void add_tile_of(int bins, const double* A, int lanes, const double* WA,
                                   int lanes_of_WA, int pixels, double* N, long stride) {
  if constexpr (Bins > 1)
    if (bins < Bins)
      return add_tile_of<Bins - 1>(bins, A, lanes, WA, lanes_of_WA, pixels, N, stride);
  add_tile<Bins>(A, lanes, WA, lanes_of_WA, pixels, N, stride);
}

void add_products(const RowOfA& t, const RowOfA& WA_s, int pixels, double* N, long stride) {
  const int tiles = (WA_s.bins + most_bins - 1) / most_bins;
  for (int tile = 0; tile < tiles; ++tile) {
    const int v0 = WA_s.bins * tile / tiles;
    const int v1 = WA_s.bins * (tile + 1) / tiles;
    for (int k = 0; k < t.lanes; k += group)
      add_tile_of(v1 - v0, t.A + k, t.lanes, WA_s.A + v0, WA_s.lanes, pixels, N + v0 * stride + k,
                  stride);
  }
}

}  // namespace

extern const ProjectionKernels projection_kernels_of_set{&weigh, &add_products};

}  // namespace spex::SPEX_INSTRUCTION_SET
