// Compiled without fused multiply-adds (gpu/CMakeLists.txt): a centre that rounded otherwise than
// on the CPU could fall into the next pixel.
#include "gpu/core/warp.cuh"
#include "gpu/psf/spots.hpp"
#include "reference/core/count.hpp"
#include "reference/psf/legendre.hpp"
#include "reference/psf/spot.hpp"

namespace spex::gpu {
namespace {

constexpr double farthest_centre = 1e6;  // as in the reference: beyond it the PSF is broken

// What spots_kernel can do: a lane has a column, whose pixels and Px it keeps in registers.
constexpr int most_columns = warp_size;
constexpr int most_rows = 12;
constexpr int most_x_terms = 8;
// Wavelengths of one fiber that a block does, and its warps.
constexpr int bins_of_block = 32;
constexpr int warps_of_block = 8;
// Of large_spots_kernel.
constexpr int most_large_warps = 4;

__device__ double wavelength(const WaveBins& bins, int w) {
  return bins.grid.at(bins.first + w);
}

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
  const double lambda = wavelength(bins, j % bins.nwave);
  const double x = centre(psf.xtrace, fiber + s, lambda);
  const double y = centre(psf.ytrace, fiber + s, lambda);
  const double u = legendre_variable(lambda, psf.wavemin, psf.wavemax);
  const bool good = fabs(x) < farthest_centre && fabs(y) < farthest_centre &&
                    parameter(psf, 0, fiber + s, u) > 0 && parameter(psf, 1, fiber + s, u) > 0;
  if (!good && bad != nullptr) atomicMax(bad, j + 1);
  xc[j] = good ? spot_corner(x, psf.hsizex) : 0;
  yc[j] = good ? spot_corner(y, psf.hsizey) : 0;
}

// The Legendre series of a spot: its parameters, its centre's column and row. They share P_d(u)
// where they share the range of wavelengths, which is that of the parameters and of each trace.
constexpr int nranges = 3;

__device__ TraceView series_of(const PsfView& psf, int range) {
  if (range == 1) return psf.xtrace;
  if (range == 2) return psf.ytrace;
  return {psf.wavemin, psf.wavemax, psf.ncoeff, psf.param};
}

// The range of series q: the parameters come first, then column and row.
__device__ int range_of(const PsfView& psf, int q) {
  return max(q - psf.nparam() + 1, 0);
}

// Shared memory of spots_kernel, counted in numbers.
struct SpotLayout {
  // Of coefficients and of P_d: odd, so that the lanes' rows begin in different banks.
  int stride;
  int coeff;       // coefficients of all series of the fiber
  int polynomial;  // P_d of all ranges and wavelengths of the block
  // Of each warp's spot: the values of its series; those at its edges, and later its pixels in
  // their place; its pixel integrals along y.
  int series, edges, Py;

  __host__ __device__ explicit SpotLayout(const PsfView& psf) {
    const int nx = psf.nx(), ny = psf.ny(), degx = psf.ghdegx, degy = psf.ghdegy;
    const auto larger = [](int a, int b) { return a > b ? a : b; };
    stride = larger(psf.ncoeff, larger(psf.xtrace.ncoeff, psf.ytrace.ncoeff)) | 1;
    coeff = (psf.nparam() + 2) * stride;
    polynomial = nranges * bins_of_block * stride;
    series = psf.nparam() + 2;
    edges = larger((degx + 1) * (nx + 1) + (degy + 1) * (ny + 1), nx * ny);
    Py = (degy + 1) * ny;
  }
  __host__ __device__ int of_warp() const { return series + edges + Py; }
  [[nodiscard]] std::size_t bytes() const {
    return sizeof(double) *
           static_cast<std::size_t>(coeff + polynomial + warps_of_block * of_warp());
  }
};

bool fits_registers(const PsfView& psf) {
  return psf.nx() <= most_columns && psf.ny() <= most_rows && psf.ghdegx < most_x_terms;
}

// Stores a spot, scaled to a sum of 1. A lane reads and writes pixels lane, lane + 32, ... alone,
// so that `stored` may be `spot`.
__device__ void store_spot(const double* spot, int npixel, int lane, double* stored) {
  double total = 0.0;
  for (int k = lane; k < npixel; k += warp_size) total += spot[k];
  total = warp_sum(total);
  const double scale = total > 0.0 ? 1.0 / total : 0.0;
  for (int k = lane; k < npixel; k += warp_size) stored[k] = spot[k] * scale;
}

// A block does some wavelengths of one fiber, whose coefficients and polynomials it keeps in shared
// memory, a warp a spot at a time.
__global__ void __launch_bounds__(warps_of_block* warp_size)
    spots_kernel(PsfView psf, int fiber, WaveBins bins, double* value) {
  extern __shared__ double shared[];
  const SpotLayout layout(psf);
  const int nx = psf.nx(), ny = psf.ny(), degx = psf.ghdegx, degy = psf.ghdegy;
  const int nparam = psf.nparam();
  const int lane = threadIdx.x % warp_size;
  const int warp = threadIdx.x / warp_size;
  double* coeff = shared;
  double* polynomial = coeff + layout.coeff;
  double* series = polynomial + layout.polynomial + warp * layout.of_warp();
  double* Ex = series + layout.series;
  double* Ey = Ex + (degx + 1) * (nx + 1);
  double* spot = Ex;
  double* Py = Ex + layout.edges;
  const double* g = series + 2;

  const int s = blockIdx.y;
  const int begin = blockIdx.x * bins_of_block;
  const int end = min(begin + bins_of_block, bins.nwave);
  for (int k = threadIdx.x; k < layout.coeff; k += blockDim.x) {
    const int q = k / layout.stride, d = k % layout.stride;
    const TraceView from = series_of(psf, range_of(psf, q));
    const int row = (q < nparam ? q * psf.nfiber : 0) + fiber + s;
    if (d < from.ncoeff) coeff[k] = from.coeff[static_cast<size_t>(row) * from.ncoeff + d];
  }
  for (int k = threadIdx.x; k < nranges * bins_of_block; k += blockDim.x) {
    const TraceView of = series_of(psf, k / bins_of_block);
    const double lambda = wavelength(bins, begin + k % bins_of_block);
    legendre_values(of.ncoeff, legendre_variable(lambda, of.wavemin, of.wavemax),
                    polynomial + k * layout.stride);
  }
  __syncthreads();

  for (int w = begin + warp; w < end; w += warps_of_block) {
    for (int q = lane; q < nparam + 2; q += warp_size) {
      const int range = range_of(psf, q);
      series[q] = legendre_series(coeff + q * layout.stride, series_of(psf, range).ncoeff,
                                  polynomial + (range * bins_of_block + w - begin) * layout.stride);
    }
    __syncwarp();
    for (int k = lane; k < nx + ny + 2; k += warp_size) {
      const bool along_x = k <= nx;
      const int m = along_x ? k : k - nx - 1;
      const int n = along_x ? nx : ny;
      edge_values(series[along_x ? nparam : nparam + 1], series[along_x ? 0 : 1], n, m,
                  along_x ? degx : degy, (along_x ? Ex : Ey) + m, n + 1);
    }
    __syncwarp();

    double Px[most_x_terms];
#pragma unroll
    for (int i = 0; i < most_x_terms; ++i) {
      const double* E = Ex + i * (nx + 1) + lane;
      Px[i] = i <= degx && lane < nx ? pixel_integral(i, E[0], E[1]) : 0.0;
    }
    if (lane < ny)
      for (int j = 0; j <= degy; ++j) {
        const double* E = Ey + j * (ny + 1) + lane;
        Py[j * ny + lane] = pixel_integral(j, E[0], E[1]);
      }
    __syncwarp();

    // spot[y][x] = sum_j row_j[x] Py_j[y] with row_j[x] = sum_i g_ij Px_i[x], x = lane
    double column[most_rows] = {};
    for (int j = 0; j <= degy; ++j) {
      double row = 0.0;
#pragma unroll
      for (int i = 0; i < most_x_terms; ++i)
        if (i <= degx) row += g[i * (degy + 1) + j] * Px[i];
#pragma unroll
      for (int y = 0; y < most_rows; ++y)
        if (y < ny) column[y] += row * Py[j * ny + y];
    }
    if (lane < nx) {
#pragma unroll
      for (int y = 0; y < most_rows; ++y)
        if (y < ny) spot[y * nx + lane] = column[y] > 0.0 ? column[y] : 0.0;
    }
    __syncwarp();
    store_spot(spot, nx * ny, lane, value + (static_cast<size_t>(s) * bins.nwave + w) * nx * ny);
  }
}

// Numbers of shared memory that a warp of large_spots_kernel needs: values at the edges along both
// axes, the coefficients g, and the sums along x.
__host__ __device__ int scratch_numbers(const PsfView& psf) {
  const int degx = psf.ghdegx, degy = psf.ghdegy;
  return (degx + 1) * (psf.nx() + 1) + (degy + 1) * (psf.ny() + 1) + (degx + 1) * (degy + 1) +
         (degy + 1) * psf.nx();
}

// Spots of any size, with the operations of spots_kernel in the same order: a warp a spot, a lane a
// pixel in turn.
__global__ void large_spots_kernel(PsfView psf, int fiber, int nspec, WaveBins bins,
                                   double* value) {
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
  const double lambda = wavelength(bins, static_cast<int>(j % bins.nwave));
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
  for (int k = lane; k < nx * ny; k += warp_size) {
    const int y = k / nx, x = k % nx;
    double sum = 0.0;
    for (int i = 0; i <= degy; ++i)
      sum += row[i * nx + x] * pixel_integral(i, Ey[i * (ny + 1) + y], Ey[i * (ny + 1) + y + 1]);
    spot[k] = sum > 0.0 ? sum : 0.0;
  }
  store_spot(spot, nx * ny, lane, spot);
}

void upload_values(const std::vector<double>& from, DeviceBuffer<double>& to, cudaStream_t stream) {
  reserve(to, from.size());
  SPEX_GPU_CHECK(cudaMemcpyAsync(to.get(), from.data(), from.size() * sizeof(double),
                                 cudaMemcpyHostToDevice, stream));
}

// The structs are taken apart whole, so that a member which a kernel might need and which is not
// considered here does not compile.
TraceView upload(const Trace& trace, DeviceBuffer<double>& to, cudaStream_t stream) {
  const auto& [wavemin, wavemax, ncoeff, coeff] = trace;
  upload_values(coeff, to, stream);
  return {wavemin, wavemax, ncoeff, to.get()};
}

}  // namespace

void upload(const Psf& psf, DevicePsf& device, cudaStream_t stream) {
  [[maybe_unused]] const auto& [nfiber, hsizex, hsizey, ghdegx, ghdegy, npix_x, npix_y, fibermin,
                                psferr, in_psf, xtrace, ytrace, wavemin, wavemax, ncoeff, param] =
      psf;
  upload_values(param, device.param, stream);
  device.view = {.nfiber = nfiber,
                 .hsizex = hsizex,
                 .hsizey = hsizey,
                 .ghdegx = ghdegx,
                 .ghdegy = ghdegy,
                 .xtrace = upload(xtrace, device.xtrace, stream),
                 .ytrace = upload(ytrace, device.ytrace, stream),
                 .wavemin = wavemin,
                 .wavemax = wavemax,
                 .ncoeff = ncoeff,
                 .param = device.param.get()};
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
  const std::size_t most = most_shared_memory();
  if (const SpotLayout layout(psf.view); fits_registers(psf.view) && layout.bytes() <= most) {
    allow_shared_memory(reinterpret_cast<const void*>(spots_kernel));
    spots_kernel<<<dim3(blocks_for(bins.nwave, bins_of_block), nspec), warps_of_block * warp_size,
                   layout.bytes(), stream>>>(psf.view, fiber, bins, value);
  } else {
    const std::size_t bytes_of_warp =
        static_cast<std::size_t>(scratch_numbers(psf.view)) * sizeof(double);
    int warps = most_large_warps;
    while (warps > 1 && static_cast<std::size_t>(warps) * bytes_of_warp > most) warps /= 2;
    allow_shared_memory(reinterpret_cast<const void*>(large_spots_kernel));
    const long long count = static_cast<long long>(nspec) * bins.nwave;
    large_spots_kernel<<<blocks_for(count, warps), warps * warp_size,
                         static_cast<std::size_t>(warps) * bytes_of_warp, stream>>>(
        psf.view, fiber, nspec, bins, value);
  }
  SPEX_LAUNCH_CHECK();
}

}  // namespace spex::gpu
