// How FiberWorkspace takes f from the whole frame (extraction.md, section 5.2).
#include <algorithm>
#include <utility>

#include <spdlog/spdlog.h>

#include "gpu/core/copy.hpp"
#include "gpu/extract/fibers/fiber_workspace.hpp"
#include "reference/core/count.hpp"
#include "reference/extract/extract_inputs.hpp"
#include "reference/extract/fiber_cholesky.hpp"

namespace spex::gpu {

void FiberWorkspace::put_flux(const FrameSystem& system) {
  const cudaStream_t stream = beside_->stream();
  put_frame_flux(fiber_batch(), system, fibers().f, fibers().g, stream);
  swept_.record(stream);
}

void FiberWorkspace::sweep_bundles(const FrameSystem& system, SweepProgress& progress) {
  // Most bundles have converged after three sweeps.
  constexpr int at_first = 3, at_once = 2;
  const cudaStream_t stream = beside_->stream();
  const bool fits = frame_fits(system.bands.reach, system.m);
  int swept = 0;
  if (fits) {
    begin_frame(system, stream);
    factor_frame(system, stream);
    while (!progress.ended() && swept < max_frame_sweeps) {
      const int end = swept == 0 ? at_first : std::min(swept + at_once, max_frame_sweeps);
      sweep_frame(system, swept, end, progress.left(), stream);
      progress.read(system, end, stream);
      swept = end;
    }
  }
  // The patches' own f, for bins beyond the frame's.
  factored_.hold(stream);
  solve_fibers(fiber_batch(), fibers(), system.before + system.m, stream);
  if (!fits) return;
  put_flux(system);
  // Only the bundles that are refused by it may have changed.
  far_found_.hold(stream);
  refuse_far_light(batch_.spots.without(system.before), batch_.frame->pixels(), system, stream);
  if (swept > 0) progress.read(system, swept, stream);
}

FiberWorkspace::Bundles FiberWorkspace::bundles_of_batch(const ExtractInputs& inputs) const {
  const int end_fiber = first_fiber() + batch_.spots.nspec;
  const int size = inputs.options.bundlesize;
  Bundles bundles;
  bundles.place.resize(count_of(batch_.spots.nspec));
  for (int bundle = first_fiber() / size; bundle * size < end_fiber; ++bundle) {
    const BundleFibers fibers = fibers_of_bundle(inputs, bundle);
    if (fibers.begin < first_fiber() || fibers.end > end_fiber ||
        light_shared_beyond(inputs, bundle) > fiber_bounds::far) {
      bundles.by_reference.push_back(bundle);
      continue;
    }
    for (int s = fibers.begin; s < fibers.end; ++s)
      bundles.place[s - first_fiber()] = {fibers.begin - first_fiber(), fibers.end - first_fiber(),
                                          static_cast<int>(bundles.here.size())};
    bundles.here.push_back(bundle);
  }
  return bundles;
}

FrameFlux FiberWorkspace::flux_by_sweeps(const ExtractInputs& inputs, int bundle) {
  const BundleFibers fibers = fibers_of_bundle(inputs, bundle);
  FrameFlux flux;
  flux.solution = FrameSolution::sweeps;
  flux.spec_first = fibers.begin;
  flux.nspec = fibers.end - fibers.begin;
  flux.grid = extended_grid(inputs.options, inputs.grid);
  return flux;
}

void FiberWorkspace::keep_flux(const ExtractInputs& inputs, const std::vector<int>& bundles,
                               const FrameSystem& system) {
  if (bundles.empty()) return;
  const cudaStream_t stream = beside_->stream();
  const int begin = fibers_of_bundle(inputs, bundles.front()).begin;
  const int end = fibers_of_bundle(inputs, bundles.back()).end;
  const std::size_t row = count_of(system.m) * sizeof(double);
  const std::size_t pitch = count_of(system.bands.nwave) * sizeof(double);
  SPEX_GPU_CHECK(cudaMemcpy2DAsync(flux_.get() + count_of(begin, system.m), row,
                                   system.f + count_of(begin - first_fiber(), system.bands.nwave),
                                   pitch, row, count_of(end - begin), cudaMemcpyDeviceToDevice,
                                   stream));
  kept_.record(stream);
}

FrameFlux FiberWorkspace::solve_by_reference(const ExtractInputs& inputs, int bundle,
                                             PixelRejection* rejection, const FrameSystem& system) {
  spdlog::debug("bundle {}: the flux of the frame is solved on the host", bundle);
  const cudaStream_t stream = beside().stream();
  const BundleFibers fibers = fibers_of_bundle(inputs, bundle);
  const ExtendedGrid grid = extended_grid(inputs.options, inputs.grid);
  const int nwave = system.bands.nwave;
  const Spots spots = spex::evaluate_spots(*inputs.psf, fibers.begin, fibers.end - fibers.begin,
                                           inputs.grid.range(grid.first, nwave), host_threads_);
  StageTimes times;  // host times; the stages record GPU times
  ExtractInputs seen = inputs;
  if (rejection != nullptr) seen.pixels = &rejection->pixels_of(bundle);
  FrameFlux flux = spex::solve_frame(seen, {bundle, spots}, host_threads_, times);
  const int end_fiber = first_fiber() + batch_.spots.nspec;
  for (int s = std::max(fibers.begin, first_fiber()); s < std::min(fibers.end, end_fiber); ++s)
    SPEX_GPU_CHECK(cudaMemcpyAsync(system.f + count_of(s - first_fiber(), nwave),
                                   flux.f.data() + count_of(s - fibers.begin, grid.nwave),
                                   count_of(grid.nwave) * sizeof(double), cudaMemcpyHostToDevice,
                                   stream));
  SPEX_GPU_CHECK(cudaStreamSynchronize(stream));
  return flux;
}

void FiberWorkspace::take_frame_flux(const ExtractInputs& inputs, PixelRejection* rejection,
                                     std::map<int, FrameFlux>& flux) {
  const cudaStream_t stream = beside().stream();
  assembled_.hold(stream);
  const int before = batch_.frame->more();
  const ExtendedGrid grid = extended_grid(inputs.options, inputs.grid);
  Bundles bundles = bundles_of_batch(inputs);
  const int nbundles = static_cast<int>(bundles.here.size());
  SweepProgress progress(bundles.place, nbundles);
  FrameSystem system = frame_memory_.make(frame_bands().without(before), grid.nwave, nbundles,
                                          std::move(bundles.place), stream);
  system.before = before;
  reserve(scales_, count_of(batch_.count));
  find_scales(batch_.view(), frame_bands(), scales_.get(), stream);
  find_frame_prior(batch_.view(), {inputs.grid.nwave, scales_.get(), inputs.options.regularize},
                   system, stream);
  sweep_bundles(system, progress);

  reserve(flux_, count_of(inputs.psf->nfiber, grid.nwave));
  keep_flux(inputs, bundles.here, system);
  for (std::size_t k = 0; k < bundles.here.size(); ++k) {
    const int bundle = bundles.here[k];
    if (progress.settled(k))
      flux[bundle] = flux_by_sweeps(inputs, bundle);
    else
      bundles.by_reference.push_back(bundle);
  }
  for (const int bundle : bundles.by_reference)
    flux[bundle] = solve_by_reference(inputs, bundle, rejection, system);
  if (!bundles.by_reference.empty()) put_flux(system);
  swept_.hold(context_->stream());
}

void FiberWorkspace::download_flux(FrameFlux& flux, cudaStream_t stream) const {
  if (!flux.f.empty()) return;
  kept_.hold(stream);
  flux.f = to_host<double>(flux_.get() + count_of(flux.spec_first, flux.grid.nwave),
                           count_of(flux.nspec, flux.grid.nwave), stream);
}

}  // namespace spex::gpu
