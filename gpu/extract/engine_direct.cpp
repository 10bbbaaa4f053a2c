#include "gpu/extract/engine_direct.hpp"

#include <algorithm>

#include "gpu/core/nvtx.hpp"
#include "gpu/extract/core_models.hpp"

namespace spex::gpu {

BandLayout DirectEngine::layout_of(const FrameOnDevice& frame) const {
  BandLayout layout;
  layout.nslots = frame.most_fibers();
  layout.nwave = frame.geometry().front().nwave;
  layout.reach = std::clamp(frame.reach(), 1, layout.nwave);
  return layout;
}

bool DirectEngine::can_do(const FrameOnDevice& frame, const ExtractInputs& inputs) const {
  const BandLayout layout = layout_of(frame);
  return inputs.options.decorrelate == Decorrelate::signal && layout.size() <= largest_block_ &&
         layout.nwave <= largest_root;
}

void DirectEngine::finish_hard(const RootBatch& batch, const std::vector<CoreSpectrum>& cores,
                               const SpectraView& spectra) {
  std::vector<int> hard(cores.size());
  SPEX_GPU_CHECK(cudaMemcpyAsync(hard.data(), batch.hard, hard.size() * sizeof(int),
                                 cudaMemcpyDeviceToHost, context_->stream()));
  context_->synchronize();
  const int m = batch.layout.nwave;
  const std::size_t size = static_cast<std::size_t>(m) * static_cast<std::size_t>(m);
  std::vector<CoreSpectrum> left;
  for (std::size_t k = 0; k < cores.size(); ++k)
    if (hard[k] != 0) left.push_back(cores[k]);
  if (left.empty()) return;
  reserve(hard_C_, left.size() * size);
  reserve(hard_cores_, left.size());
  SPEX_GPU_CHECK(cudaMemcpyAsync(hard_cores_.get(), left.data(), left.size() * sizeof(CoreSpectrum),
                                 cudaMemcpyHostToDevice, context_->stream()));
  for (std::size_t k = 0, to = 0; k < cores.size(); ++k)
    if (hard[k] != 0)
      SPEX_GPU_CHECK(cudaMemcpyAsync(hard_C_.get() + to++ * size, batch.C + k * size,
                                     size * sizeof(double), cudaMemcpyDeviceToDevice,
                                     context_->stream()));
  jacobi_.store_roots(EigenBatch::blocks, batch.patches, hard_cores_.get(),
                      static_cast<int>(left.size()), m, hard_C_.get(), batch.f, batch.q,
                      batch.layout.strides(), batch.status, spectra);
}

void DirectEngine::extract(FrameOnDevice& frame, const ExtractInputs& inputs, int first, int last,
                           const SpotsView& spots, StageEvents& events,
                           std::vector<std::vector<double>>* models) {
  const cudaStream_t stream = context_->stream();
  const BandLayout layout = layout_of(frame);
  const int count = last - first;
  const auto all = static_cast<std::size_t>(count);
  const PatchGeometry* patches = frame.device_geometry() + first;
  int npixel = 1;
  int ncore = 0;
  int nkept = 0;
  for (int k = first; k < last; ++k) {
    const PatchGeometry& patch = frame.geometry()[static_cast<std::size_t>(k)];
    npixel = std::max(npixel, patch.npixel());
    ncore = std::max(ncore, patch.ncore);
    nkept = std::max(nkept, patch.nkept);
  }
  const auto rows = static_cast<std::size_t>(layout.rows());
  const auto size = static_cast<std::size_t>(layout.size());
  const auto m = static_cast<std::size_t>(layout.nwave);
  std::vector<CoreSpectrum> cores;
  for (int k = 0; k < count; ++k)
    for (int s = 0; s < frame.geometry()[static_cast<std::size_t>(first + k)].ncore; ++s)
      cores.push_back({k, s});

  const std::size_t vector = all * rows;
  reserve(panels_, all * layout.patch_size(), poison_);
  reserve(M_, all * static_cast<std::size_t>(layout.nblocks()) * size * size, poison_);
  reserve(C_, cores.size() * m * m, poison_);
  reserve(bins_, 4 * vector, poison_);
  reserve(work_, all * 2 * static_cast<std::size_t>(npixel), poison_);
  reserve(hard_, cores.size());
  if (poison_)
    for (const DeviceBuffer<double>* buffer : {&panels_, &M_, &C_, &bins_, &work_})
      SPEX_GPU_CHECK(cudaMemsetAsync(buffer->get(), 0xFF, buffer->bytes(), stream));
  reserve(cores_, cores.size());
  SPEX_GPU_CHECK(cudaMemcpyAsync(cores_.get(), cores.data(), cores.size() * sizeof(CoreSpectrum),
                                 cudaMemcpyHostToDevice, stream));

  const BinStrides strides = layout.strides();
  double* y = bins_.get();  // becomes f
  double* q = y + vector;
  double* good = q + vector;
  double* prior = good + vector;
  int* status = frame.status() + first;
  {
    const StageRange range(Stage::assemble);
    events.time(Stage::assemble, [&] {
      // Rows of padding have y = 0.
      SPEX_GPU_CHECK(cudaMemsetAsync(y, 0, vector * sizeof(double), stream));
      project_pixels(patches, count, layout.nslots * layout.nwave, spots, frame.pixels(),
                     {strides, y, q, good}, stream);
      find_prior(patches, count, strides, q, inputs.options.regularize, prior, stream);
      assemble_band(patches, count, layout, spots, frame.pixels(), prior, panels_.get(), stream);
    });
  }
  {
    const StageRange range(Stage::solve);
    events.time(Stage::solve,
                [&] { factor_band(count, layout, panels_.get(), M_.get(), y, status, stream); });
  }
  {
    const StageRange range(Stage::decorrelate);
    events.time(Stage::decorrelate, [&] {
      const RootBatch batch{patches,
                            cores_.get(),
                            static_cast<int>(cores.size()),
                            layout,
                            panels_.get(),
                            M_.get(),
                            y,
                            q,
                            C_.get(),
                            hard_.get(),
                            status};
      find_roots(batch, frame.spectra(), stream);
      finish_hard(batch, cores, frame.spectra());
    });
  }
  {
    const StageRange range(Stage::quality);
    events.time(Stage::quality, [&] {
      find_quality(patches, count, npixel, ncore * nkept, spots, frame.rows(), frame.pixels(),
                   {strides, y, q, good}, inputs.psferr(), work_.get(), status, frame.spectra(),
                   stream);
      clear_failed(patches, count, status, frame.spectra(), stream);
    });
  }
  if (models != nullptr)
    download_core_models(*context_, frame, first, count, npixel, spots, {strides, y, q, good},
                         work_.get(), *models);
}

}  // namespace spex::gpu
