// How an Extractor solves the patches that its engine does not, and which pixels they go without.
#include <algorithm>
#include <set>

#include "gpu/core/copy.hpp"
#include "gpu/extract/batch/limits.hpp"
#include "gpu/extract/extractor_impl.hpp"
#include "reference/extract/decorrelate.hpp"
#include "reference/extract/patch.hpp"
#include "reference/psf/spots.hpp"

namespace spex::gpu {

PatchResult Extractor::Impl::extract_on_host(const ExtractInputs& inputs, const Patch& patch,
                                             const FrameFlux& flux) {
  const Spots spots =
      spex::evaluate_spots(*inputs.psf, patch.padded_spec_first(), patch.padded_nspec(),
                           inputs.grid.range(patch.padded_wave_first(), patch.padded_nwave()));
  StageTimes times;  // host times; the stages record GPU times
  const bool rejects = rejection() != nullptr;
  return extract_patch(
      patch, {&spots, 0, 0, patch.padded_nspec(), patch.padded_nwave()},
      {rejects ? rejection()->pixels_of(patch.bundle) : *inputs.pixels, inputs.options,
       inputs.psferr(), &flux, rejects ? &rejection()->of(patch.bundle) : nullptr},
      times);
}

void Extractor::Impl::put_rejected(const Patch& patch, const PatchGeometry& geometry,
                                   PatchResult& result) {
  const PixelRange range{geometry.x0, geometry.x1, geometry.y0, geometry.y1};
  rejection()->of(patch.bundle).put_into(patch, range, frame_.pixels().nx, result);
}

template <class Work>
void Extractor::Impl::without_rejected(const std::vector<Patch>& patches,
                                       const std::vector<int>& index, const Work& work) {
  if (rejection() == nullptr) {
    work();
    return;
  }
  std::set<int> bundles;
  for (const int k : index) bundles.insert(patches[k].bundle);
  rejection()->take({bundles.begin(), bundles.end()});
  work();
  rejection()->give_back();
}

std::vector<PatchStatus> Extractor::Impl::settle(const ExtractInputs& inputs,
                                                 const std::vector<Patch>& patches, bool band_can,
                                                 std::vector<std::vector<double>>* models) {
  std::vector<int> failed = read_status(patches.size());
  std::vector<PatchStatus> status(patches.size(), PatchStatus::ok);
  const bool of_frame = inputs.options.flux == FluxSolver::frame;
  std::vector<int> refused;
  for (std::size_t k = 0; k < failed.size() && band_can; ++k)
    if (failed[k] == guarded) refused.push_back(static_cast<int>(k));
  const bool by_bundle = rejection() != nullptr && !rejection()->all_apart();
  guarded_.solve_others(
      refused, by_bundle, context_.stream(),
      [&](const auto& index, const auto& work) { without_rejected(patches, index, work); });
  for (const int k : guarded_.finish(failed)) status[k] = PatchStatus::guarded;
  for (std::size_t k = 0; k < failed.size(); ++k) {
    if (failed[k] == 0) continue;
    if (of_frame) {
      status[k] = PatchStatus::failed;
      continue;
    }
    const auto index = static_cast<int>(k);
    SPEX_GPU_CHECK(cudaMemsetAsync(frame_.status() + index, 0, sizeof(int), context_.stream()));
    without_rejected(patches, {index}, [&] {
      eigh_.extract(make_batch(frame_, index, index + 1, spots_of(index, index + 1)), inputs,
                    fallback_routines, unbounded, events_, models);
    });
    const bool solved = to_host<int>(frame_.status() + index, 1, context_.stream())[0] == 0;
    status[k] = solved ? PatchStatus::fell_back : PatchStatus::failed;
  }
  return status;
}

const FrameFlux& Extractor::Impl::flux_of(int bundle, cudaStream_t stream) {
  FrameFlux& flux = flux_.at(bundle);
  fibers_.download_flux(flux, stream);
  return flux;
}

std::vector<int> Extractor::Impl::read_status(std::size_t count) {
  wait_for(context_.stream());
  return to_host<int>(frame_.status(), count, context_.stream());
}

}  // namespace spex::gpu
