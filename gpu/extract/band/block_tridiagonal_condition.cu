#include "gpu/core/block.cuh"
#include "gpu/core/warp.cuh"
#include "gpu/extract/band/block_tridiagonal_condition.hpp"

namespace spex::gpu {
namespace {

constexpr int threads = 256;
constexpr int warps = threads / warp_size;
constexpr int max_steps = 5;  // of dlacn2; more than two steps are rare

// A row of x and its value; a negative row is none.
struct RowValue {
  double value;
  int row;
};

// The row of the larger value, the first of equal values; NaN is never the larger.
__device__ RowValue larger(const RowValue& a, const RowValue& b) {
  const bool is_a =
      a.row >= 0 && (b.row < 0 || a.value > b.value || (a.value == b.value && a.row < b.row));
  return is_a ? a : b;
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

// The estimate of ||N^-1||_1 of one patch by a block: LAPACK's dlacn2. Each thread always handles
// the same rows of x.
struct InverseNorm {
  const PatchGeometry& patch;
  const BandLayout& layout;
  const double* panels;
  double* x;
  double* sign;  // signs of the previous x; 0 in padding rows, which stay 0 in x
  double* t;     // of solve
  double* z;     // of solve

  template <class Visit>
  __device__ void for_each_bin(const Visit& visit) const {
    for (int row = threadIdx.x; row < layout.rows(); row += threads)
      if (is_bin(patch, layout, row)) visit(row);
  }
  template <class Value>
  __device__ void set(const Value& value) {
    for (int row = threadIdx.x; row < layout.rows(); row += threads)
      x[row] = is_bin(patch, layout, row) ? value(row) : 0.0;
  }
  // The bin with the largest value.
  template <class Value>
  __device__ int largest(const Value& value) const {
    RowValue found{0, -1};
    for_each_bin([&](int row) { found = larger(found, {value(row), row}); });
    return max(merge_block<threads>(found, larger_of).row, 0);
  }
  static __device__ RowValue larger_of(const RowValue& a, const RowValue& b) {
    return larger(a, b);
  }

  __device__ double norm1() const {
    double sum = 0;
    for_each_bin([&](int row) { sum += fabs(x[row]); });
    return merge_block<threads>(sum, [](double a, double b) { return a + b; });
  }
  __device__ int largest_of_x() const {
    return largest([&](int row) { return fabs(x[row]); });
  }
  // Sets x = sign x; returns whether a sign changed.
  __device__ bool take_signs() {
    int changes = 0;
    for_each_bin([&](int row) {
      const double now = x[row] > 0 ? 1 : -1;
      if (now != sign[row]) ++changes;
      sign[row] = x[row] = now;
    });
    return __syncthreads_or(changes) != 0;
  }
  __device__ void solve() { spex::gpu::solve(layout, panels, x, t, z); }

  // The largest element of the diagonal of L^-1.
  __device__ double largest_inverse_pivot() const {
    const auto inverse_pivot = [&](int row) {
      const int c = row % layout.size();
      const double* panel = panels + row / layout.size() * layout.panel_size();
      return panel[static_cast<size_t>(c) * 2 * layout.size() + c];
    };
    return inverse_pivot(largest(inverse_pivot));
  }

  // dlacn2's iteration, from the signs of N^-1 1/n.
  __device__ double iterate(double estimate) {
    take_signs();
    solve();
    int j = largest_of_x();
    for (int step = 2; step <= max_steps; ++step) {
      __syncthreads();
      set([&](int row) { return row == j ? 1.0 : 0.0; });
      solve();
      const double before = estimate;
      estimate = norm1();
      if (!take_signs() || !(estimate > before)) break;
      solve();
      const int j_before = j;
      j = largest_of_x();
      if (x[j_before] == fabs(x[j])) break;
    }
    return estimate;
  }

  // dlacn2's last vector, of alternating signs.
  __device__ double alternate(int n) {
    __syncthreads();
    set([&](int row) {
      const int k = row / layout.nslots * patch.nspec + row % layout.nslots;  // among the n bins
      const double value = 1 + static_cast<double>(k) / (n - 1);
      return k % 2 == 0 ? value : -value;
    });
    solve();
    return 2 * norm1() / (3.0 * n);
  }

  __device__ double estimate() {
    const int n = patch.n();
    for (int row = threadIdx.x; row < layout.rows(); row += threads) sign[row] = 0;
    set([&](int) { return 1.0 / n; });
    solve();
    const double first = norm1();
    if (n == 1) return first;
    const double iterated = iterate(first);
    return fmax(iterated, alternate(n));
  }
};

__global__ void __launch_bounds__(threads, 1)
    condition_kernel(const PatchGeometry* patches, BandSystems systems, BandConditions conditions) {
  extern __shared__ double vectors[];
  if (systems.status[blockIdx.x] != 0) return;  // no factors; uniform over the block
  const BandLayout layout = systems.layout;
  const PatchGeometry patch = patches[blockIdx.x];
  double* x = conditions.work + static_cast<size_t>(blockIdx.x) * 2 * layout.rows();
  InverseNorm inverse{patch,
                      layout,
                      systems.panels + static_cast<size_t>(blockIdx.x) * layout.patch_size(),
                      x,
                      x + layout.rows(),
                      vectors,
                      vectors + layout.size()};
  const double pivot = inverse.largest_inverse_pivot();
  const double norm = conditions.norm[blockIdx.x];
  const double by_pivots = norm * pivot * pivot;
  const bool settled = by_pivots < sqrt(conditions.bound);
  const double number = settled ? by_pivots : norm * inverse.estimate();
  if (threadIdx.x != 0) return;
  conditions.condition[blockIdx.x] = number;
  if (!settled && !(number < conditions.bound)) systems.status[blockIdx.x] = 1;
}

}  // namespace

void find_band_norms(const PatchGeometry* patches, const BandSystems& systems,
                     const BandConditions& conditions, cudaStream_t stream) {
  norms_kernel<<<systems.count, threads, 0, stream>>>(patches, systems.layout, systems.panels,
                                                      conditions.norm);
  SPEX_LAUNCH_CHECK();
}

void check_condition(const PatchGeometry* patches, const BandSystems& systems,
                     const BandConditions& conditions, cudaStream_t stream) {
  const std::size_t bytes = 2 * static_cast<std::size_t>(systems.layout.size()) * sizeof(double);
  condition_kernel<<<systems.count, threads, bytes, stream>>>(patches, systems, conditions);
  SPEX_LAUNCH_CHECK();
}

}  // namespace spex::gpu
