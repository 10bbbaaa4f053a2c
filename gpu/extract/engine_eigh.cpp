#include "gpu/extract/engine_eigh.hpp"

#include <algorithm>

#include "gpu/core/nvtx.hpp"
#include "gpu/extract/core_models.hpp"
#include "gpu/extract/normal_equations.hpp"

namespace spex::gpu {
namespace {

// Of A, W A and N of a batch; a rank then stays under 8 GB, so that five fit a GPU of 40 GB.
constexpr std::size_t most_batch_bytes = std::size_t{3} << 30;

}  // namespace

void EighEngine::extract(FrameOnDevice& frame, const ExtractInputs& inputs, EigenBatch batch,
                         int first, int last, const SpotsView& spots, StageEvents& events,
                         std::vector<std::vector<double>>* models) {
  int npixel = 1;
  int n = 1;
  for (int k = first; k < last; ++k) {
    npixel = std::max(npixel, frame.geometry()[static_cast<std::size_t>(k)].npixel());
    n = std::max(n, frame.geometry()[static_cast<std::size_t>(k)].n());
  }
  const std::size_t bytes =
      static_cast<std::size_t>(n) *
      (2 * static_cast<std::size_t>(npixel) + 5 * static_cast<std::size_t>(n)) * sizeof(double);
  const int most =
      batch == EigenBatch::all ? std::max(1, static_cast<int>(most_batch_bytes / bytes)) : 1;
  for (int k = first; k < last; k += most)
    extract_batch(frame, inputs, batch, k, std::min(most, last - k), spots, events, models);
}

void EighEngine::extract_batch(FrameOnDevice& frame, const ExtractInputs& inputs, EigenBatch batch,
                               int first, int count, const SpotsView& spots, StageEvents& events,
                               std::vector<std::vector<double>>* models) {
  const cudaStream_t stream = context_->stream();
  const PatchGeometry* patches = frame.device_geometry() + first;
  const PatchGeometry& shape = frame.geometry()[static_cast<std::size_t>(first)];
  const int n = shape.n();
  int npixel = 1;
  int ncore_bins = 0;
  std::vector<CoreSpectrum> cores;
  for (int k = 0; k < count; ++k) {
    const PatchGeometry& patch = frame.geometry()[static_cast<std::size_t>(first + k)];
    npixel = std::max(npixel, patch.npixel());
    ncore_bins = std::max(ncore_bins, patch.ncore * patch.nkept);
    for (int s = 0; s < patch.ncore; ++s) cores.push_back({k, s});
  }
  const auto all = static_cast<std::size_t>(count);
  const std::size_t nn = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
  const std::size_t A_size = static_cast<std::size_t>(npixel) * static_cast<std::size_t>(n);
  const std::size_t vector = all * static_cast<std::size_t>(n);
  reserve(A_, all * A_size, poison_);
  reserve(WA_, all * A_size, poison_);
  reserve(N_, all * nn, poison_);
  reserve(bins_, 5 * vector, poison_);
  reserve(work_, all * 2 * static_cast<std::size_t>(npixel), poison_);
  if (poison_)
    for (const DeviceBuffer<double>* buffer : {&A_, &WA_, &N_, &bins_, &work_})
      SPEX_GPU_CHECK(cudaMemsetAsync(buffer->get(), 0xFF, buffer->bytes(), stream));

  const BinStrides strides{n, shape.nwave, 1};
  double* y = bins_.get();
  double* q = y + vector;
  double* good = q + vector;
  double* prior = good + vector;
  double* f = prior + vector;
  int* status = frame.status() + first;

  {
    const StageRange range(Stage::assemble);
    events.time(Stage::assemble, [&] {
      const PixelsView pixels = frame.pixels();
      project_pixels(patches, count, n, spots, pixels, {strides, y, q, good}, stream);
      find_prior(patches, count, strides, q, inputs.options.regularize, prior, stream);
      make_dense_projection(patches, count, npixel, n, spots, pixels, A_.get(), WA_.get(), stream);
      const double one = 1, zero = 0;
      SPEX_GPU_CHECK(cublasDgemmStridedBatched(
          context_->blas(), CUBLAS_OP_T, CUBLAS_OP_N, n, n, npixel, &one, A_.get(), npixel,
          static_cast<long long>(A_size), WA_.get(), npixel, static_cast<long long>(A_size), &zero,
          N_.get(), n, static_cast<long long>(nn), count));
      add_prior(patches, count, n, strides, prior, N_.get(), stream);
    });
  }
  {
    const StageRange range(Stage::solve);
    events.time(Stage::solve, [&] {
      solver_.decorrelate(batch, inputs.options.decorrelate, patches, count, shape.nspec,
                          shape.nwave, cores, shape.pad_below, N_.get(), y, q, f, status,
                          frame.spectra());
    });
  }
  {
    const StageRange range(Stage::quality);
    events.time(Stage::quality, [&] {
      find_quality(patches, count, npixel, ncore_bins, spots, frame.rows(), frame.pixels(),
                   {strides, f, q, good}, inputs.psferr(), work_.get(), status, frame.spectra(),
                   stream);
      clear_failed(patches, count, status, frame.spectra(), stream);
    });
  }
  if (models != nullptr)
    download_core_models(*context_, frame, first, count, npixel, spots, {strides, f, q, good},
                         work_.get(), *models);
}

}  // namespace spex::gpu
