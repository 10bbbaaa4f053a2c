// Compiled without fused multiply-adds (gpu/CMakeLists.txt): a centre that rounded otherwise than
// on the CPU could fall into the next pixel.
#include "gpu/core/warp.cuh"
#include "gpu/psf/spots.hpp"
#include "reference/core/count.hpp"
#include "reference/psf/legendre.hpp"
#include "reference/psf/spot.hpp"

namespace spex::gpu {
namespace {

constexpr int most_warps = 4;
constexpr double farthest_centre = 1e6;  // as in the reference: beyond it the PSF is broken

// Column or row of a fiber's centre.
__device__ double centre(const TraceView& trace, int fiber, double lambda) {
  return legendre_sum(trace.coeff + static_cast<size_t>(fiber) * trace.ncoeff, trace.ncoeff,
                      legendre_variable(lambda, trace.wavemin, trace.wavemax));
}

// Parameter p of the PSF (0, 1: GHSIGX, GHSIGY; then GH-i-j) at u.
__device__ double parameter(const PsfView& psf, int p, int fiber, double u) {
  return legendre_sum(psf.param + (static_cast<size_t>(p) * psf.nfiber + fiber) * psf.ncoeff,
                      psf.ncoeff, u);
}

__global__ void corners_kernel(PsfView psf, int fiber, int nspec, WaveBins bins, int* xc, int* yc,
                               int* bad) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= nspec * bins.nwave) return;
  const int s = j / bins.nwave;
  const double lambda = bins.grid.wmin + (bins.first + j % bins.nwave) * bins.grid.dw;
  const double x = centre(psf.xtrace, fiber + s, lambda);
  const double y = centre(psf.ytrace, fiber + s, lambda);
  const double u = legendre_variable(lambda, psf.wavemin, psf.wavemax);
  const bool good = fabs(x) < farthest_centre && fabs(y) < farthest_centre &&
                    parameter(psf, 0, fiber + s, u) > 0 && parameter(psf, 1, fiber + s, u) > 0;
  if (!good && bad != nullptr) atomicMax(bad, j + 1);
  xc[j] = good ? spot_corner(x, psf.hsizex) : 0;
  yc[j] = good ? spot_corner(y, psf.hsizey) : 0;
}

// Numbers of shared memory that a warp needs: values at the edges along both axes, the coefficients
// g, and the sums along x.
__host__ __device__ int scratch_numbers(const PsfView& psf) {
  const int degx = psf.ghdegx, degy = psf.ghdegy;
  return (degx + 1) * (psf.nx() + 1) + (degy + 1) * (psf.ny() + 1) + (degx + 1) * (degy + 1) +
         (degy + 1) * psf.nx();
}

__global__ void spots_kernel(PsfView psf, int fiber, int nspec, WaveBins bins, double* value) {
  extern __shared__ double shared[];
  const int lane = threadIdx.x % warp_size;
  const int warp = threadIdx.x / warp_size;
  const long long j = static_cast<long long>(blockIdx.x) * (blockDim.x / warp_size) + warp;
  if (j >= static_cast<long long>(nspec) * bins.nwave) return;
  const int nx = psf.nx(), ny = psf.ny(), degx = psf.ghdegx, degy = psf.ghdegy;
  const int ng = (degx + 1) * (degy + 1);

  double* Ex = shared + warp * scratch_numbers(psf);
  double* Ey = Ex + (degx + 1) * (nx + 1);
  double* g = Ey + (degy + 1) * (ny + 1);
  double* row = g + ng;

  const int s = fiber + static_cast<int>(j / bins.nwave);
  const double lambda =
      bins.grid.wmin + (bins.first + static_cast<int>(j % bins.nwave)) * bins.grid.dw;
  const double u = legendre_variable(lambda, psf.wavemin, psf.wavemax);
  const double sigma_x = parameter(psf, 0, s, u);
  const double sigma_y = parameter(psf, 1, s, u);
  const double x_centre = centre(psf.xtrace, s, lambda);
  const double y_centre = centre(psf.ytrace, s, lambda);

  for (int k = lane; k < ng; k += warp_size) g[k] = parameter(psf, 2 + k, s, u);
  for (int m = lane; m <= nx; m += warp_size)
    edge_values(x_centre, sigma_x, nx, m, degx, Ex + m, nx + 1);
  for (int m = lane; m <= ny; m += warp_size)
    edge_values(y_centre, sigma_y, ny, m, degy, Ey + m, ny + 1);
  __syncwarp();

  // row[j][x] = sum_i g_ij Px_i[x]
  for (int k = lane; k < (degy + 1) * nx; k += warp_size) {
    const int gj = k / nx, x = k % nx;
    double sum = 0.0;
    for (int i = 0; i <= degx; ++i)
      sum += g[i * (degy + 1) + gj] *
             pixel_integral(i, Ex[i * (nx + 1) + x], Ex[i * (nx + 1) + x + 1]);
    row[k] = sum;
  }
  __syncwarp();

  double* spot = value + static_cast<size_t>(j) * nx * ny;
  double total = 0.0;
  for (int k = lane; k < nx * ny; k += warp_size) {
    const int y = k / nx, x = k % nx;
    double sum = 0.0;
    for (int i = 0; i <= degy; ++i)
      sum += row[i * nx + x] * pixel_integral(i, Ey[i * (ny + 1) + y], Ey[i * (ny + 1) + y + 1]);
    if (!(sum > 0.0)) sum = 0.0;
    spot[k] = sum;
    total += sum;
  }
  total = warp_sum(total);
  const double scale = total > 0.0 ? 1.0 / total : 0.0;
  for (int k = lane; k < nx * ny; k += warp_size) spot[k] *= scale;
}

void upload_values(const std::vector<double>& from, DeviceBuffer<double>& to, cudaStream_t stream) {
  reserve(to, from.size());
  SPEX_GPU_CHECK(cudaMemcpyAsync(to.get(), from.data(), from.size() * sizeof(double),
                                 cudaMemcpyHostToDevice, stream));
}

}  // namespace

void upload(const Psf& psf, DevicePsf& device, cudaStream_t stream) {
  upload_values(psf.param, device.param, stream);
  upload_values(psf.xtrace.coeff, device.xtrace, stream);
  upload_values(psf.ytrace.coeff, device.ytrace, stream);
  const auto view_of = [](const Trace& trace, const DeviceBuffer<double>& coeff) {
    return TraceView{trace.wavemin, trace.wavemax, trace.ncoeff, coeff.get()};
  };
  PsfView& view = device.view;
  view.nfiber = psf.nfiber;
  view.hsizex = psf.hsizex;
  view.hsizey = psf.hsizey;
  view.ghdegx = psf.ghdegx;
  view.ghdegy = psf.ghdegy;
  view.xtrace = view_of(psf.xtrace, device.xtrace);
  view.ytrace = view_of(psf.ytrace, device.ytrace);
  view.wavemin = psf.wavemin;
  view.wavemax = psf.wavemax;
  view.ncoeff = psf.ncoeff;
  view.param = device.param.get();
}

void evaluate_corners(const DevicePsf& psf, int fiber, int nspec, const WaveBins& bins,
                      SpotCorners& corners, int* bad, cudaStream_t stream) {
  const auto count = count_of(nspec, bins.nwave);
  corners.nspec = nspec;
  corners.nwave = bins.nwave;
  reserve(corners.xc, count);
  reserve(corners.yc, count);
  constexpr int threads = 128;
  corners_kernel<<<blocks_for(static_cast<long long>(count), threads), threads, 0, stream>>>(
      psf.view, fiber, nspec, bins, corners.xc.get(), corners.yc.get(), bad);
  SPEX_LAUNCH_CHECK();
}

void evaluate_spots(const DevicePsf& psf, int fiber, int nspec, const WaveBins& bins, double* value,
                    cudaStream_t stream) {
  const std::size_t bytes_of_warp =
      static_cast<std::size_t>(scratch_numbers(psf.view)) * sizeof(double);
  const std::size_t most = most_shared_memory();
  int warps = most_warps;
  while (warps > 1 && static_cast<std::size_t>(warps) * bytes_of_warp > most) warps /= 2;
  allow_shared_memory(reinterpret_cast<const void*>(spots_kernel));
  const long long count = static_cast<long long>(nspec) * bins.nwave;
  spots_kernel<<<blocks_for(count, warps), warps * warp_size,
                 static_cast<std::size_t>(warps) * bytes_of_warp, stream>>>(psf.view, fiber, nspec,
                                                                            bins, value);
  SPEX_LAUNCH_CHECK();
}

}  // namespace spex::gpu
