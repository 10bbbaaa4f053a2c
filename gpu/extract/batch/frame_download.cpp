#include "gpu/extract/batch/frame_download.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "gpu/extract/batch/spectra.hpp"
#include "gpu/extract/batch/widen.hpp"
#include "reference/core/all_finite.hpp"
#include "reference/core/count.hpp"
#include "reference/extract/extract_inputs.hpp"

namespace spex::gpu {
namespace {

// Fibers that are transferred together, and the patches [patch, end_patch) with these core fibers.
struct FiberRun {
  int fiber = 0;
  int nfiber = 0;
  std::size_t patch = 0;
  std::size_t end_patch = 0;
};

std::size_t spectra_bytes(const SpectraView& spectra, int nfiber) {
  const std::size_t of_f = spectra.f != nullptr ? count_of(nfiber, spectra.nwave) : 0;
  return (spectra_size(nfiber, spectra.nwave, spectra.ndiag) + of_f) * sizeof(double);
}

// Runs of consecutive patches: as many as fit in a piece, at least one.
std::vector<FiberRun> fiber_runs(const SpectraView& spectra,
                                 const std::vector<PatchGeometry>& patches) {
  const auto most = static_cast<int>(HostTransfers::piece / spectra_bytes(spectra, 1));
  std::vector<FiberRun> runs;
  for (std::size_t k = 0; k < patches.size(); ++k) {
    const int begin = patches[k].spec0 + patches[k].pad_below;
    const int end = begin + patches[k].ncore;
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

// Starts copying the spectra of these fibers; returns the view of the copy.
SpectraView copy_fibers(const SpectraView& spectra, const FiberRun& run, HostTransfers::Piece& to,
                        cudaStream_t stream) {
  reserve(to.bytes, spectra_bytes(spectra, run.nfiber));
  auto* const values = reinterpret_cast<double*>(to.bytes.get());
  SpectraView host =
      view_spectra(values, run.nfiber, spectra.nwave, spectra.ndiag, spectra.first_bin);
  const auto copy = [&](const double* from, int rows_per_fiber, double* target) {
    const std::size_t fiber = count_of(rows_per_fiber, host.nwave);
    SPEX_GPU_CHECK(cudaMemcpyAsync(target, from + static_cast<std::size_t>(run.fiber) * fiber,
                                   static_cast<std::size_t>(run.nfiber) * fiber * sizeof(double),
                                   cudaMemcpyDeviceToHost, stream));
  };
  copy(spectra.flux, 1, host.flux);
  copy(spectra.ivar, 1, host.ivar);
  copy(spectra.chi2pix, 1, host.chi2pix);
  copy(spectra.pixmask_fraction, 1, host.pixmask_fraction);
  copy(spectra.resolution, host.ndiagonals(), host.resolution);
  SPEX_GPU_CHECK(cudaMemcpyAsync(host.pulled, spectra.pulled + count_of(run.fiber, host.nwave),
                                 count_of(run.nfiber, host.nwave), cudaMemcpyDeviceToHost, stream));
  if (spectra.f != nullptr) {
    host.f = values + spectra_size(run.nfiber, spectra.nwave, spectra.ndiag);
    copy(spectra.f, 1, host.f);
  }
  to.sent.record(stream);
  return host;
}

PatchResult cut_patch(const PatchGeometry& patch, const FiberRun& run, const SpectraView& host) {
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

// Sets R to zeros, in the precision of the requested form.
void set_resolution(Frame& frame, SpectraOf wanted) {
  const std::size_t count = frame.nbins() * frame.ndiagonals();
  frame.resolution = wanted == SpectraOf::frame ? Reals(std::vector<double>(count))
                                                : Reals(std::vector<float>(count));
}

// The packed form of the surveyed rows; nothing if plan() returns nothing.
std::optional<PackedImage> download_packed(const FrameSpectra& from) {
  const cudaStream_t stream = from.context->stream();
  const std::optional<ResolutionPacker::Plan> plan = from.packer->plan();
  if (!plan) return std::nullopt;
  // A float is as large as a word.
  float* const room = floats_in(*from.room, plan->words());
  from.packer->pack(reinterpret_cast<std::uint32_t*>(room));
  wait_for(stream);
  PackedImage image{{}, plan->size, plan->crc, plan->datasum};
  image.deflated.resize(plan->deflated);
  from.transfers->fetch(reinterpret_cast<const char*>(room), std::span(image.deflated), stream);
  end_blocks(image.deflated);
  return image;
}

}  // namespace

std::vector<PatchResult> download_patches(const FrameSpectra& from,
                                          const std::vector<PatchGeometry>& patches) {
  const std::vector<FiberRun> runs = fiber_runs(from.spectra, patches);
  HostTransfers& pieces = *from.transfers;
  const auto copy = [&](const FiberRun& run, std::size_t turn) {
    return copy_fibers(from.spectra, run, pieces[turn], from.context->stream());
  };
  std::array<SpectraView, 2> host;
  host[0] = copy(runs[0], 0);
  std::vector<PatchResult> results;
  results.reserve(patches.size());
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const std::size_t turn = r % 2;
    // Transfer the next fibers while these are cut into patches.
    if (r + 1 < runs.size()) host[1 - turn] = copy(runs[r + 1], 1 - turn);
    pieces[turn].sent.wait();
    for (std::size_t k = runs[r].patch; k < runs[r].end_patch; ++k)
      results.push_back(cut_patch(patches[k], runs[r], host[turn]));
  }
  return results;
}

Frame frame_to_fill(const FrameSpectra& from, const ExtractInputs& inputs, SpectraOf wanted) {
  Frame frame;
  frame.specmin = inputs.options.specmin;
  frame.nspec = inputs.options.nspec_of(inputs.psf->nfiber);
  frame.nwave = inputs.grid.nwave;
  frame.ndiag = from.spectra.ndiag;
  frame.dw = inputs.grid.dw;
  frame.wave = inputs.grid.range(0, frame.nwave);
  for (auto* const values : {&frame.flux, &frame.ivar, &frame.chi2pix, &frame.pixmask_fraction})
    values->resize(frame.nbins());
  if (from.spectra.f != nullptr) frame.f.resize(frame.nbins());
  frame.pulled.resize(frame.nbins());
  if (wanted != SpectraOf::packed_frame) set_resolution(frame, wanted);
  return frame;
}

void download_frame(const FrameSpectra& from, SpectraOf wanted, Extracted& to) {
  const cudaStream_t stream = from.context->stream();
  const SpectraView& spectra = from.spectra;
  const auto fetch = [&]<class T>(const T* values, std::vector<T>& all) {
    from.transfers->fetch(values, std::span(all), stream);
  };
  Frame& frame = to.frame.value();
  // The patches' padding may begin before the first requested fiber.
  const std::size_t first = count_of(frame.specmin - from.fiber, frame.nwave);
  const double* const resolution = spectra.resolution + first * spectra.ndiagonals();
  const std::size_t count = frame.nbins() * spectra.ndiagonals();
  float* room = nullptr;
  const auto narrow_resolution = [&] {
    room = floats_in(*from.room, count);
    narrow(resolution, count, room, stream);
  };
  if (wanted == SpectraOf::written_frame) narrow_resolution();
  if (wanted == SpectraOf::packed_frame)
    from.packer->survey({resolution, count_of(frame.nspec, spectra.ndiagonals()), frame.nwave,
                         spectra.ndiagonals()});

  fetch(spectra.flux + first, frame.flux);
  fetch(spectra.ivar + first, frame.ivar);
  fetch(spectra.chi2pix + first, frame.chi2pix);
  fetch(spectra.pixmask_fraction + first, frame.pixmask_fraction);
  fetch(spectra.pulled + first, frame.pulled);
  if (spectra.f != nullptr) fetch(spectra.f + first, frame.f);
  for (double& flux : frame.flux) flux /= frame.dw;
  for (double& f : frame.f) f /= frame.dw;
  for (double& ivar : frame.ivar) ivar = ivar * frame.dw * frame.dw;
  // A bin that float32 cannot hold loses its column of R (drop_overflows.hpp).
  if (wanted == SpectraOf::packed_frame && float_holds(frame.flux) && float_holds(frame.ivar) &&
      float_holds(frame.chi2pix) && float_holds(frame.f))
    to.resolution = download_packed(from);
  if (to.resolution) return;
  if (frame.resolution.size() != count) set_resolution(frame, wanted);
  if (wanted != SpectraOf::frame && room == nullptr) narrow_resolution();
  frame.resolution.visit([&]<class T>(std::vector<T>& rows) {
    if constexpr (std::is_same_v<T, double>)
      fetch(resolution, rows);
    else
      fetch(room, rows);
  });
}

}  // namespace spex::gpu
