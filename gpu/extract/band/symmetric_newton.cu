#include <cmath>
#include <stdexcept>

#include "gpu/core/launch.hpp"
#include "gpu/extract/band/symmetric_newton.hpp"
#include "gpu/extract/band/symmetric_tiles.cuh"
#include "gpu/extract/batch/spectra_device.cuh"

namespace spex::gpu {
namespace {

using namespace symmetric_tiles;

constexpr int max_steps = 60;
constexpr double residual_bound = 1e-9;
constexpr double condition_bound = 1e5;
// Initial lower bound l of the scaled iteration: blocks at production settings have condition
// numbers of 1e3 to 3e3.
constexpr double first_bound = 0.01;

// Blocks per multiprocessor for register allocation: two if shared memory allows two; more would
// cause spills.
template <int P>
constexpr int blocks = P == 64 ? 2 : 1;

// Whether the first m variances, C's diagonal, already imply a condition number above the bound:
// ||C|| ||C^-1/2||^2 is at least the ratio of any two variances.
template <int P>
__device__ bool variances_far_apart(const double* C, int m, double* of_warps) {
  double largest = 0, inverse = 0;
  for (int k = threadIdx.x; k < m; k += threads<P>) {
    const double variance = C[k * leading<P> + k];
    largest = fmax(largest, variance);
    inverse = fmax(inverse, 1 / variance);
  }
  largest = block_max<P>(largest, of_warps);
  inverse = block_max<P>(inverse, of_warps);
  return largest * inverse > condition_bound;
}

// Shared memory of `covariance`.
struct CovarianceRoom {
  double *X_before, *X;  // rows of a band block, padded to a multiple of 8, times leading<P>
  double* M;             // size8 (size8 + 4)
};

// Computes the covariance block of one core spectrum, one tile per warp.
template <int P>
__device__ void covariance(const RootBatch& batch, const CoreSpectrum& core,
                           const PatchGeometry& patch, const Tile& tile, CovarianceRoom room,
                           Fragment& C) {
  constexpr int ld = leading<P>;
  auto [X_before, X, M] = room;
  const BandLayout& layout = batch.layout;
  const int size = layout.size();
  const int size8 = (size + 7) / 8 * 8;
  const int ld_M = size8 + 4;
  const auto [g, t] = fragment_lane();
  const double* panels = batch.panels + static_cast<size_t>(core.patch) * layout.patch_size();
  const double* M_all = batch.M + static_cast<size_t>(core.patch) * layout.nblocks() * size * size;

  for (int k = threadIdx.x; k < 2 * size8 * ld; k += threads<P>) X_before[k] = 0;  // also clears X
  for (int b = 0; b < layout.nblocks(); ++b) {
    const int begun = b * layout.reach;  // columns that began in earlier blocks
    const int active = min(begun + layout.reach, layout.nwave);
    __syncthreads();
    if (b > 0) {
      const double* from = M_all + static_cast<size_t>(b) * size * size;
      for (int k = threadIdx.x; k < size8 * size8; k += threads<P>) {
        const int row = k % size8, column = k / size8;
        M[row * ld_M + column] =
            row < size && column < size ? from[static_cast<size_t>(column) * size + row] : 0.0;
      }
    }
    __syncthreads();
    // X_b = M_b X_{b-1}, in tiles of 8 x 8
    const int across = (begun + 7) / 8;
    for (int k = threadIdx.x / warp_size; k < size8 / 8 * across; k += warps<P>) {
      const int row0 = k / across * 8, col0 = k % across * 8;
      double c0 = 0, c1 = 0;
#pragma unroll 4
      for (int j = 0; j < size8; j += 4)
        multiply_add(M[(row0 + g) * ld_M + j + t], X_before[(j + t) * ld + col0 + g], c0, c1);
      X[(row0 + g) * ld + col0 + 2 * t] = c0;
      X[(row0 + g) * ld + col0 + 2 * t + 1] = c1;
    }
    __syncthreads();
    // The columns that begin here are columns of L_bb^-1.
    const double* panel = panels + b * layout.panel_size();
    for (int k = threadIdx.x; k < size * (active - begun); k += threads<P>) {
      const int row = k % size, w = begun + k / size;
      const int unit = (w - begun) * layout.nslots + patch.pad_below + core.s;
      X[row * ld + w] = panel[static_cast<size_t>(unit) * 2 * size + row];
    }
    __syncthreads();
    if (tile.row0 < active)  // C += X_b^T X_b
      multiply(
          tile, size8, [&](int row, int k) { return X[k * ld + row]; },
          [&](int k, int column) { return X[k * ld + column]; }, C);
    double* swap = X;
    X = X_before;
    X_before = swap;
  }
  __syncthreads();
}

// T = rho / 2 (3 I - rho^2 Z Y) from the tile of Z Y.
template <int P>
__device__ void store_update(const Tile& tile, const Fragment& ZY, double rho, double* T) {
  Fragment update = ZY;
  for_each(tile, update, [&](int row, int column, double& value) {
    value = 0.5 * rho * ((row == column ? 3.0 : 0.0) - rho * rho * value);
  });
  store_symmetric<P>(tile, update, T);
}

// Runs the iteration. Returns the residual |I - Z Y| before the last update, which squares it.
template <int P>
__device__ double iterate(const Tile& tile, double* Y, double* Z, double* T, double* of_warps) {
  constexpr int ld = leading<P>;
  const auto times = [&](const double* L, const double* R, Fragment& sum) {
    multiply(
        tile, P, [&](int row, int k) { return L[row * ld + k]; },
        [&](int k, int column) { return R[column * ld + k]; }, sum);  // R is symmetric
  };
  double l = first_bound;
  double previous = INFINITY;
  for (int step = 0; step < max_steps; ++step) {
    const double rho = sqrt(3 / (1 + l + l * l));
    Fragment ZY;
    times(Z, Y, ZY);
    double largest = 0;
    for_each(tile, ZY, [&](int row, int column, double value) {
      const double difference = (row == column ? 1.0 : 0.0) - value;
      largest = isnan(difference) ? INFINITY : fmax(largest, fabs(difference));
    });
    store_update<P>(tile, ZY, rho, T);
    const double residual = block_max<P>(largest, of_warps);
    if (!isfinite(residual)) return residual;
    if (residual < 0.1 && l < 1) {
      // Close to the root, or if C is a multiple of the unit matrix, scaling would diverge.
      l = 1;
      store_update<P>(tile, ZY, 1, T);
      __syncthreads();
    }
    if (residual < 0.1 && residual > 0.5 * previous)
      return residual;  // rounding error; no further improvement
    Fragment YT, TZ;
    times(Y, T, YT);
    times(T, Z, TZ);
    __syncthreads();
    store_symmetric<P>(tile, YT, Y);
    store_symmetric<P>(tile, TZ, Z);
    __syncthreads();
    if (residual < 1e-8) return residual * residual;
    if (residual < 0.1)
      previous = residual;  // quadratic convergence from here
    else
      l = fmin(1.0, 0.5 * rho * l * (3 - rho * rho * l * l));
  }
  return INFINITY;
}

// A = C / norm in the first m rows of Y, the unit matrix in the others.
template <int P>
__device__ void scale_to_A(double* Y, int m, double norm) {
  constexpr int ld = leading<P>;
  for (int k = threadIdx.x; k < P * P; k += threads<P>) {
    const int row = k / P, column = k % P;
    double& value = Y[row * ld + column];
    value = row < m && column < m ? value / norm : (row == column ? 1.0 : 0.0);
  }
}

// Keeps C of a block that is left to Jacobi.
__device__ void keep_hard_block(const RootBatch& batch, const Tile& tile, Fragment& C) {
  const int m = batch.layout.nwave;
  double* kept = batch.C + static_cast<size_t>(blockIdx.x) * m * m;
  for_each(tile, C, [&](int row, int column, double value) {
    if (row < column || row >= m) return;
    kept[row * m + column] = value;
    kept[column * m + row] = value;
  });
  if (threadIdx.x == 0) batch.hard[blockIdx.x] = 1;
}

// Q = Z scale of a core spectrum, and room for its row sums r and Q f.
struct Root {
  const double* Z;
  double scale;
  double *r, *Qf;
};

// Stores the spectrum from its root.
template <int P>
__device__ void store_spectrum(const RootBatch& batch, const CoreSpectrum& core,
                               const PatchGeometry& patch, Root root, const SpectraView& spectra) {
  constexpr int ld = leading<P>;
  const auto [Z, scale, r, Qf] = root;
  const int m = batch.layout.nwave;
  const BinStrides strides = batch.layout.strides();
  const size_t first = strides.patch(core.patch) + strides.bin(patch.pad_below + core.s, 0);
  for (int row = threadIdx.x; row < m; row += threads<P>) {
    double sum = 0, product = 0;
    for (int k = 0; k < m; ++k) {
      const double value = Z[row * ld + k] * scale;
      sum += value;
      product += value * batch.f[first + strides.bin(0, k)];
    }
    r[row] = sum;
    Qf[row] = product;
  }
  __syncthreads();
  for (int w = threadIdx.x; w < patch.nkept; w += threads<P>) {
    const int column = w + patch.wavepad;
    if (batch.q[first + strides.bin(0, column)] == 0) continue;
    store_bin(
        patch, {core.s, w, Qf[column]}, [&](int row) { return Z[row * ld + column] * scale; },
        [&](int row) { return r[row]; }, batch.status + core.patch, spectra);
  }
}

template <int P>
__global__ void __launch_bounds__(threads<P>, blocks<P>)
    roots_kernel(RootBatch batch, SpectraView spectra) {
  constexpr int ld = leading<P>;
  extern __shared__ double shared[];
  double* r = shared;
  double* Qf = r + P;
  double* of_warps = Qf + P;
  int& skip = *reinterpret_cast<int*>(of_warps + 32);
  double* Y = of_warps + 33;
  double* Z = Y + P * ld;
  double* T = Z + P * ld;

  const CoreSpectrum core = batch.cores[blockIdx.x];
  const PatchGeometry patch = batch.patches[core.patch];
  // One thread reads the status for all, because other blocks of the same patch write it.
  if (threadIdx.x == 0) {
    batch.hard[blockIdx.x] = 0;
    skip = batch.status[core.patch];
  }
  __syncthreads();
  if (skip != 0) return;
  const int m = batch.layout.nwave;
  const Tile tile = my_tile<P>();

  Fragment C;
  {
    const int size8 = (batch.layout.size() + 7) / 8 * 8;
    double* X = Y + size8 * ld;  // the iteration's matrices are not in use yet
    covariance<P>(batch, core, patch, tile, {Y, X, X + size8 * ld}, C);
  }
  for (int k = threadIdx.x; k < P * P; k += threads<P>)
    Z[k / P * ld + k % P] = k / P == k % P ? 1.0 : 0.0;
  store_symmetric<P>(tile, C, Y);
  __syncthreads();
  const double norm = infinity_norm<P>(Y, m, of_warps);
  const bool sane = norm > 0 && isfinite(norm);  // uniform over the block
  double residual = INFINITY, Z_norm = INFINITY;
  if (sane && !variances_far_apart<P>(Y, m, of_warps)) {
    scale_to_A<P>(Y, m, norm);
    __syncthreads();
    residual = iterate<P>(tile, Y, Z, T, of_warps);
    __syncthreads();
    Z_norm = infinity_norm<P>(Z, m, of_warps);
  }
  // ||C|| ||C^-1/2||^2 = ||A|| ||Z||^2, and ||A|| = 1
  if (!(residual < residual_bound) || !(Z_norm * Z_norm < condition_bound)) {
    keep_hard_block(batch, tile, C);
    return;
  }
  // Q = Z / sqrt(norm)
  store_spectrum<P>(batch, core, patch, {Z, 1 / sqrt(norm), r, Qf}, spectra);
}

template <int P>
void launch(const RootBatch& batch, const SpectraView& spectra, cudaStream_t stream) {
  const std::size_t bytes = root_bytes(P, batch.layout.size());
  allow_shared_memory(reinterpret_cast<const void*>(roots_kernel<P>));
  roots_kernel<P><<<batch.ncores, threads<P>, bytes, stream>>>(batch, spectra);
  SPEX_LAUNCH_CHECK();
}

}  // namespace

void find_roots(const RootBatch& batch, const SpectraView& spectra, cudaStream_t stream) {
  switch (padded_root(batch.layout.nwave)) {
    case 32:
      return launch<32>(batch, spectra, stream);
    case 48:
      return launch<48>(batch, spectra, stream);
    case 64:
      return launch<64>(batch, spectra, stream);
    case largest_root:
      return launch<largest_root>(batch, spectra, stream);
    default:
      throw std::logic_error("find_roots: the block is too large");
  }
}

}  // namespace spex::gpu
