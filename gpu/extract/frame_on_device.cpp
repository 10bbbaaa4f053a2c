#include "gpu/extract/frame_on_device.hpp"

#include <algorithm>
#include <cstring>

#include "reference/core/error.hpp"
#include "reference/psf/spots.hpp"

namespace spex::gpu {
namespace {

// Seconds are lost where the CPU copies pageable memory for the driver: a pinned piece at a time is
// filled while the one before it travels.
constexpr std::size_t piece = std::size_t{4} << 20;  // numbers

}  // namespace

FrameOnDevice::FrameOnDevice(const Context& context, bool poison)
    : context_(&context), poison_(poison), reach_and_bad_(2), host_pixels_(2 * piece) {}

void FrameOnDevice::upload_pixels(const Pixels& pixels) {
  nx_ = pixels.nx;
  ny_ = pixels.ny;
  reserve(value_, pixels.value.size());
  reserve(weight_, pixels.weight.size());
  Event sent[2];
  int turn = 0;
  const auto send = [&](const std::vector<double>& from, DeviceBuffer<double>& to) {
    for (std::size_t first = 0; first < from.size(); first += piece, turn = 1 - turn) {
      const std::size_t count = std::min(piece, from.size() - first);
      double* pinned = host_pixels_.get() + static_cast<std::size_t>(turn) * piece;
      sent[turn].wait();
      std::memcpy(pinned, from.data() + first, count * sizeof(double));
      SPEX_GPU_CHECK(cudaMemcpyAsync(to.get() + first, pinned, count * sizeof(double),
                                     cudaMemcpyHostToDevice, context_->stream()));
      sent[turn].record(context_->stream());
    }
  };
  send(pixels.value, value_);
  send(pixels.weight, weight_);
}

void FrameOnDevice::load(const ExtractInputs& inputs, const std::vector<Patch>& patches) {
  const cudaStream_t stream = context_->stream();
  upload(*inputs.psf, psf_, stream);
  upload_pixels(*inputs.pixels);

  fiber_ = patches.front().padded_spec_first();
  int fiber_end = 0;
  bins_.grid = inputs.grid;
  bins_.first = patches.front().padded_wave_first();
  int bin_end = bins_.first;
  for (const Patch& patch : patches) {
    fiber_ = std::min(fiber_, patch.padded_spec_first());
    fiber_end = std::max(fiber_end, patch.padded_spec_first() + patch.padded_nspec());
    bins_.first = std::min(bins_.first, patch.padded_wave_first());
    bin_end = std::max(bin_end, patch.padded_wave_first() + patch.padded_nwave());
  }
  nspec_ = fiber_end - fiber_;
  bins_.nwave = bin_end - bins_.first;

  geometry_.clear();
  geometry_.reserve(patches.size());
  for (const Patch& patch : patches) geometry_.push_back(make_geometry(patch, fiber_, bins_.first));
  reserve(device_geometry_, geometry_.size());
  SPEX_GPU_CHECK(cudaMemcpyAsync(device_geometry_.get(), geometry_.data(),
                                 geometry_.size() * sizeof(PatchGeometry), cudaMemcpyHostToDevice,
                                 stream));
  const auto count = static_cast<int>(patches.size());
  SPEX_GPU_CHECK(cudaMemsetAsync(reach_and_bad_.get(), 0, 2 * sizeof(int), stream));
  measure_frame(inputs);
  evaluate_corners(psf_, fiber_, nspec_, bins_, corners_, reach_and_bad_.get() + 1, stream);
  const SpotsView corners{0,       0,       bins_.nwave,       psf_.nx,
                          psf_.ny, nullptr, corners_.xc.get(), corners_.yc.get()};
  find_used_pixels(device_geometry_.get(), count, corners, inputs.options.pixpad_frac, nx_, ny_,
                   reach_and_bad_.get(), stream);
  reserve(row_first_, static_cast<std::size_t>(nspec_) * static_cast<std::size_t>(ny_));
  reserve(row_last_, row_first_.count());
  find_row_bins(corners_, psf_.ny, rows(), stream);

  const int ndiag = inputs.psf->ndiag();
  const std::size_t size = spectra_size(nspec_, inputs.grid.nwave, ndiag);
  reserve(spectra_values_, size);
  reserve(host_spectra_, size);
  spectra_ = view_spectra(spectra_values_.get(), nspec_, inputs.grid.nwave, ndiag, bins_.first);
  clear_spectra(spectra_, stream);
  reserve(status_, patches.size());
  SPEX_GPU_CHECK(cudaMemsetAsync(status_.get(), 0, patches.size() * sizeof(int), stream));

  int reach_and_bad[2];
  SPEX_GPU_CHECK(cudaMemcpyAsync(reach_and_bad, reach_and_bad_.get(), sizeof reach_and_bad,
                                 cudaMemcpyDeviceToHost, stream));
  SPEX_GPU_CHECK(cudaMemcpyAsync(geometry_.data(), device_geometry_.get(),
                                 geometry_.size() * sizeof(PatchGeometry), cudaMemcpyDeviceToHost,
                                 stream));
  context_->synchronize();
  reach_ = reach_and_bad[0];
  if (const int bad = reach_and_bad[1]; bad != 0) {
    // The reference says what is wrong with this spot.
    const int s = (bad - 1) / bins_.nwave, w = (bad - 1) % bins_.nwave;
    static_cast<void>(
        spex::evaluate_spots(*inputs.psf, fiber_ + s, 1, inputs.grid.range(bins_.first + w, 1)));
    throw data_error("PSF", "a spot is not on any CCD, or has no width");
  }
}

void FrameOnDevice::measure_frame(const ExtractInputs& inputs) {
  const std::vector<Patch> all = make_patches(inputs.options, inputs.grid, inputs.psf->nfiber);
  most_fibers_ = 0;
  int fiber_begin = all.front().padded_spec_first();
  int fiber_end = 0;
  const int bin_begin = all.front().padded_wave_first();
  int bin_end = 0;
  for (const Patch& patch : all) {
    most_fibers_ = std::max(most_fibers_, patch.padded_nspec());
    fiber_end = std::max(fiber_end, patch.padded_spec_first() + patch.padded_nspec());
    bin_end = std::max(bin_end, patch.padded_wave_first() + patch.padded_nwave());
  }
  const WaveBins bins{inputs.grid, bin_begin, bin_end - bin_begin};
  std::vector<PatchGeometry> geometry;
  geometry.reserve(all.size());
  for (const Patch& patch : all) geometry.push_back(make_geometry(patch, fiber_begin, bin_begin));
  reserve(all_geometry_, geometry.size());
  SPEX_GPU_CHECK(cudaMemcpyAsync(all_geometry_.get(), geometry.data(),
                                 geometry.size() * sizeof(PatchGeometry), cudaMemcpyHostToDevice,
                                 context_->stream()));
  // A bad spot elsewhere is its own rank's to report.
  evaluate_corners(psf_, fiber_begin, fiber_end - fiber_begin, bins, all_corners_, nullptr,
                   context_->stream());
  find_used_pixels(
      all_geometry_.get(), static_cast<int>(all.size()),
      {0, 0, bins.nwave, psf_.nx, psf_.ny, nullptr, all_corners_.xc.get(), all_corners_.yc.get()},
      inputs.options.pixpad_frac, nx_, ny_, reach_and_bad_.get(), context_->stream());
}

PixelsView FrameOnDevice::pixels() const {
  return {nx_, ny_, value_.get(), weight_.get()};
}

RowBins FrameOnDevice::rows() const {
  return {ny_, row_first_.get(), row_last_.get()};
}

SpotsView FrameOnDevice::evaluate_spots(int first, int last) {
  int begin = geometry_[static_cast<std::size_t>(first)].spec0;
  int end = 0;
  for (int k = first; k < last; ++k) {
    const PatchGeometry& patch = geometry_[static_cast<std::size_t>(k)];
    begin = std::min(begin, patch.spec0);
    end = std::max(end, patch.spec0 + patch.nspec);
  }
  reserve(spots_, static_cast<std::size_t>(end - begin) * static_cast<std::size_t>(bins_.nwave) *
                      static_cast<std::size_t>(spot_size()));
  if (poison_)
    SPEX_GPU_CHECK(cudaMemsetAsync(spots_.get(), 0xFF, spots_.bytes(), context_->stream()));
  gpu::evaluate_spots(psf_, fiber_ + begin, end - begin, bins_, spots_.get(), context_->stream());
  return {begin,   end - begin,  bins_.nwave,       psf_.nx,
          psf_.ny, spots_.get(), corners_.xc.get(), corners_.yc.get()};
}

std::vector<PatchResult> FrameOnDevice::download(const std::vector<Patch>& patches) {
  const std::size_t size = spectra_size(nspec_, spectra_.nwave, spectra_.ndiag);
  SPEX_GPU_CHECK(cudaMemcpyAsync(host_spectra_.get(), spectra_values_.get(), size * sizeof(double),
                                 cudaMemcpyDeviceToHost, context_->stream()));
  context_->synchronize();
  const SpectraView host =
      view_spectra(host_spectra_.get(), nspec_, spectra_.nwave, spectra_.ndiag, bins_.first);
  std::vector<PatchResult> results(patches.size());
  for (std::size_t k = 0; k < patches.size(); ++k) {
    const PatchGeometry& patch = geometry_[k];
    PatchResult& result = results[k];
    result.nspec = patch.ncore;
    result.nwave = patch.nkept;
    result.ndiagonals = host.ndiagonals();
    const auto rows = [&](const double* from, int rows_per_fiber, std::vector<double>& to) {
      for (int row = 0; row < patch.ncore * rows_per_fiber; ++row) {
        const auto fiber = static_cast<std::size_t>(patch.spec0 + patch.pad_below);
        const double* begin =
            from +
            (fiber * static_cast<std::size_t>(rows_per_fiber) + static_cast<std::size_t>(row)) *
                static_cast<std::size_t>(host.nwave) +
            host.core_bin(patch);
        to.insert(to.end(), begin, begin + patch.nkept);
      }
    };
    rows(host.flux, 1, result.flux);
    rows(host.ivar, 1, result.ivar);
    rows(host.chi2pix, 1, result.chi2pix);
    rows(host.pixmask_fraction, 1, result.pixmask_fraction);
    rows(host.resolution, host.ndiagonals(), result.resolution);
  }
  return results;
}

}  // namespace spex::gpu
