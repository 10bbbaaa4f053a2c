#include "gpu/extract/fibers/fiber_workspace.hpp"

#include <algorithm>
#include <utility>

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
  assembled_.record(stream);
  take_bins(batch.view, frame, {layout_.strides(), y(), q(), good()}, stream);
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
