#include "gpu/extract/fiber_workspace.hpp"

#include <algorithm>
#include <utility>

#include "gpu/core/launch.hpp"
#include "gpu/extract/limits.hpp"
#include "reference/core/count.hpp"

namespace spex::gpu {
namespace {

FiberLayout layout_of(const FrameOnDevice& frame) {
  FiberLayout layout;
  layout.nslots = frame.most_fibers();
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

SchurComplements FiberWorkspace::complements() const {
  SchurComplements complements;
  complements.band = complement_bands_.get();
  complements.outside = outside_.get();
  complements.y = complement_bins_.get();
  complements.norm = complements.y + count_of(batch_.ncores(), layout_.nwave);
  return complements;
}

bool FiberWorkspace::can_do(const FrameOnDevice& frame, const ExtractInputs& inputs) const {
  const FiberLayout layout = layout_of(frame);
  return inputs.options.decorrelate == Decorrelate::signal && layout.reach > 0 &&
         layout.nwave <= largest_fiber_bins &&
         solve_fibers_bytes(layout.nslots, layout.nwave) <= most_shared_memory();
}

void FiberWorkspace::begin(PatchBatch batch, const ExtractInputs& inputs) {
  batch_ = std::move(batch);
  regularize_ = inputs.options.regularize;
  psferr_ = inputs.psferr();
  layout_ = layout_of(*batch_.frame);
  const std::size_t spectra = count_of(batch_.count, layout_.nslots);
  vector_ = spectra * count_of(layout_.nwave);
  const cudaStream_t stream = context_->stream();
  reserve(band_, spectra * count_of(layout_.band_size()));
  reserve(pair_, spectra * count_of(layout_.pair_size()));
  const auto frame_bins = count_of(batch_.spots.nspec, batch_.spots.nwave);
  // A bin's row of both bands, and its three sums.
  reserve(frame_, frame_bins * count_of(3 * layout_.reach + 2 + 3));
  reserve(far_, frame_bins);
  reserve(factor_, spectra * count_of(layout_.band_size()));
  reserve(inverse_, spectra * count_of(layout_.band_size()));
  reserve(trace_, spectra);
  reserve(complement_bands_, count_of(batch_.ncores(), SchurComplements::band_size(layout_)));
  reserve(outside_, count_of(batch_.ncores(), layout_.nwave, layout_.nwave));
  reserve(complement_bins_, count_of(batch_.ncores(), layout_.nwave + 1));
  reserve(scratch_, fiber_root_scratch(layout_, batch_.frame->spectra().ndiag));
  reserve(bins_, 5 * vector_);
  reserve(work_, count_of(batch_.count, 2, batch_.npixel));
  reserve(cores_, batch_.cores.size());
  if (poison_)
    for (const DeviceBuffer<double>* buffer :
         {&frame_, &band_, &pair_, &factor_, &inverse_, &trace_, &complement_bands_, &outside_,
          &complement_bins_, &scratch_, &bins_, &work_})
      fill_with_nan(*buffer, stream);
  SPEX_GPU_CHECK(cudaMemcpyAsync(cores_.get(), batch_.cores.data(),
                                 batch_.cores.size() * sizeof(CoreSpectrum), cudaMemcpyHostToDevice,
                                 stream));
}

void FiberWorkspace::assemble() {
  const cudaStream_t stream = context_->stream();
  const PixelsView pixels = batch_.frame->pixels();
  const FrameBands frame = frame_bands();
  assemble_frame(batch_.spots, pixels, batch_.frame->spectra().first_bin, layout_.nslots, frame,
                 stream);
  take_bins(batch_.patches(), batch_.count, batch_.n, batch_.spots, pixels, frame,
            {layout_.strides(), y(), q(), good()}, stream);
  find_prior(batch_.patches(), batch_.count, layout_.strides(), q(), regularize_, prior(), stream);
  take_bands(batch_.patches(), batch_.count, layout_, batch_.spots, pixels, frame, prior(), bands(),
             batch_.status(), stream);
}

void FiberWorkspace::factor() {
  factor_fibers(batch_.patches(), batch_.count, layout_, bands(), fibers(), batch_.status(),
                context_->stream());
}

void FiberWorkspace::sweep() {
  solve_fibers(batch_.patches(), batch_.count, layout_, bands(), fibers(), context_->stream());
}

void FiberWorkspace::correct() {
  find_complements(batch_.patches(), cores_.get(), batch_.ncores(), layout_, bands(), fibers(),
                   complements(), batch_.status(), context_->stream());
}

void FiberWorkspace::roots() {
  find_fiber_roots(batch_.patches(), cores_.get(), batch_.ncores(), layout_, complements(),
                   trace_.get(), q(), scratch_.get(), batch_.status(), batch_.frame->spectra(),
                   context_->stream());
}

void FiberWorkspace::quality() {
  store_quality(*context_, batch_, solution(), psferr_, work_.get());
}

void FiberWorkspace::download_models(std::vector<std::vector<double>>& models) {
  download_core_models(*context_, batch_, solution(), work_.get(), models);
}

}  // namespace spex::gpu
