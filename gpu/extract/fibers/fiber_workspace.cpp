#include "gpu/extract/fibers/fiber_workspace.hpp"

#include <algorithm>
#include <utility>

#include <spdlog/spdlog.h>

#include "gpu/core/copy.hpp"
#include "gpu/core/launch.hpp"
#include "gpu/extract/batch/limits.hpp"
#include "gpu/extract/fibers/fiber_root_outside.hpp"
#include "reference/core/count.hpp"
#include "reference/extract/extract_inputs.hpp"
#include "reference/extract/fiber_cholesky.hpp"

namespace spex::gpu {
namespace {

FiberLayout layout_of(const FrameOnDevice& frame) {
  FiberLayout layout;
  layout.nslots = frame.max_fibers();
  layout.nwave = frame.geometry().front().nwave;
  layout.reach = stored_reach(std::max(frame.reach(), frame.spectra().ndiag));
  return layout;
}

}  // namespace

FrameBands FiberWorkspace::frame_bands() const {
  FrameBands bands;
  bands.nspec = batch_.spots.nspec;
  bands.nwave = batch_.spots.nwave;
  bands.reach = layout_.reach;
  const auto bins = count_of(bands.nspec, bands.nwave);
  bands.y = frame_.get();
  bands.q = bands.y + bins;
  bands.good = bands.q + bins;
  bands.band = bands.good + bins;
  bands.pair = bands.band + bins * count_of(bands.reach + 1);
  bands.far = far_.get();
  return bands;
}

FiberBatch FiberWorkspace::fiber_batch() const {
  return {batch_.view(), cores_.get(), batch_.ncores(), layout_, bands()};
}

FiberSolution FiberWorkspace::fibers() const {
  double* trace = trace_.get();
  return {factor_.get(), inverse_.get(),
          trace,         trace + count_of(batch_.count, layout_.nslots),
          y(),           g()};
}

SchurComplements FiberWorkspace::complements() const {
  SchurComplements complements;
  complements.band = complement_bands_.get();
  complements.outside = outside_.get();
  complements.y = complement_bins_.get();
  complements.norm = complements.y + count_of(batch_.ncores(), layout_.nwave);
  complements.norm_of_E = complements.norm + batch_.ncores();
  return complements;
}

WaitingSpectra FiberWorkspace::waiting() const {
  const int width = fiber_roots::width(batch_.frame->spectra().ndiag);
  WaitingSpectra waiting;
  waiting.count = waiting_index_.get();
  waiting.spectrum = waiting.count + 1;
  waiting.sums = waiting_.get();
  waiting.bounds = waiting.sums + count_of(batch_.ncores(), layout_.nwave, width);
  return waiting;
}

bool FiberWorkspace::can_do(const FrameOnDevice& frame, const ExtractInputs& inputs) const {
  const FiberLayout layout = layout_of(frame);
  return inputs.options.decorrelate == Decorrelate::signal && layout.reach > 0 &&
         layout.nwave <= largest_fiber_bins &&
         solve_fibers_bytes(layout.nslots, layout.nwave) <= max_shared_memory() &&
         fiber_roots::bytes(layout.nwave, frame.spectra().ndiag) <= max_shared_memory();
}

void FiberWorkspace::begin(PatchBatch batch, const ExtractInputs& inputs) {
  batch_ = std::move(batch);
  regularize_ = inputs.options.regularize;
  psferr_ = inputs.psferr();
  chi2_pixels_ = inputs.options.chi2_pixels;
  layout_ = layout_of(*batch_.frame);
  light_found_ = false;
  const std::size_t spectra = count_of(batch_.count, layout_.nslots);
  vector_ = spectra * count_of(layout_.nwave);
  const cudaStream_t stream = context_->stream();
  reserve(band_, spectra * count_of(layout_.band_size()));
  reserve(pair_, spectra * count_of(layout_.pair_size()));
  const auto frame_bins = count_of(batch_.spots.nspec, batch_.spots.nwave);
  // Per bin: a row of both bands, and three sums.
  reserve(frame_, frame_bins * count_of(3 * layout_.reach + 2 + 3));
  reserve(far_, frame_bins);
  reserve(factor_, spectra * count_of(layout_.band_size()));
  reserve(inverse_, spectra * count_of(layout_.band_size()));
  reserve(trace_, 2 * spectra);
  reserve(complement_bands_, count_of(batch_.ncores(), SchurComplements::band_size(layout_)));
  reserve(outside_,
          count_of(batch_.ncores(), layout_.nwave, fiber_roots::stride_of_E(layout_.nwave)));
  reserve(quality_pixels_, count_of(batch_.count, batch_.npixel));
  reserve(complement_bins_, count_of(batch_.ncores(), layout_.nwave + 2));
  reserve(scratch_, fiber_root_scratch(layout_, batch_.frame->spectra().ndiag));
  const int width = fiber_roots::width(batch_.frame->spectra().ndiag);
  reserve(waiting_, count_of(batch_.ncores(), layout_.nwave * width + 2));
  reserve(waiting_index_, count_of(batch_.ncores() + 1));
  reserve(bins_, 5 * vector_);
  reserve(cores_, batch_.cores.size());
  if (poison_)
    for (const DeviceBuffer<double>* buffer :
         {&frame_, &band_, &pair_, &factor_, &inverse_, &trace_, &complement_bands_,
          &quality_pixels_, &complement_bins_, &scratch_, &waiting_, &bins_})
      fill_with_nan(*buffer, stream);
  SPEX_GPU_CHECK(cudaMemcpyAsync(cores_.get(), batch_.cores.data(),
                                 batch_.cores.size() * sizeof(CoreSpectrum), cudaMemcpyHostToDevice,
                                 stream));
}

void FiberWorkspace::assemble_bands() {
  assemble_frame(batch_.spots, batch_.frame->pixels(), batch_.frame->spectra().first_bin,
                 frame_bands(), context_->stream());
}

void FiberWorkspace::reject_pixels(PixelRejection& rejection, StageEvents& events) {
  events.time(Stage::assemble, [&] { find_shared_light(); });
  // The light that bins share depends on the weights.
  light_found_ = !rejection.find(batch_, layout_, frame_bands(), frame_memory_, events);
}

void FiberWorkspace::assemble() {
  assemble_bands();
  assemble_patches();
}

void FiberWorkspace::assemble_patches() {
  const cudaStream_t stream = context_->stream();
  const FiberBatch batch = fiber_batch();
  const FrameBands frame = frame_bands();
  take_bins(batch.view, frame, {layout_.strides(), y(), q(), good()}, stream);
  bins_taken_.record(stream);
  find_prior(batch.view, prior_input(), prior(), stream);
  take_bands(batch, frame, prior(), stream);
}

const Context& FiberWorkspace::beside() {
  if (!beside_) beside_.emplace(Priority::high);
  return *beside_;
}

void FiberWorkspace::factor() {
  factor_fibers(fiber_batch(), fibers(), context_->stream());
  factored_.record(context_->stream());
}

void FiberWorkspace::find_shared_light() {
  find_far_light(batch_.spots, batch_.frame->pixels(), batch_.frame->spectra().first_bin,
                 layout_.nslots, frame_bands(), context_->stream());
}

void FiberWorkspace::check_far_light() {
  const cudaStream_t stream = context_->stream();
  if (!light_found_) find_shared_light();
  far_found_.record(stream);
  refuse_far_light(fiber_batch(), frame_bands(), stream);
}

void FiberWorkspace::sweep() {
  solve_fibers(fiber_batch(), fibers(), 0, context_->stream());
}

void FiberWorkspace::put_flux(const FrameSystem& system) {
  swept_.record(beside_->stream());
  swept_.hold(context_->stream());
  put_frame_flux(fiber_batch(), system, fibers().f, fibers().g, context_->stream());
}

std::vector<bool> FiberWorkspace::sweep_bundles(const FrameSystem& system) {
  // Most bundles have converged after this number of sweeps.
  constexpr int at_once = 4;
  static_assert(max_frame_sweeps % at_once == 0);
  const cudaStream_t stream = beside_->stream();
  const bool fits = frame_fits(system.bands.reach, system.m);
  if (fits) {
    begin_frame(system, stream);
    factor_frame(system, stream);
    sweep_frame(system, 0, at_once, stream);
  }
  // The patches' own f, for bins beyond the frame's.
  factored_.hold(stream);
  solve_fibers(fiber_batch(), fibers(), system.before + system.m, stream);
  const std::size_t nbundles = count_of(system.nbundles);
  std::vector<bool> settled(nbundles, false);
  bool all = false;
  for (int end = at_once; fits && !all && end <= max_frame_sweeps; end += at_once) {
    if (end > at_once) sweep_frame(system, end - at_once, end, stream);
    put_flux(system);  // while the host checks convergence
    if (end == at_once) {
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
  FrameFlux flux = spex::solve_frame(seen, bundle, spots, host_threads_, times);
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

void FiberWorkspace::correct() {
  find_complements(fiber_batch(), fibers(), complements(), context_->stream());
}

FiberRoots FiberWorkspace::root_batch() const {
  return {batch_.patches(),
          cores_.get(),
          batch_.ncores(),
          layout_,
          fibers(),
          complements(),
          q(),
          batch_.status(),
          batch_.frame->spectra()};
}

void FiberWorkspace::roots() {
  find_fiber_roots(root_batch(), waiting(), scratch_.get(), context_->stream());
}

void FiberWorkspace::add_terms() {
  const cudaStream_t stream = beside().stream();
  roots_found_.record(context_->stream());
  roots_found_.hold(stream);
  add_terms_of_E(root_batch(), waiting(), scratch_.get(), stream);
  terms_added_.record(stream);
}

void FiberWorkspace::quality() {
  const cudaStream_t stream = context_->stream();
  if (poison_) fill_with_nan(quality_pixels_, stream);
  const BatchView batch = batch_.view();
  find_quality(batch, solution(), psferr_, chi2_pixels_, quality_pixels_.get(), stream);
  terms_added_.hold(stream);
  end_spectra(*context_, batch_, solution());
  find_pulled(batch, solution(), stream);
}

void FiberWorkspace::download_models(std::vector<std::vector<double>>& models) {
  download_core_models(*context_, batch_, solution(), quality_pixels_.get(), models);
}

}  // namespace spex::gpu
