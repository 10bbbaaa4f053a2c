#include "gpu/core/check.hpp"
#include "gpu/core/launch.hpp"
#include "gpu/core/tensor.cuh"
#include "gpu/core/warp.cuh"
#include "gpu/linalg/block_tridiagonal.hpp"
#include "gpu/linalg/limits.hpp"

namespace spex::gpu {
namespace {

// Each thread of eliminate holds rows of_row, of_row + 32, ... and columns of_column, of_column +
// 16, ...
constexpr int rows = 32, columns = 16;
constexpr int threads = rows * columns;
constexpr int warps = threads / warp_size;
constexpr int row_turns = (largest_root_band + rows - 1) / rows;
constexpr int column_turns = (largest_root_band + columns - 1) / columns;
static_assert(rows % columns == 0);

// C(r, c) = sum_{k < size8} A(r, k) B(k, c) in tiles of 8 x 8, distributed over the warps. A, B and
// store(r, c, value) are called for all indices below size8. `lower` skips the tiles above the
// diagonal.
template <class A, class B, class Store>
__device__ void block_product(int size8, bool lower, const A& a, const B& b, const Store& store) {
  const auto [g, t] = fragment_lane();
  const int across = size8 / 8;
  for (int k = threadIdx.x / warp_size; k < across * across; k += warps) {
    const int row0 = k / across * 8, col0 = k % across * 8;
    if (lower && col0 > row0) continue;
    double c0 = 0, c1 = 0;
#pragma unroll 7
    for (int i = 0; i < size8; i += 4) multiply_add(a(row0 + g, i + t), b(i + t, col0 + g), c0, c1);
    store(row0 + g, col0 + 2 * t, c0);
    store(row0 + g, col0 + 2 * t + 1, c1);
  }
}

// Data exchanged by the threads of a block in one step of eliminate. Double-buffered, so that a
// step needs one barrier.
struct Step {
  double column[row_turns * rows];     // column c of D
  double row[column_turns * columns];  // column c of F
  double rhs, inverse;                 // rhs_c, and 1 / D_cc
};
struct Elimination {
  Step step[2];
  double pivot[row_turns * rows];
};
static_assert(sizeof(Elimination) <= factor_step_bytes);

// A block's matrices and vectors in shared memory, in rows of ld numbers.
struct SharedBlocks {
  int size, size8, ld;
  double* D;    // the diagonal block, then the block below
  double* E;    // L_{b, b-1}
  double* F;    // L_bb^-1
  double* z;    // L^-1 y of the previous block
  double* rhs;  // of this block
};

// D = L L^T, F = L^-1 and z = L^-1 rhs, by elimination of [D | I | rhs] one column at a time in
// registers: with pivots d_c, D becomes L diag(sqrt d), and rows of F and rhs are scaled at the
// end. Returns false in all threads if a pivot is not positive and finite. Does not read D's upper
// triangle and does not change D; overwrites all size8 rows and columns of F.
__device__ bool eliminate(const SharedBlocks& of, Elimination& shared) {
  const int size = of.size, size8 = of.size8, ld = of.ld;
  const int of_row = threadIdx.x / columns, of_column = threadIdx.x % columns;
  double d[row_turns][column_turns], f[row_turns][column_turns], z[row_turns];
#pragma unroll
  for (int i = 0; i < row_turns; ++i) {
    const int r = of_row + rows * i;
    z[i] = r < size ? of.rhs[r] : 0.0;
#pragma unroll
    for (int j = 0; j < column_turns; ++j) {
      const int c = of_column + columns * j;
      d[i][j] = r < size && c < size ? of.D[r * ld + c] : 0.0;
      f[i][j] = r == c ? 1.0 : 0.0;
    }
  }
  // Turns of column c and of row c, known at compile time.
#pragma unroll
  for (int turn = 0; turn < column_turns; ++turn) {
    constexpr int turns_of_row = rows / columns;
    const int row_turn = turn / turns_of_row;
    for (int c = columns * turn; c < min(size, columns * (turn + 1)); ++c) {
      Step& step = shared.step[c % 2];
      const bool has_column = of_column == c % columns, has_row = of_row == c % rows;
      if (has_column) {
#pragma unroll
        for (int i = row_turn; i < row_turns; ++i) step.column[of_row + rows * i] = d[i][turn];
        if (has_row) {
          step.inverse = 1 / d[row_turn][turn];
          shared.pivot[c] = d[row_turn][turn];
        }
      }
      if (has_row) {
#pragma unroll
        for (int j = 0; j <= turn; ++j) step.row[of_column + columns * j] = f[row_turn][j];
        if (of_column == 0) step.rhs = z[row_turn];
      }
      __syncthreads();
      const double pivot = step.column[c];
      if (!(pivot > 0) || !isfinite(pivot)) return false;
      double of_c[column_turns];
#pragma unroll
      for (int j = 0; j < column_turns; ++j) {
        const int k = of_column + columns * j;
        // D's columns after c, F's columns up to c
        if (j >= turn) of_c[j] = step.column[k];
      }
      double row_c[column_turns];
#pragma unroll
      for (int j = 0; j <= turn; ++j) row_c[j] = step.row[of_column + columns * j];
#pragma unroll
      for (int i = row_turn; i < row_turns; ++i) {
        const int r = of_row + rows * i;
        const double factor = r > c ? step.column[r] * step.inverse : 0.0;
#pragma unroll
        for (int j = turn; j < column_turns; ++j) d[i][j] -= factor * of_c[j];
#pragma unroll
        for (int j = 0; j <= turn; ++j) f[i][j] -= factor * row_c[j];
        z[i] -= factor * step.rhs;
      }
    }
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < row_turns; ++i) {
    const int r = of_row + rows * i;
    if (r >= size8) break;
    const double scale = r < size ? 1 / sqrt(shared.pivot[r]) : 1;
#pragma unroll
    for (int j = 0; j < column_turns; ++j) {
      const int c = of_column + columns * j;
      if (c < size8) of.F[r * ld + c] = f[i][j] * scale;
    }
    if (of_column == 0 && r < size) of.rhs[r] = z[i] * scale;
  }
  __syncthreads();
  return true;
}

__device__ SharedBlocks share_blocks(int size, double* shared) {
  const int size8 = (size + 7) / 8 * 8;
  const int ld = size8 + 4;  // rows of shared blocks start in different banks
  SharedBlocks s{size, size8, ld, shared, nullptr, nullptr, nullptr, nullptr};
  s.E = s.D + size8 * ld;
  s.F = s.E + size8 * ld;
  s.z = s.F + size8 * ld;
  s.rhs = s.z + size8;
  return s;
}

// D = the lower triangle of N_bb.
__device__ void read_diagonal(const SharedBlocks& s, const double* panel) {
  const int warp = threadIdx.x / warp_size, lane = threadIdx.x % warp_size;
  for (int c = warp; c < s.size8; c += warps)
    for (int r = lane; r < s.size8; r += warp_size) {
      const bool inside = r < s.size && c < s.size && r >= c;
      s.D[r * s.ld + c] = inside ? panel[static_cast<size_t>(c) * 2 * s.size + r] : 0.0;
    }
}

// rhs = y_b - L_{b,b-1} z_{b-1}; one warp per row.
__device__ void find_rhs(const SharedBlocks& s, int b, const double* y) {
  const int warp = threadIdx.x / warp_size, lane = threadIdx.x % warp_size;
  for (int r = warp; r < s.size; r += warps) {
    double sum = 0;
    if (b > 0)
      for (int k = lane; k < s.size; k += warp_size) sum += s.E[r * s.ld + k] * s.z[k];
    sum = warp_sum(sum);
    if (lane == 0) s.rhs[r] = y[b * s.size + r] - sum;
  }
}

// D -= L_{b,b-1} L_{b,b-1}^T
__device__ void update_diagonal(const SharedBlocks& s) {
  block_product(
      s.size8, true, [&](int r, int k) { return s.E[r * s.ld + k]; },
      [&](int k, int c) { return s.E[c * s.ld + k]; },
      [&](int r, int c, double value) { s.D[r * s.ld + c] -= value; });
}

// z_b to z and y, and L_bb^-1 to the panel.
__device__ void store_diagonal(const SharedBlocks& s, int b, double* panel, double* y) {
  const int warp = threadIdx.x / warp_size, lane = threadIdx.x % warp_size;
  for (int r = threadIdx.x; r < s.size; r += threads) {
    s.z[r] = s.rhs[r];
    y[b * s.size + r] = s.rhs[r];
  }
  for (int c = warp; c < s.size; c += warps)
    for (int r = lane; r < s.size; r += warp_size)
      panel[static_cast<size_t>(c) * 2 * s.size + r] = s.F[r * s.ld + c];
}

// M_b = -L_bb^-1 L_{b,b-1}
__device__ void find_M(const SharedBlocks& s, int b, double* M) {
  block_product(
      s.size8, false, [&](int r, int k) { return s.F[r * s.ld + k]; },
      [&](int k, int c) { return s.E[k * s.ld + c]; },
      [&](int r, int c, double value) {
        if (r < s.size && c < s.size)
          M[(static_cast<size_t>(b) * s.size + c) * s.size + r] = -value;
      });
}

// L_{b+1,b} = N_{b+1,b} L_bb^-T, to E and the panel.
__device__ void find_below(const SharedBlocks& s, double* panel) {
  const int warp = threadIdx.x / warp_size, lane = threadIdx.x % warp_size;
  for (int c = warp; c < s.size8; c += warps)
    for (int r = lane; r < s.size8; r += warp_size)
      s.D[r * s.ld + c] =
          r < s.size && c < s.size ? panel[static_cast<size_t>(c) * 2 * s.size + s.size + r] : 0.0;
  __syncthreads();
  block_product(
      s.size8, false, [&](int r, int k) { return s.D[r * s.ld + k]; },
      [&](int k, int c) { return s.F[c * s.ld + k]; },
      [&](int r, int c, double value) {
        s.E[r * s.ld + c] = value;
        if (r < s.size && c < s.size)
          panel[static_cast<size_t>(c) * 2 * s.size + s.size + r] = value;
      });
}

// x_b = L_bb^-T (z_b - L_{b+1,b}^T x_{b+1}) from the last block to the first; one warp per row, z
// holds x_{b+1}.
__device__ void substitute_back(const SharedBlocks& s, const BandLayout& layout,
                                const double* panels, double* y) {
  const int warp = threadIdx.x / warp_size, lane = threadIdx.x % warp_size;
  const int size = s.size, nblocks = layout.nblocks();
  for (int b = nblocks - 1; b >= 0; --b) {
    const double* panel = panels + b * layout.panel_size();
    for (int r = warp; r < size; r += warps) {
      double sum = 0;
      if (b + 1 < nblocks)
        for (int k = lane; k < size; k += warp_size)
          sum += panel[static_cast<size_t>(r) * 2 * size + size + k] * s.z[k];
      sum = warp_sum(sum);
      if (lane == 0) s.rhs[r] = y[b * size + r] - sum;
    }
    __syncthreads();
    for (int r = warp; r < size; r += warps) {
      double sum = 0;
      for (int k = r + lane; k < size; k += warp_size)
        sum += panel[static_cast<size_t>(r) * 2 * size + k] * s.rhs[k];
      sum = warp_sum(sum);
      if (lane == 0) {
        s.z[r] = sum;
        y[b * size + r] = sum;
      }
    }
    __syncthreads();
  }
}

__global__ void __launch_bounds__(threads)
    factor_kernel(BandLayout layout, double* panels_all, double* M_all, double* y_all,
                  int* status) {
  extern __shared__ double shared[];
  const SharedBlocks s = share_blocks(layout.size(), shared);
  Elimination& elimination = *reinterpret_cast<Elimination*>(s.rhs + s.size8);
  const int nblocks = layout.nblocks();
  double* panels = panels_all + static_cast<size_t>(blockIdx.x) * layout.patch_size();
  double* M = M_all + static_cast<size_t>(blockIdx.x) * nblocks * s.size * s.size;
  double* y = y_all + static_cast<size_t>(blockIdx.x) * layout.rows();

  for (int k = threadIdx.x; k < s.size8 * s.ld; k += threads) s.E[k] = 0;
  for (int b = 0; b < nblocks; ++b) {
    double* panel = panels + b * layout.panel_size();
    read_diagonal(s, panel);
    find_rhs(s, b, y);
    __syncthreads();
    if (b > 0) {
      update_diagonal(s);
      __syncthreads();
    }
    if (!eliminate(s, elimination)) {
      if (threadIdx.x == 0) status[blockIdx.x] = 1;
      return;
    }
    store_diagonal(s, b, panel, y);
    if (b > 0) find_M(s, b, M);
    if (b + 1 == nblocks) break;
    find_below(s, panel);
    __syncthreads();
  }
  __syncthreads();
  substitute_back(s, layout, panels, y);
}

}  // namespace

void factor_band(const BandSystems& systems, cudaStream_t stream) {
  const std::size_t bytes = factor_bytes(systems.layout.size());
  allow_shared_memory(reinterpret_cast<const void*>(factor_kernel));
  factor_kernel<<<systems.count, threads, bytes, stream>>>(systems.layout, systems.panels,
                                                           systems.M, systems.y, systems.status);
  SPEX_LAUNCH_CHECK();
}

}  // namespace spex::gpu
