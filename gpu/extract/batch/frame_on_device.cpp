#include "gpu/extract/batch/frame_on_device.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "gpu/extract/batch/widen.hpp"
#include "reference/core/all_finite.hpp"
#include "reference/core/count.hpp"
#include "reference/core/error.hpp"
#include "reference/extract/extract_inputs.hpp"
#include "reference/extract/reject_pixels.hpp"
#include "reference/psf/spots.hpp"

namespace spex::gpu {
namespace {

// The driver copies pageable memory slowly, and pinning memory takes half a millisecond per MB,
// during which no GPU gets work. So small pinned pieces are filled or emptied while another piece
// is transferred.
constexpr std::size_t piece = std::size_t{2} << 20;  // bytes

// The options with the padding for the rejection of pixels.
ExtractOptions wide_options(const ExtractInputs& inputs) {
  ExtractOptions wide = inputs.options;
  wide.wavepad += reject_bounds::more_wavepad;
  return wide;
}

}  // namespace

FrameOnDevice::FrameOnDevice(const Context& context, bool poison)
    : context_(&context), poison_(poison), reach_and_bad_(2), packer_(context) {
  for (Piece& one : pieces_) one.bytes = PinnedBuffer<std::byte>(piece);
}

void FrameOnDevice::upload_pixels(const Pixels& pixels) {
  const cudaStream_t stream = context_->stream();
  nx_ = pixels.nx;
  ny_ = pixels.ny;
  const auto singles = [](const Reals& reals) {
    return reals.single_values() == nullptr ? 0 : reals.size();
  };
  float* const room = floats_in_spots(singles(pixels.value) + singles(pixels.weight));
  float* const room_of_weight = room + singles(pixels.value);
  upload_reals(pixels.value, room, value_);
  upload_reals(pixels.weight, room_of_weight, weight_);
  // After both transfers: kernels may wait for other frames on the GPU, copies do not.
  widen(room, singles(pixels.value), value_.get(), stream);
  widen(room_of_weight, singles(pixels.weight), weight_.get(), stream);
}

float* FrameOnDevice::floats_in_spots(std::size_t count) {
  reserve(spots_, (count + 1) / 2);
  return reinterpret_cast<float*>(spots_.get());
}

void FrameOnDevice::upload_reals(const Reals& from, float* room, DeviceBuffer<double>& to) {
  reserve(to, from.size());
  if (const auto* single = from.single_values())
    send(*single, room);
  else
    send(*from.double_values(), to.get());
}

template <class T>
void FrameOnDevice::send(const std::vector<T>& values, T* to, cudaStream_t stream) {
  const std::size_t most = piece / sizeof(T);
  std::size_t turn = 0;
  for (std::size_t first = 0; first < values.size(); first += most, turn = 1 - turn) {
    const std::size_t bytes = std::min(most, values.size() - first) * sizeof(T);
    Piece& one = pieces_[turn];
    one.sent.wait();
    std::memcpy(one.bytes.get(), values.data() + first, bytes);
    SPEX_GPU_CHECK(
        cudaMemcpyAsync(to + first, one.bytes.get(), bytes, cudaMemcpyHostToDevice, stream));
    one.sent.record(stream);
  }
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
  const cudaStream_t stream = context_->stream();
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
  const cudaStream_t stream = context_->stream();
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
  context_->synchronize();
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
  send(geometry, all_geometry_.get());
  // A bad spot of other patches is reported by their rank.
  evaluate_corners(psf_, {fiber_begin, fiber_end - fiber_begin, bins}, all_corners_, nullptr,
                   context_->stream());
  find_used_pixels({all_geometry_.get(), static_cast<int>(all.size()), all_corners_.view(),
                    inputs.options.pixpad_frac, nx_, ny_, reach_and_bad_.get()},
                   context_->stream());
}

void FrameOnDevice::lay_out_wide(const ExtractInputs& inputs) {
  std::vector<PatchGeometry> wide = geometry_;
  for (PatchGeometry& patch : wide) {
    patch.wave0 -= more_;
    patch.nwave += 2 * more_;
    patch.wavepad += more_;
  }
  reserve(wide_geometry_, wide.size());
  send(wide, wide_geometry_.get());
  find_used_pixels({wide_geometry_.get(), static_cast<int>(wide.size()), corners_.view(),
                    inputs.options.pixpad_frac, nx_, ny_, reach_and_bad_.get()},
                   context_->stream());
  reserve(tested_rows_, count_of(nspec_, ny_));
  const int end = extended_grid(wide_options(inputs), inputs.grid).nwave - more_;
  find_row_bins(corners_.view(), more_, end, tested_rows(), context_->stream());
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
  reserve(selected_spots_, count_of(nrows) * size_of_row);
  reserve(selected_geometry_, index.size());
  reserve(selected_status_, index.size());
  reserve(row_of_fiber_, row.size());
  send(geometry, selected_geometry_.get(), stream);
  send(row, row_of_fiber_.get(), stream);
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

std::vector<FrameOnDevice::FiberRun> FrameOnDevice::fiber_runs() const {
  const auto most = static_cast<int>(piece / spectra_bytes(1));
  std::vector<FiberRun> runs;
  for (std::size_t k = 0; k < geometry_.size(); ++k) {
    const int begin = geometry_[k].spec0 + geometry_[k].pad_below;
    const int end = begin + geometry_[k].ncore;
    if (!runs.empty()) {
      FiberRun& last = runs.back();
      const int first_fiber = std::min(last.fiber, begin);
      const int end_fiber = std::max(last.fiber + last.nfiber, end);
      // Patches of the same fibers are transferred together, for any number of patches.
      if (end_fiber - first_fiber <= std::max(most, last.nfiber)) {
        last = {first_fiber, end_fiber - first_fiber, last.patch, k + 1};
        continue;
      }
    }
    runs.push_back({begin, end - begin, k, k + 1});
  }
  return runs;
}

std::size_t FrameOnDevice::spectra_bytes(int nfiber) const {
  const std::size_t of_f = spectra_.f != nullptr ? count_of(nfiber, spectra_.nwave) : 0;
  return (spectra_size(nfiber, spectra_.nwave, spectra_.ndiag) + of_f) * sizeof(double);
}

SpectraView FrameOnDevice::copy_fibers(const FiberRun& run, Piece& to) const {
  reserve(to.bytes, spectra_bytes(run.nfiber));
  auto* const values = reinterpret_cast<double*>(to.bytes.get());
  SpectraView host = view_spectra(values, run.nfiber, spectra_.nwave, spectra_.ndiag, bins_.first);
  const auto copy = [&](const double* from, int rows_per_fiber, double* target) {
    const std::size_t fiber = count_of(rows_per_fiber, host.nwave);
    SPEX_GPU_CHECK(cudaMemcpyAsync(target, from + static_cast<std::size_t>(run.fiber) * fiber,
                                   static_cast<std::size_t>(run.nfiber) * fiber * sizeof(double),
                                   cudaMemcpyDeviceToHost, context_->stream()));
  };
  copy(spectra_.flux, 1, host.flux);
  copy(spectra_.ivar, 1, host.ivar);
  copy(spectra_.chi2pix, 1, host.chi2pix);
  copy(spectra_.pixmask_fraction, 1, host.pixmask_fraction);
  copy(spectra_.resolution, host.ndiagonals(), host.resolution);
  SPEX_GPU_CHECK(cudaMemcpyAsync(host.pulled, spectra_.pulled + count_of(run.fiber, host.nwave),
                                 count_of(run.nfiber, host.nwave), cudaMemcpyDeviceToHost,
                                 context_->stream()));
  if (spectra_.f != nullptr) {
    host.f = values + spectra_size(run.nfiber, spectra_.nwave, spectra_.ndiag);
    copy(spectra_.f, 1, host.f);
  }
  to.sent.record(context_->stream());
  return host;
}

PatchResult FrameOnDevice::cut_patch(const PatchGeometry& patch, const FiberRun& run,
                                     const SpectraView& host) {
  PatchResult result;
  result.nspec = patch.ncore;
  result.nwave = patch.nkept;
  result.ndiagonals = host.ndiagonals();
  const std::size_t fiber = patch.spec0 + patch.pad_below - run.fiber;
  const std::size_t nwave = host.nwave;
  const auto cut = [&]<class T>(const T* from, int rows_per_fiber, std::vector<T>& to) {
    const std::size_t rows = patch.ncore * rows_per_fiber;
    to.reserve(rows * static_cast<std::size_t>(patch.nkept));
    const T* begin =
        from + fiber * static_cast<std::size_t>(rows_per_fiber) * nwave + host.core_bin(patch);
    for (std::size_t row = 0; row < rows; ++row, begin += nwave)
      to.insert(to.end(), begin, begin + patch.nkept);
  };
  cut(host.flux, 1, result.flux);
  cut(host.ivar, 1, result.ivar);
  cut(host.chi2pix, 1, result.chi2pix);
  cut(host.pixmask_fraction, 1, result.pixmask_fraction);
  cut(host.resolution, host.ndiagonals(), result.resolution);
  cut(host.pulled, 1, result.pulled);
  if (host.f != nullptr) cut(host.f, 1, result.f);
  return result;
}

template <class T>
void FrameOnDevice::append(const T* from, std::size_t count, std::vector<T>& to) {
  to.reserve(to.size() + count);
  const std::size_t most = piece / sizeof(T);
  const auto ask = [&](std::size_t first, Piece& one) {
    if (first >= count) return;
    SPEX_GPU_CHECK(cudaMemcpyAsync(one.bytes.get(), from + first,
                                   std::min(most, count - first) * sizeof(T),
                                   cudaMemcpyDeviceToHost, context_->stream()));
    one.sent.record(context_->stream());
  };
  ask(0, pieces_[0]);
  std::size_t turn = 0;
  for (std::size_t first = 0; first < count; first += most, turn = 1 - turn) {
    // Transfer the next piece while this piece is emptied.
    ask(first + most, pieces_[1 - turn]);
    pieces_[turn].sent.wait();
    const T* const values = reinterpret_cast<const T*>(pieces_[turn].bytes.get());
    to.insert(to.end(), values, values + std::min(most, count - first));
  }
}

std::optional<PackedImage> FrameOnDevice::download_packed() {
  const std::optional<ResolutionPacker::Plan> plan = packer_.plan();
  if (!plan) return std::nullopt;
  // A float is as large as a word.
  float* const room = floats_in_spots(plan->words());
  packer_.pack(reinterpret_cast<std::uint32_t*>(room));
  wait_for(context_->stream());
  PackedImage image{{}, plan->size, plan->crc, plan->datasum};
  append(reinterpret_cast<const char*>(room), plan->deflated, image.deflated);
  end_blocks(image.deflated);
  return image;
}

void FrameOnDevice::download_frame(const ExtractInputs& inputs, SpectraOf wanted, Extracted& to) {
  Frame& frame = to.frame.emplace();
  frame.specmin = inputs.options.specmin;
  frame.nspec = inputs.options.nspec_of(inputs.psf->nfiber);
  frame.nwave = inputs.grid.nwave;
  frame.ndiag = spectra_.ndiag;
  frame.dw = inputs.grid.dw;
  frame.wave = inputs.grid.range(0, frame.nwave);
  // The patches' padding may begin before the first requested fiber.
  const std::size_t first = count_of(frame.specmin - fiber_, frame.nwave);
  const double* const resolution = spectra_.resolution + first * spectra_.ndiagonals();
  const std::size_t count = frame.nbins() * spectra_.ndiagonals();
  float* room = nullptr;
  const auto narrow_resolution = [&] {
    room = floats_in_spots(count);
    narrow(resolution, count, room, context_->stream());
  };
  if (wanted == SpectraOf::written_frame) narrow_resolution();
  if (wanted == SpectraOf::packed_frame)
    packer_.survey({resolution, count_of(frame.nspec, spectra_.ndiagonals()), frame.nwave,
                    spectra_.ndiagonals()});

  append(spectra_.flux + first, frame.nbins(), frame.flux);
  append(spectra_.ivar + first, frame.nbins(), frame.ivar);
  append(spectra_.chi2pix + first, frame.nbins(), frame.chi2pix);
  append(spectra_.pixmask_fraction + first, frame.nbins(), frame.pixmask_fraction);
  append(spectra_.pulled + first, frame.nbins(), frame.pulled);
  if (spectra_.f != nullptr) append(spectra_.f + first, frame.nbins(), frame.f);
  for (double& flux : frame.flux) flux /= frame.dw;
  for (double& f : frame.f) f /= frame.dw;
  for (double& ivar : frame.ivar) ivar = ivar * frame.dw * frame.dw;
  // A bin that float32 cannot hold loses its column of R (drop_overflows.hpp).
  if (wanted == SpectraOf::packed_frame && float_holds(frame.flux) && float_holds(frame.ivar) &&
      float_holds(frame.chi2pix) && float_holds(frame.f))
    to.resolution = download_packed();
  if (to.resolution) return;
  const auto take_resolution = [&](const auto* from) {
    std::vector<std::remove_cvref_t<decltype(*from)>> rows;
    append(from, count, rows);
    frame.resolution = Reals(std::move(rows));
  };
  if (wanted == SpectraOf::frame) {
    take_resolution(resolution);
    return;
  }
  if (room == nullptr) narrow_resolution();
  take_resolution(room);
}

std::vector<PatchResult> FrameOnDevice::download() {
  const std::vector<FiberRun> runs = fiber_runs();
  std::array<SpectraView, 2> host;
  host[0] = copy_fibers(runs[0], pieces_[0]);
  std::vector<PatchResult> results;
  results.reserve(geometry_.size());
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const std::size_t turn = r % 2;
    // Transfer the next fibers while these are cut into patches.
    if (r + 1 < runs.size()) host[1 - turn] = copy_fibers(runs[r + 1], pieces_[1 - turn]);
    pieces_[turn].sent.wait();
    for (std::size_t k = runs[r].patch; k < runs[r].end_patch; ++k)
      results.push_back(cut_patch(geometry_[k], runs[r], host[turn]));
  }
  return results;
}

}  // namespace spex::gpu
