// Compiled without contraction, as spots.cu.
#include "gpu/core/launch.hpp"
#include "gpu/psf/spot_series.cuh"
#include "gpu/psf/spots_large.hpp"
#include "reference/psf/spot.hpp"

namespace spex::gpu {
namespace {

constexpr int max_warps = 4;  // per block

// Shared memory per warp of large_spots_kernel, in doubles: values at the edges along both axes,
// the coefficients g, and the sums along x.
__host__ __device__ int scratch_numbers(const PsfView& psf) {
  const int degx = psf.ghdegx, degy = psf.ghdegy;
  return (degx + 1) * (psf.nx() + 1) + (degy + 1) * (psf.ny() + 1) + (degx + 1) * (degy + 1) +
         (degy + 1) * psf.nx();
}

// Spots of any size, with the operations of spots_kernel in the same order: one warp per spot,
// columns distributed over lanes. Tails are those of reference/psf/gauss_hermite_tails.hpp.
template <bool Tails>
__global__ void large_spots_kernel(PsfView psf, FiberBins of, double* value, float* rims) {
  extern __shared__ double shared[];
  const int lane = threadIdx.x % warp_size;
  const int warp = threadIdx.x / warp_size;
  const long long j = static_cast<long long>(blockIdx.x) * (blockDim.x / warp_size) + warp;
  const WaveBins& bins = of.bins;
  if (j >= static_cast<long long>(of.nspec) * bins.nwave) return;
  const int nx = psf.nx(), ny = psf.ny(), degx = psf.ghdegx, degy = psf.ghdegy;
  const int ng = (degx + 1) * (degy + 1);

  double* Ex = shared + warp * scratch_numbers(psf);
  double* Ey = Ex + (degx + 1) * (nx + 1);
  double* g = Ey + (degy + 1) * (ny + 1);
  double* row = g + ng;

  const int s = of.fiber + static_cast<int>(j / bins.nwave);
  const double lambda = wavelength(bins, static_cast<int>(j % bins.nwave));
  const double u = legendre_variable(lambda, psf.wavemin, psf.wavemax);
  const double sigma_x = parameter(psf, 0, s, u);
  const double sigma_y = parameter(psf, 1, s, u);
  const double x_center = center(psf.xtrace, s, lambda);
  const double y_center = center(psf.ytrace, s, lambda);

  for (int k = lane; k < ng; k += warp_size) g[k] = parameter(psf, 2 + k, s, u);
  for (int m = lane; m <= nx; m += warp_size) edge_values(x_center, sigma_x, nx, m, degx, Ex + m);
  for (int m = lane; m <= ny; m += warp_size) edge_values(y_center, sigma_y, ny, m, degy, Ey + m);
  __syncwarp();

  // row[j][x] = sum_i g_ij Px_i[x]
  for (int k = lane; k < (degy + 1) * nx; k += warp_size) {
    const int gj = k / nx, x = k % nx;
    double sum = 0.0;
    for (int i = 0; i <= degx; ++i)
      sum = fma(g[i * (degy + 1) + gj],
                pixel_integral(i, Ex[i * (nx + 1) + x], Ex[i * (nx + 1) + x + 1]), sum);
    row[k] = sum;
  }
  __syncwarp();

  double* spot = value + static_cast<size_t>(j) * nx * ny;
  const int left = spot_corner(x_center, psf.hsizex), below = spot_corner(y_center, psf.hsizey);
  SpotTail tail{};
  if constexpr (Tails) tail = tail_at(psf, s, u);
  double total = 0.0;
  for (int x = lane; x < nx; x += warp_size)
    for (int y = 0; y < ny; ++y) {
      const double* E = Ey + y;
      double sum = 0.0;
      for (int i = 0; i <= degy; ++i, E += ny + 1)
        sum = fma(row[i * nx + x], pixel_integral(i, E[0], E[1]), sum);
      if constexpr (Tails) sum += tail.at(left + x - x_center, below + y - y_center);
      sum = sum > 0.0 ? sum : 0.0;
      spot[y * nx + x] = sum;
      total += sum;
    }
  const double scale = unit_scale(total);
  for (int x = lane; x < nx; x += warp_size)
    for (int y = 0; y < ny; ++y) {
      double& pixel = spot[y * nx + x];
      // A tail may be infinite.
      pixel = Tails && !(scale > 0) ? 0.0 : pixel * scale;
    }
  if (rims == nullptr) return;
  __syncwarp();  // other lanes have written the column
  const int column = column_of_rim(lane, nx);
  double squares = 0.0;
  for (int y = 0; column >= 0 && y < ny; ++y)
    squares = fma(spot[y * nx + column], spot[y * nx + column], squares);
  store_rims(squares, rims + j * rims_of_spot);
}

}  // namespace

void evaluate_large_spots(const DevicePsf& psf, const FiberBins& of, double* value, float* rims,
                          cudaStream_t stream) {
  const std::size_t bytes_of_warp =
      static_cast<std::size_t>(scratch_numbers(psf.view)) * sizeof(double);
  int warps = max_warps;
  while (warps > 1 && static_cast<std::size_t>(warps) * bytes_of_warp > max_shared_memory())
    warps /= 2;
  const auto kernel =
      psf.view.tail != nullptr ? large_spots_kernel<true> : large_spots_kernel<false>;
  allow_shared_memory(reinterpret_cast<const void*>(kernel));
  const long long count = static_cast<long long>(of.nspec) * of.bins.nwave;
  kernel<<<blocks_for(count, warps), warps * warp_size,
           static_cast<std::size_t>(warps) * bytes_of_warp, stream>>>(psf.view, of, value, rims);
  SPEX_LAUNCH_CHECK();
}

}  // namespace spex::gpu
