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
  swept_.record(beside_->stream());
  swept_.hold(context_->stream());
  put_frame_flux(fiber_batch(), system, fibers().f, fibers().g, context_->stream());
}

std::vector<bool> FiberWorkspace::sweep_bundles(const FrameSystem& system) {
  // All bundles of most frames have converged after this number of sweeps; the sweeps of one that
  // has converged take microseconds.
  constexpr int at_first = 6, at_once = 2;
  static_assert((max_frame_sweeps - at_first) % at_once == 0);
  const cudaStream_t stream = beside_->stream();
  const bool fits = frame_fits(system.bands.reach, system.m);
  if (fits) {
    begin_frame(system, stream);
    factor_frame(system, stream);
    sweep_frame(system, 0, at_first, stream);
  }
  // The patches' own f, for bins beyond the frame's.
  factored_.hold(stream);
  solve_fibers(fiber_batch(), fibers(), system.before + system.m, stream);
  const std::size_t nbundles = count_of(system.nbundles);
  std::vector<bool> settled(nbundles, false);
  bool all = false;
  for (int end = at_first; fits && !all && end <= max_frame_sweeps; end += at_once) {
    if (end > at_first) sweep_frame(system, end - at_once, end, stream);
    put_flux(system);  // while the host checks convergence
    if (end == at_first) {
      far_found_.hold(stream);
      refuse_far_light(batch_.spots.without(system.before), batch_.frame->pixels(), system, stream);
    }
    const auto refused = to_host<int>(system.refused, nbundles, stream);
    const auto moved = to_host<double>(system.moved + (end - 2) * nbundles, 2 * nbundles, stream);
    all = true;
    for (std::size_t k = 0; k < nbundles; ++k) {
      // A bundle that had converged before these two sweeps was skipped, and nothing moved.
      settled[k] =
          refused[k] == 0 && frame_bounds::ended(moved[k], moved[nbundles + k], system.foreseen);
      all = all && (settled[k] || refused[k] != 0);
    }
  }
  return settled;
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

FrameFlux FiberWorkspace::keep_flux(const ExtractInputs& inputs, int bundle,
                                    const FrameSystem& system) {
  const BundleFibers fibers = fibers_of_bundle(inputs, bundle);
  FrameFlux flux;
  flux.solution = FrameSolution::sweeps;
  flux.spec_first = fibers.begin;
  flux.nspec = fibers.end - fibers.begin;
  flux.grid = extended_grid(inputs.options, inputs.grid);
  const int nwave = system.bands.nwave;
  const std::size_t row = count_of(flux.grid.nwave) * sizeof(double);
  SPEX_GPU_CHECK(cudaMemcpy2DAsync(flux_.get() + count_of(fibers.begin, flux.grid.nwave), row,
                                   system.f + count_of(fibers.begin - first_fiber(), nwave),
                                   count_of(nwave) * sizeof(double), row, count_of(flux.nspec),
                                   cudaMemcpyDeviceToDevice, beside().stream()));
  return flux;
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
  bins_taken_.hold(stream);
  const int before = batch_.frame->more();
  const ExtendedGrid grid = extended_grid(inputs.options, inputs.grid);
  Bundles bundles = bundles_of_batch(inputs);
  FrameSystem system =
      frame_memory_.make(frame_bands().without(before), grid.nwave,
                         static_cast<int>(bundles.here.size()), std::move(bundles.place), stream);
  system.before = before;
  find_frame_prior(batch_.view(), inputs.grid.nwave, prior_input(), system, stream);
  const std::vector<bool> settled = sweep_bundles(system);

  reserve(flux_, count_of(inputs.psf->nfiber, grid.nwave));
  for (std::size_t k = 0; k < settled.size(); ++k) {
    const int bundle = bundles.here[k];
    if (settled[k])
      flux[bundle] = keep_flux(inputs, bundle, system);
    else
      bundles.by_reference.push_back(bundle);
  }
  for (const int bundle : bundles.by_reference)
    flux[bundle] = solve_by_reference(inputs, bundle, rejection, system);
  if (!bundles.by_reference.empty()) put_flux(system);
  swept_.record(stream);
  swept_.hold(context_->stream());
}

void FiberWorkspace::download_flux(FrameFlux& flux, cudaStream_t stream) const {
  if (!flux.f.empty()) return;
  flux.f = to_host<double>(flux_.get() + count_of(flux.spec_first, flux.grid.nwave),
                           count_of(flux.nspec, flux.grid.nwave), stream);
}

}  // namespace spex::gpu
