// Compiled without fused multiply-adds (gpu/CMakeLists.txt): a centre that rounded otherwise than
// on the CPU could fall into the next pixel.
#include "gpu/core/launch.hpp"
#include "gpu/psf/spots.hpp"
#include "reference/psf/legendre.hpp"
#include "reference/psf/spot.hpp"

namespace spex::gpu {
namespace {

constexpr int warps_per_block = 4;
constexpr double farthest_centre = 1e6;  // as in the reference: beyond it the PSF is broken

// What kernels need of a DevicePsf.
struct PsfArguments {
  int nfiber, hsizex, hsizey, ghdegx, ghdegy, nx, ny;
  double wavemin, wavemax;
  int ncoeff;
  double x_wavemin, x_wavemax;
  int x_ncoeff;
  double y_wavemin, y_wavemax;
  int y_ncoeff;
  const double* param;
  const double* xtrace;
  const double* ytrace;
};

PsfArguments arguments(const DevicePsf& psf) {
  return {psf.nfiber,    psf.hsizex,      psf.hsizey,       psf.ghdegx,      psf.ghdegy,
          psf.nx,        psf.ny,          psf.wavemin,      psf.wavemax,     psf.ncoeff,
          psf.x_wavemin, psf.x_wavemax,   psf.x_ncoeff,     psf.y_wavemin,   psf.y_wavemax,
          psf.y_ncoeff,  psf.param.get(), psf.xtrace.get(), psf.ytrace.get()};
}

__device__ double centre_x(const PsfArguments& psf, int fiber, double lambda) {
  return legendre_sum(psf.xtrace + static_cast<size_t>(fiber) * psf.x_ncoeff, psf.x_ncoeff,
                      legendre_variable(lambda, psf.x_wavemin, psf.x_wavemax));
}

__device__ double centre_y(const PsfArguments& psf, int fiber, double lambda) {
  return legendre_sum(psf.ytrace + static_cast<size_t>(fiber) * psf.y_ncoeff, psf.y_ncoeff,
                      legendre_variable(lambda, psf.y_wavemin, psf.y_wavemax));
}

// Parameter p of the PSF (0, 1: GHSIGX, GHSIGY; then GH-i-j) at u.
__device__ double parameter(const PsfArguments& psf, int p, int fiber, double u) {
  return legendre_sum(psf.param + (static_cast<size_t>(p) * psf.nfiber + fiber) * psf.ncoeff,
                      psf.ncoeff, u);
}

__global__ void corners_kernel(PsfArguments psf, int fiber, int nspec, WaveBins bins, int* xc,
                               int* yc, int* bad) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= nspec * bins.nwave) return;
  const int s = j / bins.nwave;
  const double lambda = bins.grid.wmin + (bins.first + j % bins.nwave) * bins.grid.dw;
  const double x = centre_x(psf, fiber + s, lambda);
  const double y = centre_y(psf, fiber + s, lambda);
  const double u = legendre_variable(lambda, psf.wavemin, psf.wavemax);
  const bool good = fabs(x) < farthest_centre && fabs(y) < farthest_centre &&
                    parameter(psf, 0, fiber + s, u) > 0 && parameter(psf, 1, fiber + s, u) > 0;
  if (!good && bad != nullptr) atomicMax(bad, j + 1);
  xc[j] = good ? spot_corner(x, psf.hsizex) : 0;
  yc[j] = good ? spot_corner(y, psf.hsizey) : 0;
}

__device__ double warp_sum(double v) {
  for (int offset = warp_size / 2; offset > 0; offset /= 2)
    v += __shfl_xor_sync(0xffffffffU, v, offset);
  return v;
}

__global__ void spots_kernel(PsfArguments psf, int fiber, int nspec, WaveBins bins, double* value) {
  extern __shared__ double shared[];
  const int lane = threadIdx.x % warp_size;
  const int warp = threadIdx.x / warp_size;
  const long long j = static_cast<long long>(blockIdx.x) * warps_per_block + warp;
  if (j >= static_cast<long long>(nspec) * bins.nwave) return;
  const int nx = psf.nx, ny = psf.ny, degx = psf.ghdegx, degy = psf.ghdegy;
  const int ng = (degx + 1) * (degy + 1);

  double* Ex =
      shared + warp * ((degx + 1) * (nx + 1) + (degy + 1) * (ny + 1) + ng + (degy + 1) * nx);
  double* Ey = Ex + (degx + 1) * (nx + 1);
  double* g = Ey + (degy + 1) * (ny + 1);
  double* row = g + ng;

  const int s = fiber + static_cast<int>(j / bins.nwave);
  const double lambda =
      bins.grid.wmin + (bins.first + static_cast<int>(j % bins.nwave)) * bins.grid.dw;
  const double u = legendre_variable(lambda, psf.wavemin, psf.wavemax);
  const double sigma_x = parameter(psf, 0, s, u);
  const double sigma_y = parameter(psf, 1, s, u);
  const double x_centre = centre_x(psf, s, lambda);
  const double y_centre = centre_y(psf, s, lambda);

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
  device.nfiber = psf.nfiber;
  device.hsizex = psf.hsizex;
  device.hsizey = psf.hsizey;
  device.ghdegx = psf.ghdegx;
  device.ghdegy = psf.ghdegy;
  device.nx = psf.nx();
  device.ny = psf.ny();
  device.wavemin = psf.wavemin;
  device.wavemax = psf.wavemax;
  device.ncoeff = psf.ncoeff;
  device.x_wavemin = psf.xtrace.wavemin;
  device.x_wavemax = psf.xtrace.wavemax;
  device.x_ncoeff = psf.xtrace.ncoeff;
  device.y_wavemin = psf.ytrace.wavemin;
  device.y_wavemax = psf.ytrace.wavemax;
  device.y_ncoeff = psf.ytrace.ncoeff;
  upload_values(psf.param, device.param, stream);
  upload_values(psf.xtrace.coeff, device.xtrace, stream);
  upload_values(psf.ytrace.coeff, device.ytrace, stream);
}

void evaluate_corners(const DevicePsf& psf, int fiber, int nspec, const WaveBins& bins,
                      SpotCorners& corners, int* bad, cudaStream_t stream) {
  const auto count = static_cast<std::size_t>(nspec) * static_cast<std::size_t>(bins.nwave);
  corners.nspec = nspec;
  corners.nwave = bins.nwave;
  reserve(corners.xc, count);
  reserve(corners.yc, count);
  constexpr int threads = 128;
  corners_kernel<<<blocks_for(static_cast<long long>(count), threads), threads, 0, stream>>>(
      arguments(psf), fiber, nspec, bins, corners.xc.get(), corners.yc.get(), bad);
  SPEX_LAUNCH_CHECK();
}

void evaluate_spots(const DevicePsf& psf, int fiber, int nspec, const WaveBins& bins, double* value,
                    cudaStream_t stream) {
  const std::size_t scratch =
      static_cast<std::size_t>((psf.ghdegx + 1) * (psf.nx + 1) + (psf.ghdegy + 1) * (psf.ny + 1) +
                               (psf.ghdegx + 1) * (psf.ghdegy + 1) + (psf.ghdegy + 1) * psf.nx);
  const std::size_t bytes = warps_per_block * scratch * sizeof(double);
  SPEX_GPU_CHECK(cudaFuncSetAttribute(spots_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      static_cast<int>(bytes)));
  const long long count = static_cast<long long>(nspec) * bins.nwave;
  spots_kernel<<<blocks_for(count, warps_per_block), warps_per_block * warp_size, bytes, stream>>>(
      arguments(psf), fiber, nspec, bins, value);
  SPEX_LAUNCH_CHECK();
}

}  // namespace spex::gpu
