// Compiled without contraction (gpu/CMakeLists.txt): a center that is rounded differently than on
// the CPU could fall into the next pixel. Sums that do not select pixels call fma().
#include "gpu/psf/spot_series.cuh"
#include "gpu/psf/spots_large.hpp"
#include "reference/core/count.hpp"
#include "reference/psf/spot.hpp"

namespace spex::gpu {
namespace {

// Limits of spots_kernel: each lane keeps the pixels and Px of a column in registers.
constexpr int max_columns = warp_size;
constexpr int max_rows = 12;
constexpr int max_x_terms = 8;
// Wavelengths of one fiber per block, and warps per block.
constexpr int bins_of_block = 32;
constexpr int warps_of_block = 8;
constexpr int blocks_of_multiprocessor = 4;

__global__ void corners_kernel(PsfView psf, FiberBins of, int* xc, int* yc, int* bad) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= of.nspec * of.bins.nwave) return;
  const int fiber = of.fiber + j / of.bins.nwave;
  const double lambda = wavelength(of.bins, j % of.bins.nwave);
  const double x = center(psf.xtrace, fiber, lambda);
  const double y = center(psf.ytrace, fiber, lambda);
  const double u = legendre_variable(lambda, psf.wavemin, psf.wavemax);
  const SpotState state =
      spot_state(psf.limits, psf.light[fiber], lambda,
                 {{x, y}, parameter(psf, 0, fiber, u), parameter(psf, 1, fiber, u)});
  if (state == SpotState::broken && bad != nullptr) atomicMax(bad, j + 1);
  xc[j] = state == SpotState::lit ? spot_corner(x, psf.hsizex) : dark_corner;
  yc[j] = state == SpotState::lit ? spot_corner(y, psf.hsizey) : dark_corner;
}

// Layout of the shared memory of spots_kernel, in doubles. Each part is even, because numbers are
// loaded in pairs.
struct SpotLayout {
  // Stride of coefficients and of P_d: odd, so that the lanes' rows begin in different banks.
  int stride;
  int nseries;  // g_ij at j max_x_terms + i, 0 for i > degx; then sigma_x and sigma_y
  // For each warp's spot: values of its series; values at its edges; pixel integrals along y,
  // max_rows per degree.
  int edges, Py;
  int centers;     // columns of all wavelengths of the block, then rows
  int coeff;       // coefficients of all series of the fiber
  int polynomial;  // P_d of all wavelengths of the block

  __host__ __device__ explicit SpotLayout(const PsfView& psf) {
    const int degx = psf.ghdegx, degy = psf.ghdegy;
    const auto even = [](int count) { return (count + 1) / 2 * 2; };
    stride = psf.ncoeff | 1;
    nseries = (degy + 1) * max_x_terms + 2;
    edges = even((degx + 1) * (psf.nx() + 1) + (degy + 1) * (psf.ny() + 1));
    Py = (degy + 1) * max_rows;
    centers = 2 * bins_of_block;
    coeff = even(nseries * stride);
    polynomial = even(bins_of_block * stride);
  }
  __host__ __device__ int of_warp() const { return nseries + edges + Py; }
  [[nodiscard]] std::size_t bytes() const {
    return sizeof(double) *
           static_cast<std::size_t>(warps_of_block * of_warp() + centers + coeff + polynomial);
  }
};
static_assert(max_x_terms % 2 == 0 && max_rows % 2 == 0);

// The PSF parameter for series q of a spot; -1 for zeros.
__device__ int parameter_of(const PsfView& psf, int q) {
  const int i = q % max_x_terms, j = q / max_x_terms;
  if (j > psf.ghdegy) return i;  // the widths
  return i <= psf.ghdegx ? 2 + i * (psf.ghdegy + 1) + j : -1;
}

bool fits_registers(const PsfView& psf) {
  return psf.nx() <= max_columns && psf.ny() <= max_rows && psf.ghdegx < max_x_terms;
}

// The shared memory of a block and its warps' parts.
struct SpotMemory {
  double *series, *Ex, *Ey, *Py;         // of the warp
  double *centers, *coeff, *polynomial;  // of the block
  const double* sigma;                   // of the warp's spot

  __device__ SpotMemory(const PsfView& psf, const SpotLayout& layout, double* shared) {
    series = shared + threadIdx.x / warp_size * layout.of_warp();
    Ex = series + layout.nseries;
    Ey = Ex + (psf.ghdegx + 1) * (psf.nx() + 1);
    Py = Ex + layout.edges;
    centers = shared + warps_of_block * layout.of_warp();
    coeff = centers + layout.centers;
    polynomial = coeff + layout.coeff;
    sigma = series + (psf.ghdegy + 1) * max_x_terms;
  }
};

// Coefficients of all series of a fiber; centers and P_d of the block's wavelengths. Called by the
// block.
__device__ void load_fiber(const PsfView& psf, int fiber, const WaveBins& bins, int begin,
                           const SpotLayout& layout, const SpotMemory& memory) {
  for (int k = threadIdx.x; k < layout.nseries * layout.stride; k += blockDim.x) {
    const int p = parameter_of(psf, k / layout.stride), d = k % layout.stride;
    const size_t row = static_cast<size_t>(p) * psf.nfiber + fiber;
    memory.coeff[k] = p >= 0 && d < psf.ncoeff ? psf.param[row * psf.ncoeff + d] : 0.0;
  }
  for (int k = threadIdx.x; k < 3 * bins_of_block; k += blockDim.x) {
    const int w = k % bins_of_block;
    const double lambda = wavelength(bins, begin + w);
    if (k < 2 * bins_of_block)
      memory.centers[k] = center(k < bins_of_block ? psf.xtrace : psf.ytrace, fiber, lambda);
    else
      legendre_values(psf.ncoeff, legendre_variable(lambda, psf.wavemin, psf.wavemax),
                      memory.polynomial + w * layout.stride);
  }
}

// The series of the block's spot w, its edge values and pixel integrals: Px of the lane's column
// (extraction.md, section 2). Called by a whole warp.
__device__ void integrate_pixels(const PsfView& psf, int w, const SpotLayout& layout,
                                 const SpotMemory& memory, double (&Px)[max_x_terms]) {
  const int nx = psf.nx(), ny = psf.ny(), degx = psf.ghdegx, degy = psf.ghdegy;
  const int lane = threadIdx.x % warp_size;
  const double* P = memory.polynomial + w * layout.stride;
  for (int q = lane; q < layout.nseries; q += warp_size) {
    double sum = 0.0;
    for (int d = 0; d < psf.ncoeff; ++d) sum = fma(memory.coeff[q * layout.stride + d], P[d], sum);
    memory.series[q] = sum;
  }
  __syncwarp();
  for (int k = lane; k < nx + ny + 2; k += warp_size) {
    const bool along_x = k <= nx;
    const int m = along_x ? k : k - nx - 1;
    const int n = along_x ? nx : ny;
    edge_values(memory.centers[w + (along_x ? 0 : bins_of_block)], memory.sigma[along_x ? 0 : 1], n,
                m, along_x ? degx : degy, (along_x ? memory.Ex : memory.Ey) + m);
  }
  __syncwarp();
#pragma unroll
  for (int i = 0; i < max_x_terms; ++i) {
    const double* E = memory.Ex + i * (nx + 1) + lane;
    Px[i] = i <= degx && lane < nx ? pixel_integral(i, E[0], E[1]) : 0.0;
  }
  if (lane < max_rows)
    for (int j = 0; j <= degy; ++j) {
      const double* E = memory.Ey + j * (ny + 1) + lane;
      memory.Py[j * max_rows + lane] = lane < ny ? pixel_integral(j, E[0], E[1]) : 0.0;
    }
  __syncwarp();
}

// spot[y][x] = sum_j row_j[x] Py_j[y] with row_j[x] = sum_i g_ij Px_i[x], x = lane. Called by a
// whole warp.
__device__ void sum_products(int degy, const SpotMemory& memory, const double (&Px)[max_x_terms],
                             double (&column)[max_rows]) {
  for (int j = 0; j <= degy; ++j) {
    const auto* g = reinterpret_cast<const double2*>(memory.series + j * max_x_terms);
    const auto* P_j = reinterpret_cast<const double2*>(memory.Py + j * max_rows);
    double row = 0.0;
#pragma unroll
    for (int i = 0; i < max_x_terms; i += 2) {
      const double2 two = g[i / 2];
      row = fma(two.x, Px[i], row);
      row = fma(two.y, Px[i + 1], row);
    }
#pragma unroll
    for (int y = 0; y < max_rows; y += 2) {
      const double2 two = P_j[y / 2];
      column[y] = fma(row, two.x, column[y]);
      column[y + 1] = fma(row, two.y, column[y + 1]);
    }
  }
  __syncwarp();  // before the next spot overwrites the values
}

// Each block computes several wavelengths of one fiber, with the fiber's coefficients and
// polynomials in shared memory; each warp computes one spot at a time.
__global__ void __launch_bounds__(warps_of_block* warp_size, blocks_of_multiprocessor)
    spots_kernel(PsfView psf, int fiber, WaveBins bins, double* value, float* rims) {
  extern __shared__ double2 pairs[];
  const SpotLayout layout(psf);
  const SpotMemory memory(psf, layout, reinterpret_cast<double*>(pairs));
  const int nx = psf.nx(), ny = psf.ny();
  const int lane = threadIdx.x % warp_size;
  const int s = blockIdx.y;
  const int begin = blockIdx.x * bins_of_block;
  const int end = min(begin + bins_of_block, bins.nwave);
  load_fiber(psf, fiber + s, bins, begin, layout, memory);
  __syncthreads();

  for (int w = begin + static_cast<int>(threadIdx.x) / warp_size; w < end; w += warps_of_block) {
    double Px[max_x_terms];
    integrate_pixels(psf, w - begin, layout, memory, Px);
    double column[max_rows] = {};
    sum_products(psf.ghdegy, memory, Px, column);
    double total = 0.0;
#pragma unroll
    for (int y = 0; y < max_rows; ++y) {
      column[y] = column[y] > 0.0 ? column[y] : 0.0;
      total += column[y];
    }
    const double scale = unit_scale(total);
    const size_t bin = static_cast<size_t>(s) * bins.nwave + w;
    double* spot = value + bin * nx * ny;
    double squares = 0.0;
#pragma unroll
    for (int y = 0; y < max_rows; ++y) {
      const double pixel = column[y] * scale;
      if (lane < nx && y < ny) spot[y * nx + lane] = pixel;
      squares = fma(pixel, pixel, squares);
    }
    if (rims == nullptr) continue;
    const int of = column_of_rim(lane, nx);
    const double sum = __shfl_sync(0xffffffffU, squares, max(of, 0));
    store_rims(of >= 0 ? sum : 0.0, rims + bin * rims_of_spot);
  }
}

}  // namespace

void evaluate_corners(const DevicePsf& psf, const FiberBins& of, SpotCorners& corners, int* bad,
                      cudaStream_t stream) {
  const auto count = count_of(of.nspec, of.bins.nwave);
  corners.nspec = of.nspec;
  corners.nwave = of.bins.nwave;
  corners.nx = psf.view.nx();
  corners.ny = psf.view.ny();
  reserve(corners.xc, count);
  reserve(corners.yc, count);
  constexpr int threads = 128;
  corners_kernel<<<blocks_for(static_cast<long long>(count), threads), threads, 0, stream>>>(
      psf.view, of, corners.xc.get(), corners.yc.get(), bad);
  SPEX_LAUNCH_CHECK();
}

void evaluate_spots(const DevicePsf& psf, const FiberBins& of, double* value, float* rims,
                    cudaStream_t stream) {
  const SpotLayout layout(psf.view);
  if (psf.view.tail != nullptr || !fits_registers(psf.view) ||
      layout.bytes() > max_shared_memory()) {
    evaluate_large_spots(psf, of, value, rims, stream);
    return;
  }
  allow_shared_memory(reinterpret_cast<const void*>(spots_kernel));
  spots_kernel<<<dim3(blocks_for(of.bins.nwave, bins_of_block), of.nspec),
                 warps_of_block * warp_size, layout.bytes(), stream>>>(psf.view, of.fiber, of.bins,
                                                                       value, rims);
  SPEX_LAUNCH_CHECK();
}

}  // namespace spex::gpu
