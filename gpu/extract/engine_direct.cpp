#include "gpu/extract/engine_direct.hpp"

#include <algorithm>

#include "gpu/core/nvtx.hpp"
#include "gpu/extract/core_models.hpp"
#include "gpu/extract/roots.hpp"

namespace spex::gpu {

BandLayout DirectEngine::layout_of(const FrameOnDevice& frame) const {
  BandLayout layout;
  for (const PatchGeometry& patch : frame.geometry())
    layout.nslots = std::max(layout.nslots, patch.nspec);
  layout.nwave = frame.geometry().front().nwave;
  layout.reach = std::clamp(frame.reach(), 1, layout.nwave);
  return layout;
}

bool DirectEngine::can_do(const FrameOnDevice& frame, const ExtractInputs& inputs) const {
  const BandLayout layout = layout_of(frame);
  return inputs.options.decorrelate == Decorrelate::signal && layout.size() <= largest_block_ &&
         layout.nwave <= largest_root;
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
  const std::size_t X_size =
      rows * static_cast<std::size_t>(layout.nwave) * static_cast<std::size_t>(ncore);
  const auto size = static_cast<std::size_t>(layout.size());
  const auto m = static_cast<std::size_t>(layout.nwave);
  std::vector<CoreSpectrum> cores;
  for (int k = 0; k < count; ++k)
    for (int s = 0; s < frame.geometry()[static_cast<std::size_t>(first + k)].ncore; ++s)
      cores.push_back({k, s});

  const std::size_t vector = all * rows;
  reserve(panels_, all * layout.patch_size(), poison_);
  reserve(M_, all * static_cast<std::size_t>(layout.nblocks()) * size * size, poison_);
  reserve(X_, all * X_size, poison_);
  reserve(C_, cores.size() * m * m, poison_);
  reserve(bins_, 4 * vector, poison_);
  reserve(work_, all * 2 * static_cast<std::size_t>(npixel), poison_);
  if (poison_)
    for (const DeviceBuffer<double>* buffer : {&panels_, &M_, &X_, &C_, &bins_, &work_})
      SPEX_GPU_CHECK(cudaMemsetAsync(buffer->get(), 0xFF, buffer->bytes(), stream));

  std::vector<const double*> X_of_cores;
  std::vector<double*> C_of_cores;
  for (const CoreSpectrum& core : cores) {
    X_of_cores.push_back(X_.get() + static_cast<std::size_t>(core.patch) * X_size +
                         static_cast<std::size_t>(core.s) * rows);
    C_of_cores.push_back(C_.get() + C_of_cores.size() * m * m);
  }
  reserve(cores_, cores.size());
  reserve(X_of_cores_, cores.size());
  reserve(C_of_cores_, cores.size());
  const auto send = [&](const auto& from, auto& to) {
    SPEX_GPU_CHECK(cudaMemcpyAsync(to.get(), from.data(), from.size() * sizeof from[0],
                                   cudaMemcpyHostToDevice, stream));
  };
  send(cores, cores_);
  send(X_of_cores, X_of_cores_);
  send(C_of_cores, C_of_cores_);

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
    events.time(Stage::solve, [&] {
      factor_band(count, layout, panels_.get(), M_.get(), y, status, stream);
      solve_core_columns(*context_, patches, count, layout, ncore, panels_.get(), M_.get(),
                         X_.get());
    });
  }
  {
    const StageRange range(Stage::decorrelate);
    events.time(Stage::decorrelate, [&] {
      // C_s = X_s^T X_s
      const double one = 1, zero = 0;
      SPEX_GPU_CHECK(cublasDgemmBatched(
          context_->blas(), CUBLAS_OP_T, CUBLAS_OP_N, layout.nwave, layout.nwave, layout.rows(),
          &one, X_of_cores_.get(), ncore * layout.rows(), X_of_cores_.get(), ncore * layout.rows(),
          &zero, C_of_cores_.get(), layout.nwave, static_cast<int>(cores.size())));
      find_roots(patches, cores_.get(), static_cast<int>(cores.size()), C_.get(), layout.nwave, y,
                 q, strides, status, frame.spectra(), stream);
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
