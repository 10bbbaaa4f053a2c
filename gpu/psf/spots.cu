// Compiled without contraction (gpu/CMakeLists.txt): a center that is rounded differently than on
// the CPU could fall into the next pixel. Sums that do not select pixels call fma().
#include <stdexcept>

#include "gpu/core/warp.cuh"
#include "gpu/psf/spots.hpp"
#include "reference/core/count.hpp"
#include "reference/psf/legendre.hpp"
#include "reference/psf/spot.hpp"
#include "reference/psf/spot_tail.hpp"

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
// Limits of large_spots_kernel.
constexpr int max_large_warps = 4;

__device__ double wavelength(const WaveBins& bins, int w) {
  return bins.grid.at(bins.first + w);
}

// Column or row of a fiber's center.
__device__ double center(const TraceView& trace, int fiber, double lambda) {
  return legendre_sum(trace.coeff + static_cast<size_t>(fiber) * trace.ncoeff, trace.ncoeff,
                      legendre_variable(lambda, trace.wavemin, trace.wavemax));
}

// Series p of `all`, laid out like Psf::param, at u.
__device__ double series_at(const PsfView& psf, const double* all, int p, int fiber, double u) {
  const double* c = all + (static_cast<size_t>(p) * psf.nfiber + fiber) * psf.ncoeff;
  double sum = 0.0;
  for_each_legendre(psf.ncoeff, u, [&](int d, double P) { sum = fma(c[d], P, sum); });
  return sum;
}

// Parameter p of the PSF (0, 1: GHSIGX, GHSIGY; then GH-i-j) at u.
__device__ double parameter(const PsfView& psf, int p, int fiber, double u) {
  return series_at(psf, psf.param, p, fiber, u);
}

__device__ SpotTail tail_at(const PsfView& psf, int fiber, double u) {
  const auto row = [&](int p) { return series_at(psf, psf.tail, p, fiber, u); };
  return {row(0), row(1), row(2), row(3), row(4)};
}

__global__ void corners_kernel(PsfView psf, FiberBins of, int* xc, int* yc, int* bad) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= of.nspec * of.bins.nwave) return;
  const int fiber = of.fiber + j / of.bins.nwave;
  const double lambda = wavelength(of.bins, j % of.bins.nwave);
  const double x = center(psf.xtrace, fiber, lambda);
  const double y = center(psf.ytrace, fiber, lambda);
  const double u = legendre_variable(lambda, psf.wavemin, psf.wavemax);
  const SpotState state = spot_state(psf.limits, psf.light[fiber], lambda, x, y,
                                     parameter(psf, 0, fiber, u), parameter(psf, 1, fiber, u));
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

// The factor that normalizes a spot to sum 1, from the sums of each lane's columns.
__device__ double unit_scale(double of_columns) {
  const double total = warp_sum(of_columns);
  return total > 0.0 ? 1.0 / total : 0.0;
}

// Stores the rims of a spot from the sum of squares in a column: for lane c < rim_columns in column
// c, for lane rim_columns + c in column nx - 1 - c. Called by a whole warp.
__device__ void store_rims(double sum, float* rims) {
  const int lane = threadIdx.x % warp_size;
  // Columns farther out are part of a wider rim.
  for (int offset = 1; offset < rim_columns; offset *= 2) {
    const double farther = __shfl_up_sync(0xffffffffU, sum, offset);
    if (lane % rim_columns >= offset) sum += farther;
  }
  if (lane < rims_of_spot) rims[lane] = __double2float_ru(sqrt(sum));
}

// The column whose sum of squares the lane passes to store_rims; -1 for none.
__device__ int column_of_rim(int lane, int nx) {
  if (lane >= rims_of_spot || lane % rim_columns >= nx) return -1;
  return lane < rim_columns ? lane : nx - 1 - lane % rim_columns;
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
                m, along_x ? degx : degy, (along_x ? memory.Ex : memory.Ey) + m, n + 1);
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
  for (int m = lane; m <= nx; m += warp_size)
    edge_values(x_center, sigma_x, nx, m, degx, Ex + m, nx + 1);
  for (int m = lane; m <= ny; m += warp_size)
    edge_values(y_center, sigma_y, ny, m, degy, Ey + m, ny + 1);
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

template <class T>
void upload_values(const std::vector<T>& from, DeviceBuffer<T>& to, cudaStream_t stream) {
  reserve(to, from.size());
  SPEX_GPU_CHECK(cudaMemcpyAsync(to.get(), from.data(), from.size() * sizeof(T),
                                 cudaMemcpyHostToDevice, stream));
}

// Structured bindings of all members, so that a new member does not compile until it is considered
// here.
TraceView upload(const Trace& trace, DeviceBuffer<double>& to, cudaStream_t stream) {
  const auto& [wavemin, wavemax, ncoeff, coeff] = trace;
  upload_values(coeff, to, stream);
  return {wavemin, wavemax, ncoeff, to.get()};
}

}  // namespace

void upload(const Psf& psf, double from, double to, DevicePsf& device, cudaStream_t stream) {
  [[maybe_unused]] const auto& [kind, nfiber, hsizex, hsizey, ghdegx, ghdegy, npix_x, npix_y,
                                fibermin, camera, psferr, in_psf, xtrace, ytrace, wavemin, wavemax,
                                ncoeff, param, tail, second, images, fit] = psf;
  const bool tails = kind == PsfKind::gauss_hermite_tails;
  if (kind != PsfKind::gauss_hermite && !tails)
    throw std::logic_error("the kernels know GAUSS-HERMITE alone");
  upload_values(param, device.param, stream);
  if (tails) upload_values(tail, device.tail, stream);
  device.light_ranges.clear();
  for (int s = 0; s < nfiber; ++s) device.light_ranges.push_back(light_range(ytrace, s, from, to));
  upload_values(device.light_ranges, device.light, stream);
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
                 .param = device.param.get(),
                 .tail = tails ? device.tail.get() : nullptr,
                 .limits = spot_limits(psf),
                 .light = device.light.get()};
}

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
  const std::size_t most = max_shared_memory();
  const bool tails = psf.view.tail != nullptr;
  if (const SpotLayout layout(psf.view);
      !tails && fits_registers(psf.view) && layout.bytes() <= most) {
    allow_shared_memory(reinterpret_cast<const void*>(spots_kernel));
    spots_kernel<<<dim3(blocks_for(of.bins.nwave, bins_of_block), of.nspec),
                   warps_of_block * warp_size, layout.bytes(), stream>>>(psf.view, of.fiber,
                                                                         of.bins, value, rims);
  } else {
    const std::size_t bytes_of_warp =
        static_cast<std::size_t>(scratch_numbers(psf.view)) * sizeof(double);
    int warps = max_large_warps;
    while (warps > 1 && static_cast<std::size_t>(warps) * bytes_of_warp > most) warps /= 2;
    const auto kernel = tails ? large_spots_kernel<true> : large_spots_kernel<false>;
    allow_shared_memory(reinterpret_cast<const void*>(kernel));
    const long long count = static_cast<long long>(of.nspec) * of.bins.nwave;
    kernel<<<blocks_for(count, warps), warps * warp_size,
             static_cast<std::size_t>(warps) * bytes_of_warp, stream>>>(psf.view, of, value, rims);
  }
  SPEX_LAUNCH_CHECK();
}

}  // namespace spex::gpu
