#include "gpu/extract/batch/frame_on_device.hpp"

#include <algorithm>

#include "gpu/extract/batch/widen.hpp"
#include "reference/core/count.hpp"
#include "reference/core/error.hpp"
#include "reference/extract/extract_inputs.hpp"
#include "reference/extract/reject_pixels.hpp"
#include "reference/psf/spots.hpp"

namespace spex::gpu {
namespace {

// The options with the padding for the rejection of pixels.
ExtractOptions wide_options(const ExtractInputs& inputs) {
  ExtractOptions wide = inputs.options;
  wide.wavepad += reject_bounds::more_wavepad;
  return wide;
}

}  // namespace

FrameOnDevice::FrameOnDevice(const Context& context, bool poison,
                             std::function<bool(const void*)> pin)
    : context_(&context),
      poison_(poison),
      reach_and_bad_(2),
      transfers_(std::move(pin)),
      packer_(transfer_context_) {}

void FrameOnDevice::let_transfers_wait() {
  computed_.record(context_->stream());
  computed_.hold(transfer_context_.stream());
}

void FrameOnDevice::upload_pixels(const Pixels& pixels) {
  const cudaStream_t stream = transfer_context_.stream();
  nx_ = pixels.nx;
  ny_ = pixels.ny;
  const auto singles = [](const Reals& reals) {
    return reals.single_values() == nullptr ? 0 : reals.size();
  };
  float* const room = floats_in(spots_, singles(pixels.value) + singles(pixels.weight));
  float* const room_of_weight = room + singles(pixels.value);
  upload_reals(pixels.value, room, value_);
  upload_reals(pixels.weight, room_of_weight, weight_);
  // An error may free the pixels.
  transfers_.wait();
  // After both transfers: kernels may wait for other frames on the GPU, copies do not.
  widen(room, singles(pixels.value), value_.get(), stream);
  widen(room_of_weight, singles(pixels.weight), weight_.get(), stream);
}

void FrameOnDevice::upload_reals(const Reals& from, float* room, DeviceBuffer<double>& to) {
  reserve(to, from.size());
  if (const auto* single = from.single_values())
    transfers_.send_large(*single, room, transfer_context_.stream());
  else
    transfers_.send_large(*from.double_values(), to.get(), transfer_context_.stream());
}

void FrameOnDevice::cover(const WaveGrid& grid, const std::vector<Patch>& patches) {
  fiber_ = patches.front().padded_spec_first();
  int fiber_end = 0;
  bins_.grid = grid;
  bins_.first = patches.front().padded_wave_first();
  int bin_end = bins_.first;
  for (const Patch& patch : patches) {
    fiber_ = std::min(fiber_, patch.padded_spec_first());
    fiber_end = std::max(fiber_end, patch.padded_spec_first() + patch.padded_nspec());
    bins_.first = std::min(bins_.first, patch.padded_wave_first());
    bin_end = std::max(bin_end, patch.padded_wave_first() + patch.padded_nwave());
  }
  nspec_ = fiber_end - fiber_;
  bins_.first -= more_;
  bins_.nwave = bin_end + more_ - bins_.first;
}

void FrameOnDevice::prepare_spectra(const ExtractInputs& inputs, std::size_t npatches) {
  const cudaStream_t stream = transfer_context_.stream();
  const int ndiag = inputs.ndiag();
  const std::size_t size = spectra_size(nspec_, inputs.grid.nwave, ndiag);
  reserve(spectra_values_, size);
  spectra_ = view_spectra(spectra_values_.get(), nspec_, inputs.grid.nwave, ndiag, bins_.first);
  if (inputs.options.write_f) {
    reserve(f_, count_of(nspec_, spectra_.nwave));
    spectra_.f = f_.get();
  }
  clear_spectra(spectra_, stream);
  reserve(status_, npatches);
  SPEX_GPU_CHECK(cudaMemsetAsync(status_.get(), 0, npatches * sizeof(int), stream));
}

void FrameOnDevice::load(const ExtractInputs& inputs, const std::vector<Patch>& patches) {
  const cudaStream_t stream = transfer_context_.stream();
  let_transfers_wait();
  const Patch& patch_of_frame = patches.front();
  more_ = inputs.options.reject_pixels ? more_bins(inputs) : 0;
  const int pad = patch_of_frame.wavepad + more_;
  upload(*inputs.psf, inputs.grid.at(-pad),
         inputs.grid.at(inputs.grid.nwave + patch_of_frame.nwave + pad), psf_, stream);
  upload_pixels(*inputs.pixels);
  cover(inputs.grid, patches);

  geometry_.clear();
  geometry_.reserve(patches.size());
  for (const Patch& patch : patches) geometry_.push_back(make_geometry(patch, fiber_, bins_.first));
  reserve(device_geometry_, geometry_.size());
  SPEX_GPU_CHECK(cudaMemcpyAsync(device_geometry_.get(), geometry_.data(),
                                 geometry_.size() * sizeof(PatchGeometry), cudaMemcpyHostToDevice,
                                 stream));
  const auto count = static_cast<int>(patches.size());
  SPEX_GPU_CHECK(cudaMemsetAsync(reach_and_bad_.get(), 0, 2 * sizeof(int), stream));
  const std::vector<Patch> all = make_patches(inputs.options, inputs.grid, inputs.psf->nfiber);
  max_fibers_ = 0;
  for (const Patch& patch : all) max_fibers_ = std::max(max_fibers_, patch.padded_nspec());
  if (patches != all)
    measure_reach(
        inputs,
        more_ == 0 ? all : make_patches(wide_options(inputs), inputs.grid, inputs.psf->nfiber));
  evaluate_corners(psf_, {fiber_, nspec_, bins_}, corners_, reach_and_bad_.get() + 1, stream);
  find_used_pixels({device_geometry_.get(), count, corners_.view(), inputs.options.pixpad_frac, nx_,
                    ny_, reach_and_bad_.get()},
                   stream);
  if (more_ != 0) lay_out_wide(inputs);
  reserve(rows_, count_of(nspec_, ny_));
  find_row_bins(corners_.view(), 0, bins_.nwave, rows(), stream);
  prepare_spectra(inputs, patches.size());

  wait_for(stream);
  int reach_and_bad[2];
  SPEX_GPU_CHECK(cudaMemcpyAsync(reach_and_bad, reach_and_bad_.get(), sizeof reach_and_bad,
                                 cudaMemcpyDeviceToHost, stream));
  SPEX_GPU_CHECK(cudaMemcpyAsync(geometry_.data(), device_geometry_.get(),
                                 geometry_.size() * sizeof(PatchGeometry), cudaMemcpyDeviceToHost,
                                 stream));
  transfer_context_.synchronize();
  reach_ = reach_and_bad[0];
  if (const int bad = reach_and_bad[1]; bad != 0) {
    // Let the reference report the fault of this spot.
    const int s = (bad - 1) / bins_.nwave, w = (bad - 1) % bins_.nwave;
    static_cast<void>(
        spex::evaluate_spots(*inputs.psf, fiber_ + s, 1, inputs.grid.range(bins_.first + w, 1)));
    throw data_error("PSF", "a spot is far from the CCD or has no positive width");
  }
}

void FrameOnDevice::measure_reach(const ExtractInputs& inputs, const std::vector<Patch>& all) {
  int fiber_begin = all.front().padded_spec_first();
  int fiber_end = 0;
  const int bin_begin = all.front().padded_wave_first();
  int bin_end = 0;
  for (const Patch& patch : all) {
    fiber_end = std::max(fiber_end, patch.padded_spec_first() + patch.padded_nspec());
    bin_end = std::max(bin_end, patch.padded_wave_first() + patch.padded_nwave());
  }
  const WaveBins bins{inputs.grid, bin_begin, bin_end - bin_begin};
  std::vector<PatchGeometry> geometry;
  geometry.reserve(all.size());
  for (const Patch& patch : all) geometry.push_back(make_geometry(patch, fiber_begin, bin_begin));
  reserve(all_geometry_, geometry.size());
  transfers_.send(geometry, all_geometry_.get(), transfer_context_.stream());
  // A bad spot of other patches is reported by their rank.
  evaluate_corners(psf_, {fiber_begin, fiber_end - fiber_begin, bins}, all_corners_, nullptr,
                   transfer_context_.stream());
  find_used_pixels({all_geometry_.get(), static_cast<int>(all.size()), all_corners_.view(),
                    inputs.options.pixpad_frac, nx_, ny_, reach_and_bad_.get()},
                   transfer_context_.stream());
}

void FrameOnDevice::lay_out_wide(const ExtractInputs& inputs) {
  std::vector<PatchGeometry> wide = geometry_;
  for (PatchGeometry& patch : wide) {
    patch.wave0 -= more_;
    patch.nwave += 2 * more_;
    patch.wavepad += more_;
  }
  reserve(wide_geometry_, wide.size());
  transfers_.send(wide, wide_geometry_.get(), transfer_context_.stream());
  find_used_pixels({wide_geometry_.get(), static_cast<int>(wide.size()), corners_.view(),
                    inputs.options.pixpad_frac, nx_, ny_, reach_and_bad_.get()},
                   transfer_context_.stream());
  reserve(tested_rows_, count_of(nspec_, ny_));
  const int end = extended_grid(wide_options(inputs), inputs.grid).nwave - more_;
  find_row_bins(corners_.view(), more_, end, tested_rows(), transfer_context_.stream());
}

PixelsView FrameOnDevice::pixels() const {
  return {nx_, ny_, value_.get(), weight_.get()};
}

SpotsView FrameOnDevice::evaluate_spots(int first, int last) {
  int begin = geometry_[first].spec0;
  int end = 0;
  for (int k = first; k < last; ++k) {
    const PatchGeometry& patch = geometry_[k];
    begin = std::min(begin, patch.spec0);
    end = std::max(end, patch.spec0 + patch.nspec);
  }
  reserve(spots_, count_of(end - begin, bins_.nwave, spot_size()));
  reserve(rims_, count_of(end - begin, bins_.nwave, rims_of_spot));
  if (poison_) {
    SPEX_GPU_CHECK(cudaMemsetAsync(spots_.get(), 0xFF, spots_.bytes(), context_->stream()));
    SPEX_GPU_CHECK(cudaMemsetAsync(rims_.get(), 0xFF, rims_.bytes(), context_->stream()));
  }
  gpu::evaluate_spots(psf_, {fiber_ + begin, end - begin, bins_}, spots_.get(), rims_.get(),
                      context_->stream());
  return {begin,        end - begin,       bins_.nwave,       psf_.view.nx(), psf_.view.ny(),
          spots_.get(), corners_.xc.get(), corners_.yc.get(), nullptr,        rims_.get()};
}

PatchSelection FrameOnDevice::select(const std::vector<int>& index, cudaStream_t stream) {
  std::vector<PatchGeometry> geometry;
  std::vector<int> row(nspec_, -1);
  for (const int k : index) {
    geometry.push_back(geometry_[k]);
    for (int s = 0; s < geometry_[k].nspec; ++s) row[geometry_[k].spec0 + s] = 0;
  }
  int nrows = 0;
  for (int& of_fiber : row)
    if (of_fiber == 0) of_fiber = nrows++;
  const std::size_t size_of_row = count_of(bins_.nwave, spot_size());
  // Frames differ in the number of selected patches.
  const std::size_t size_of_spots = count_of(nrows) * size_of_row;
  reserve(selected_spots_, size_of_spots, 2 * size_of_spots);
  reserve(selected_geometry_, index.size(), 2 * index.size());
  reserve(selected_status_, index.size(), 2 * index.size());
  reserve(row_of_fiber_, row.size());
  transfers_.send(geometry, selected_geometry_.get(), stream);
  transfers_.send(row, row_of_fiber_.get(), stream);
  SPEX_GPU_CHECK(cudaMemsetAsync(selected_status_.get(), 0, index.size() * sizeof(int), stream));
  // Copy consecutive fibers at once.
  for (int s = 0; s < nspec_; ++s) {
    if (row[s] < 0) continue;
    const int first = s;
    while (s + 1 < nspec_ && row[s + 1] >= 0) ++s;
    gpu::evaluate_spots(psf_, {fiber_ + first, s + 1 - first, bins_},
                        selected_spots_.get() + count_of(row[first]) * size_of_row, nullptr,
                        stream);
  }
  const SpotsView spots{0,
                        nspec_,
                        bins_.nwave,
                        psf_.view.nx(),
                        psf_.view.ny(),
                        selected_spots_.get(),
                        corners_.xc.get(),
                        corners_.yc.get(),
                        row_of_fiber_.get()};
  return {index, selected_geometry_.get(), selected_status_.get(), spots};
}

FrameSpectra FrameOnDevice::frame_spectra() {
  return {&transfer_context_, spectra_, fiber_, &transfers_, &spots_, &packer_};
}

Frame FrameOnDevice::frame_to_fill(const ExtractInputs& inputs, SpectraOf wanted) {
  return gpu::frame_to_fill(frame_spectra(), inputs, wanted);
}

std::vector<PatchResult> FrameOnDevice::download() {
  let_transfers_wait();
  return download_patches(frame_spectra(), geometry_);
}

void FrameOnDevice::download_frame(SpectraOf wanted, Extracted& to) {
  let_transfers_wait();
  gpu::download_frame(frame_spectra(), wanted, to);
}

}  // namespace spex::gpu
