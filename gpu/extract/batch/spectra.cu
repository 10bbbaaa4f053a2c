#include "gpu/core/launch.hpp"
#include "gpu/extract/batch/spectra.hpp"
#include "gpu/extract/batch/spectra_device.cuh"
#include "reference/core/count.hpp"

namespace spex::gpu {
namespace {

constexpr int threads = 128;

__global__ void clear_kernel(SpectraView spectra) {
  const size_t nbins = static_cast<size_t>(spectra.nspec) * spectra.nwave;
  const size_t step = static_cast<size_t>(gridDim.x) * blockDim.x;
  const size_t first = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (size_t j = first; j < nbins; j += step) {
    spectra.flux[j] = spectra.ivar[j] = spectra.chi2pix[j] = 0.0;
    spectra.pixmask_fraction[j] = 1.0;
    spectra.pulled[j] = 0;
  }
  for (size_t j = first; j < nbins * spectra.ndiagonals(); j += step) spectra.resolution[j] = 0.0;
}

__global__ void clear_failed_kernel(const PatchGeometry* patches, const int* status,
                                    SpectraView spectra) {
  if (status[blockIdx.x] == 0 || status[blockIdx.x] == guarded) return;
  const PatchGeometry& patch = patches[blockIdx.x];
  for (int j = threadIdx.x; j < patch.ncore * patch.nkept; j += threads) {
    const size_t fiber = patch.spec0 + patch.pad_below + j / patch.nkept;
    const size_t w = spectra.core_bin(patch) + j % patch.nkept;
    const size_t bin = fiber * spectra.nwave + w;
    spectra.flux[bin] = spectra.ivar[bin] = spectra.chi2pix[bin] = 0.0;
    spectra.pulled[bin] = 0;
    for (int d = 0; d < spectra.ndiagonals(); ++d)
      spectra.resolution[(fiber * spectra.ndiagonals() + d) * spectra.nwave + w] = 0.0;
  }
}

__global__ void f_kernel(const PatchGeometry* patches, const double* f, const double* q,
                         BinStrides strides, const int* status, SpectraView spectra) {
  if (status[blockIdx.x] != 0) return;
  const PatchGeometry& patch = patches[blockIdx.x];
  for (int j = threadIdx.x; j < patch.ncore * patch.nkept; j += threads) {
    const int s = patch.pad_below + j / patch.nkept, w = j % patch.nkept;
    const size_t bin = strides.patch(blockIdx.x) + strides.bin(s, w + patch.wavepad);
    if (q[bin] == 0) continue;  // keeps the value of clear_spectra
    const size_t fiber = patch.spec0 + s;
    spectra.f[fiber * spectra.nwave + spectra.core_bin(patch) + w] = f[bin];
  }
}

__global__ void signal_kernel(CoreBatch batch, const double* Q_all, const double* f_all,
                              double* work) {
  if (batch.wanted != nullptr && batch.wanted[blockIdx.x] == 0) return;
  const int m = batch.m;
  const BinStrides strides = batch.strides;
  const SpectraView spectra = batch.spectra;
  double* r = work + static_cast<size_t>(blockIdx.x) * 2 * m;
  double* Qf = r + m;
  const CoreSpectrum core = batch.cores[blockIdx.x];
  const PatchGeometry patch = batch.patches[core.patch];
  const double* Q = Q_all + static_cast<size_t>(blockIdx.x) * m * m;
  const size_t first = strides.patch(core.patch) + strides.bin(patch.pad_below + core.s, 0);
  for (int row = threadIdx.x; row < m; row += threads) {
    double sum = 0, product = 0;
    for (int k = 0; k < m; ++k) {
      const double value = Q[static_cast<size_t>(k) * m + row];
      sum += value;
      product += value * f_all[first + strides.bin(0, k)];
    }
    r[row] = sum;
    Qf[row] = product;
  }
  __syncthreads();
  for (int w = threadIdx.x; w < patch.nkept; w += threads) {
    const int column = w + patch.wavepad;
    if (batch.q[first + strides.bin(0, column)] == 0) continue;
    store_bin(
        patch, {core.s, w, Qf[column]},
        [&](int row) { return Q[static_cast<size_t>(column) * m + row]; },
        [&](int row) { return r[row]; }, batch.status + core.patch, spectra);
  }
}

__global__ void noise_kernel(CoreBatch batch, const double* Q_all, const double* r_all,
                             const double* Qf_all) {
  const int m = batch.m;
  const BinStrides strides = batch.strides;
  const SpectraView spectra = batch.spectra;
  const CoreSpectrum core = batch.cores[blockIdx.x];
  const PatchGeometry patch = batch.patches[core.patch];
  const double* Q = Q_all + static_cast<size_t>(blockIdx.x) * m * m;
  const size_t first = strides.patch(core.patch) + strides.bin(patch.pad_below + core.s, 0);
  for (int w = threadIdx.x; w < patch.nkept; w += threads) {
    const int column = w + patch.wavepad;
    const size_t j = first + strides.bin(0, column);
    if (batch.q[j] == 0) continue;
    store_bin(
        patch, {core.s, w, Qf_all[j]},
        [&](int row) { return Q[static_cast<size_t>(column) * m + row]; },
        [&](int row) { return r_all[first + strides.bin(0, row)]; }, batch.status + core.patch,
        spectra);
  }
}

}  // namespace

SpectraView view_spectra(double* values, int nspec, int nwave, int ndiag, int first_bin) {
  const std::size_t nbins = count_of(nspec, nwave);
  SpectraView view;
  view.nspec = nspec;
  view.nwave = nwave;
  view.ndiag = ndiag;
  view.first_bin = first_bin;
  view.flux = values;
  view.ivar = values + nbins;
  view.chi2pix = values + 2 * nbins;
  view.pixmask_fraction = values + 3 * nbins;
  view.resolution = values + 4 * nbins;
  view.pulled =
      reinterpret_cast<std::uint8_t*>(view.resolution + nbins * count_of(view.ndiagonals()));
  return view;
}

void clear_spectra(const SpectraView& spectra, cudaStream_t stream) {
  const long long count =
      static_cast<long long>(spectra.nspec) * spectra.nwave * spectra.ndiagonals();
  clear_kernel<<<blocks_for(count, 16 * threads), threads, 0, stream>>>(spectra);
  SPEX_LAUNCH_CHECK();
  if (spectra.f == nullptr) return;
  const std::size_t bytes = count_of(spectra.nspec, spectra.nwave) * sizeof(double);
  SPEX_GPU_CHECK(cudaMemsetAsync(spectra.f, 0, bytes, stream));
}

void clear_failed(const PatchGeometry* patches, int count, const int* status,
                  const SpectraView& spectra, cudaStream_t stream) {
  clear_failed_kernel<<<count, threads, 0, stream>>>(patches, status, spectra);
  SPEX_LAUNCH_CHECK();
}

void store_f(const BatchView& batch, const SolutionView& solution, cudaStream_t stream) {
  f_kernel<<<batch.count, threads, 0, stream>>>(batch.patches, solution.f, solution.q,
                                                solution.strides, batch.status, batch.spectra);
  SPEX_LAUNCH_CHECK();
}

void store_signal(const CoreBatch& batch, const double* Q, const double* f, double* work,
                  cudaStream_t stream) {
  signal_kernel<<<batch.ncores, threads, 0, stream>>>(batch, Q, f, work);
  SPEX_LAUNCH_CHECK();
}

void store_noise(const CoreBatch& batch, const double* Q, const double* r, const double* Qf,
                 cudaStream_t stream) {
  noise_kernel<<<batch.ncores, threads, 0, stream>>>(batch, Q, r, Qf);
  SPEX_LAUNCH_CHECK();
}

}  // namespace spex::gpu
