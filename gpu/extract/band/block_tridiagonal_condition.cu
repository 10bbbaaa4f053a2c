#include "gpu/core/warp.cuh"
#include "gpu/extract/band/block_tridiagonal_condition.hpp"

namespace spex::gpu {
namespace {

constexpr int threads = 256;
constexpr int warps = threads / warp_size;
constexpr int most_steps = 5;  // of dlacn2; more than two steps are rare

// Shared memory of the block reductions.
struct Shared {
  double value[warps];
  int row[warps];
};

// The sum over all threads in a fixed order, for all threads.
__device__ double block_sum(double value, Shared& shared) {
  value = warp_sum(value);
  __syncthreads();
  if (threadIdx.x % warp_size == 0) shared.value[threadIdx.x / warp_size] = value;
  __syncthreads();
  double sum = 0;
  for (int w = 0; w < warps; ++w) sum += shared.value[w];
  return sum;
}

// The row of the largest value, the first of equal values, for all threads; NaN is never the
// largest. A negative row is ignored.
__device__ int row_of_largest(double value, int row, Shared& shared) {
  const auto better = [](double a, int a_row, double b, int b_row) {
    return a_row >= 0 && (b_row < 0 || a > b || (a == b && a_row < b_row));
  };
  for (int offset = warp_size / 2; offset > 0; offset /= 2) {
    const double other = __shfl_xor_sync(0xffffffffU, value, offset);
    const int other_row = __shfl_xor_sync(0xffffffffU, row, offset);
    if (better(other, other_row, value, row)) {
      value = other;
      row = other_row;
    }
  }
  __syncthreads();
  if (threadIdx.x % warp_size == 0) {
    shared.value[threadIdx.x / warp_size] = value;
    shared.row[threadIdx.x / warp_size] = row;
  }
  __syncthreads();
  double largest = shared.value[0];
  int found = shared.row[0];
  for (int w = 1; w < warps; ++w)
    if (better(shared.value[w], shared.row[w], largest, found)) {
      largest = shared.value[w];
      found = shared.row[w];
    }
  return max(found, 0);
}

__device__ bool is_bin(const PatchGeometry& patch, const BandLayout& layout, int row) {
  return row / layout.nslots < patch.nwave && row % layout.nslots < patch.nspec;
}

__global__ void __launch_bounds__(threads)
    norms_kernel(const PatchGeometry* patches, BandLayout layout, const double* panels_all,
                 double* norm) {
  __shared__ double largest[warps];
  const PatchGeometry patch = patches[blockIdx.x];
  const int size = layout.size();
  const double* panels = panels_all + static_cast<size_t>(blockIdx.x) * layout.patch_size();
  const int warp = threadIdx.x / warp_size, lane = threadIdx.x % warp_size;
  double mine = 0;
  for (int row = warp; row < layout.rows();
       row += warps) {  // one warp per column of N, equal to its row
    if (!is_bin(patch, layout, row)) continue;
    const int b = row / size, c = row % size;
    const double* panel = panels + b * layout.panel_size();
    double sum = 0;
    for (int r = c + lane; r < 2 * size; r += warp_size)  // from the diagonal on
      sum += fabs(panel[static_cast<size_t>(c) * 2 * size + r]);
    for (int k = lane; k < c; k += warp_size)  // above the diagonal, in the same block
      sum += fabs(panel[static_cast<size_t>(k) * 2 * size + c]);
    if (b > 0)  // in the previous block
      for (int k = lane; k < size; k += warp_size)
        sum += fabs((panel - layout.panel_size())[static_cast<size_t>(k) * 2 * size + size + c]);
    mine = fmax(mine, warp_sum(sum));
  }
  if (lane == 0) largest[warp] = mine;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int w = 1; w < warps; ++w) mine = fmax(mine, largest[w]);
  norm[blockIdx.x] = mine;
}

// x = N^-1 x from L_bb^-1 and L_{b+1,b}; t and z hold a block's rows in shared memory.
__device__ void solve(const BandLayout& layout, const double* panels, double* x, double* t,
                      double* z) {
  const int size = layout.size();
  const int warp = threadIdx.x / warp_size, lane = threadIdx.x % warp_size;
  __syncthreads();
  // z_b = L_bb^-1 (x_b - L_{b,b-1} z_{b-1}); one thread per row, coalesced reads
  for (int b = 0; b < layout.nblocks(); ++b) {
    const double* panel = panels + b * layout.panel_size();
    const double* before = panel - layout.panel_size();
    for (int r = threadIdx.x; r < size; r += threads) {
      double sum = 0;
      if (b > 0)
#pragma unroll 8
        for (int k = 0; k < size; ++k)
          sum += before[static_cast<size_t>(k) * 2 * size + size + r] * z[k];
      t[r] = x[b * size + r] - sum;
    }
    __syncthreads();
    for (int r = threadIdx.x; r < size; r += threads) {
      double sum = 0;
#pragma unroll 8
      for (int k = 0; k <= r; ++k) sum += panel[static_cast<size_t>(k) * 2 * size + r] * t[k];
      z[r] = sum;
      x[b * size + r] = sum;
    }
    __syncthreads();
  }
  // x_b = L_bb^-T (z_b - L_{b+1,b}^T x_{b+1}); one warp per row, z holds x_{b+1}
  for (int b = layout.nblocks() - 1; b >= 0; --b) {
    const double* panel = panels + b * layout.panel_size();
    for (int r = warp; r < size; r += warps) {
      double sum = 0;
      if (b + 1 < layout.nblocks())
        for (int k = lane; k < size; k += warp_size)
          sum += panel[static_cast<size_t>(r) * 2 * size + size + k] * z[k];
      sum = warp_sum(sum);
      if (lane == 0) t[r] = x[b * size + r] - sum;
    }
    __syncthreads();
    for (int r = warp; r < size; r += warps) {
      double sum = 0;
      for (int k = r + lane; k < size; k += warp_size)
        sum += panel[static_cast<size_t>(r) * 2 * size + k] * t[k];
      sum = warp_sum(sum);
      if (lane == 0) {
        z[r] = sum;
        x[b * size + r] = sum;
      }
    }
    __syncthreads();
  }
}

__global__ void __launch_bounds__(threads, 1)
    condition_kernel(const PatchGeometry* patches, BandLayout layout, const double* panels_all,
                     const double* norm, double bound, double* work, double* condition,
                     int* status) {
  extern __shared__ double vectors[];
  __shared__ Shared shared;
  if (status[blockIdx.x] != 0) return;  // no factors; uniform over the block
  const PatchGeometry patch = patches[blockIdx.x];
  const int rows = layout.rows();
  const int n = patch.n();
  const double* panels = panels_all + static_cast<size_t>(blockIdx.x) * layout.patch_size();
  double* x = work + static_cast<size_t>(blockIdx.x) * 2 * rows;
  double* sign = x + rows;  // signs of the previous x; 0 in padding rows, which stay 0 in x
  double* t = vectors;
  double* z = t + layout.size();

  // Each thread always handles the same rows.
  const auto for_each_bin = [&](const auto& visit) {
    for (int row = threadIdx.x; row < rows; row += threads)
      if (is_bin(patch, layout, row)) visit(row);
  };
  const auto norm1 = [&] {
    double sum = 0;
    for_each_bin([&](int row) { sum += fabs(x[row]); });
    return block_sum(sum, shared);
  };
  const auto largest = [&] {
    double value = 0;
    int found = -1;
    for_each_bin([&](int row) {
      if (found < 0 || fabs(x[row]) > value) {
        value = fabs(x[row]);
        found = row;
      }
    });
    return row_of_largest(value, found, shared);
  };
  // Sets x = sign x; returns whether a sign changed.
  const auto take_signs = [&] {
    double changes = 0;
    for_each_bin([&](int row) {
      const double now = x[row] > 0 ? 1 : -1;
      if (now != sign[row]) ++changes;
      sign[row] = x[row] = now;
    });
    return block_sum(changes, shared) > 0;
  };

  // The bound from the pivots: the diagonal of L^-1.
  const auto inverse_pivot = [&](int row) {
    const int c = row % layout.size();
    const double* panel = panels + row / layout.size() * layout.panel_size();
    return panel[static_cast<size_t>(c) * 2 * layout.size() + c];
  };
  double value = 0;
  int found = -1;
  for_each_bin([&](int row) {
    if (found < 0 || inverse_pivot(row) > value) {
      value = inverse_pivot(row);
      found = row;
    }
  });
  value = inverse_pivot(row_of_largest(value, found, shared));
  const double by_pivots = norm[blockIdx.x] * value * value;
  if (by_pivots < sqrt(bound)) {
    if (threadIdx.x == 0) condition[blockIdx.x] = by_pivots;
    return;
  }

  for (int row = threadIdx.x; row < rows; row += threads) {
    x[row] = is_bin(patch, layout, row) ? 1.0 / n : 0.0;
    sign[row] = 0;
  }
  solve(layout, panels, x, t, z);
  double estimate = norm1();
  if (n > 1) {
    take_signs();
    solve(layout, panels, x, t, z);
    int j = largest();
    for (int step = 2; step <= most_steps; ++step) {
      __syncthreads();
      for (int row = threadIdx.x; row < rows; row += threads) x[row] = row == j ? 1.0 : 0.0;
      solve(layout, panels, x, t, z);
      const double before = estimate;
      estimate = norm1();
      if (!take_signs() || !(estimate > before)) break;
      solve(layout, panels, x, t, z);
      const int j_before = j;
      j = largest();
      if (x[j_before] == fabs(x[j])) break;
    }
    __syncthreads();
    for (int row = threadIdx.x; row < rows; row += threads) {
      const int k =
          row / layout.nslots * patch.nspec + row % layout.nslots;  // index among the n bins
      const double value = 1 + static_cast<double>(k) / (n - 1);
      x[row] = is_bin(patch, layout, row) ? (k % 2 == 0 ? value : -value) : 0.0;
    }
    solve(layout, panels, x, t, z);
    estimate = fmax(estimate, 2 * norm1() / (3.0 * n));
  }
  if (threadIdx.x != 0) return;
  const double number = norm[blockIdx.x] * estimate;
  condition[blockIdx.x] = number;
  if (!(number < bound)) status[blockIdx.x] = 1;
}

}  // namespace

void find_band_norms(const PatchGeometry* patches, int count, const BandLayout& layout,
                     const double* panels, double* norm, cudaStream_t stream) {
  norms_kernel<<<count, threads, 0, stream>>>(patches, layout, panels, norm);
  SPEX_LAUNCH_CHECK();
}

void check_condition(const PatchGeometry* patches, int count, const BandLayout& layout,
                     const double* panels, const double* norm, double bound, double* work,
                     double* condition, int* status, cudaStream_t stream) {
  const std::size_t bytes = 2 * static_cast<std::size_t>(layout.size()) * sizeof(double);
  condition_kernel<<<count, threads, bytes, stream>>>(patches, layout, panels, norm, bound, work,
                                                      condition, status);
  SPEX_LAUNCH_CHECK();
}

}  // namespace spex::gpu
