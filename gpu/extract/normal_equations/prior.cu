#include "gpu/core/launch.hpp"
#include "gpu/extract/normal_equations/prior.hpp"
#include "gpu/extract/normal_equations/prior_device.cuh"

namespace spex::gpu {
namespace {

constexpr int threads = 256;

__global__ void prior_kernel(const PatchGeometry* patches, BinStrides strides, const double* q_all,
                             double regularize, double* prior_all) {
  const PatchGeometry& patch = patches[blockIdx.x];
  const double* q = q_all + strides.patch(blockIdx.x);
  double* prior = prior_all + strides.patch(blockIdx.x);
  const double scale = prior_scale<threads>(patch, strides, q);
  for (int j = threadIdx.x; j < patch.n(); j += threads) {
    const size_t k = strides.bin(j / patch.nwave, j % patch.nwave);
    prior[k] = spex::prior(q[k], scale, regularize);
  }
}

__global__ void add_prior_kernel(const PatchGeometry* patches, int n, BinStrides strides,
                                 const double* prior, double* N) {
  const PatchGeometry& patch = patches[blockIdx.y];
  const int j = blockIdx.x * threads + threadIdx.x;
  if (j >= patch.n()) return;
  N[(static_cast<size_t>(blockIdx.y) * n + j) * n + j] +=
      prior[strides.patch(blockIdx.y) + strides.bin(j / patch.nwave, j % patch.nwave)];
}

__global__ void pulled_kernel(const PatchGeometry* patches, SolutionView solution,
                              const int* status, SpectraView spectra) {
  if (status[blockIdx.x] != 0) return;
  const PatchGeometry& patch = patches[blockIdx.x];
  const BinStrides& strides = solution.strides;
  const size_t first = strides.patch(blockIdx.x);
  const double m = prior_scale<threads>(patch, strides, solution.q + first);
  for (int j = threadIdx.x; j < patch.ncore * patch.nkept; j += threads) {
    const int s = j / patch.nkept, w = j % patch.nkept;
    const size_t bin = first + strides.bin(s + patch.pad_below, w + patch.wavepad);
    const size_t out = static_cast<size_t>(patch.spec0 + patch.pad_below + s) * spectra.nwave +
                       spectra.core_bin(patch) + w;
    spectra.pulled[out] = is_pulled(solution.q[bin], m, spectra.pixmask_fraction[out]) ? 1 : 0;
  }
}

}  // namespace

void find_prior(const BatchView& batch, const PriorInput& input, double* prior,
                cudaStream_t stream) {
  prior_kernel<<<batch.count, threads, 0, stream>>>(batch.patches, input.strides, input.q,
                                                    input.regularize, prior);
  SPEX_LAUNCH_CHECK();
}

void add_prior(const BatchView& batch, const BinStrides& strides, const double* prior, double* N,
               cudaStream_t stream) {
  add_prior_kernel<<<dim3(blocks_for(batch.n, threads), batch.count), threads, 0, stream>>>(
      batch.patches, batch.n, strides, prior, N);
  SPEX_LAUNCH_CHECK();
}

void find_pulled(const BatchView& batch, const SolutionView& solution, cudaStream_t stream) {
  pulled_kernel<<<batch.count, threads, 0, stream>>>(batch.patches, solution, batch.status,
                                                     batch.spectra);
  SPEX_LAUNCH_CHECK();
}

}  // namespace spex::gpu
