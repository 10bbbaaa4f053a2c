#include "gpu/extract/batch/patch_batch.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "reference/core/count.hpp"

namespace spex::gpu {

namespace {

// Fills the members that depend on the indices.
PatchBatch finish(PatchBatch batch) {
  batch.count = static_cast<int>(batch.index.size());
  for (int k = 0; k < batch.count; ++k) {
    const PatchGeometry& patch = batch.patch(k);
    batch.n = std::max(batch.n, patch.n());
    batch.npixel = std::max(batch.npixel, patch.npixel());
    batch.ncore_bins = std::max(batch.ncore_bins, patch.ncore * patch.nkept);
    for (int s = 0; s < patch.ncore; ++s) batch.cores.push_back({k, s});
  }
  return batch;
}

}  // namespace

const PatchGeometry& PatchBatch::patch(int k) const {
  return frame->geometry()[index[k]];
}

BatchView PatchBatch::view() const {
  return {
      device_geometry,  count,        n, npixel, ncore_bins, spots, frame->pixels(), frame->rows(),
      frame->spectra(), device_status};
}

PatchBatch make_batch(const FrameOnDevice& frame, int first, int last, const SpotsView& spots) {
  PatchBatch batch;
  batch.frame = &frame;
  batch.index.resize(last - first);
  std::iota(batch.index.begin(), batch.index.end(), first);
  batch.device_geometry = frame.device_geometry() + first;
  batch.device_status = frame.status() + first;
  batch.spots = spots;
  return finish(std::move(batch));
}

PatchBatch make_batch(const FrameOnDevice& frame, const PatchSelection& selection) {
  PatchBatch batch;
  batch.frame = &frame;
  batch.index = selection.index;
  batch.device_geometry = selection.patches;
  batch.device_status = selection.status;
  batch.spots = selection.spots;
  return finish(std::move(batch));
}

void store_quality(const Context& context, const PatchBatch& batch, const SolutionView& solution,
                   double psferr, Chi2Pixels counted, double* work) {
  find_quality(batch.view(), solution, psferr, counted, work, context.stream());
  end_spectra(context, batch, solution);
}

void end_spectra(const Context& context, const PatchBatch& batch, const SolutionView& solution) {
  const SpectraView& spectra = batch.frame->spectra();
  clear_failed(batch.patches(), batch.count, batch.status(), spectra, context.stream());
  if (spectra.f != nullptr) store_f(batch.view(), solution, context.stream());
}

void download_core_models(const Context& context, const PatchBatch& batch,
                          const SolutionView& solution, double* work,
                          std::vector<std::vector<double>>& models) {
  find_core_model(batch.view(), solution, work, context.stream());
  for (int k = 0; k < batch.count; ++k) {
    std::vector<double>& model = models[batch.index[k]];
    model.resize(count_of(batch.patch(k).npixel()));
    SPEX_GPU_CHECK(cudaMemcpyAsync(model.data(), work + count_of(k, batch.npixel),
                                   model.size() * sizeof(double), cudaMemcpyDeviceToHost,
                                   context.stream()));
  }
  context.synchronize();
}

}  // namespace spex::gpu
