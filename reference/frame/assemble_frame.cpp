#include "reference/frame/assemble_frame.hpp"

#include <algorithm>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "reference/core/count.hpp"
#include "reference/extract/extract_inputs.hpp"
#include "reference/frame/bad_2d_fits.hpp"
#include "reference/frame/drop_overflows.hpp"
#include "reference/model/mask_bits.hpp"
#include "reference/psf/fiber_light.hpp"

namespace spex {
namespace {

std::uint32_t mask_of(double pixmask_fraction, PatchStatus status) {
  std::uint32_t mask = 0;
  if (pixmask_fraction > 0.5) mask |= specmask::SOMEBADPIX;
  if (pixmask_fraction > 1 - 1e-6) mask |= specmask::ALLBADPIX;
  if (status == PatchStatus::failed) mask |= specmask::NODATA;
  return mask;
}

// Copies core spectrum s of a patch to spectrum `to` of the frame.
void place_spectrum(const Patch& patch, const PatchResult& result, int s, int to, Frame& frame) {
  if (result.ndiagonals != frame.ndiagonals() || result.nwave != patch.nkept)
    throw std::logic_error(fmt::format("a patch with {} diagonals and {} bins for {} and {}",
                                       result.ndiagonals, result.nwave, frame.ndiagonals(),
                                       patch.nkept));
  const std::size_t first = count_of(s, result.nwave);
  for (int w = 0; w < result.nwave; ++w) {
    const std::size_t from = first + w;
    const std::size_t at = frame.bin(to, patch.wave_first + w);
    frame.flux[at] = result.flux[from] / frame.dw;
    frame.ivar[at] = result.ivar[from] * frame.dw * frame.dw;
    if (!frame.f.empty()) frame.f[at] = result.f[from] / frame.dw;
    frame.chi2pix[at] = result.chi2pix[from];
    frame.pixmask_fraction[at] = result.pixmask_fraction[from];
    frame.pulled[at] = result.pulled[from];
  }
  frame.resolution.visit([&](auto& resolution) {
    using Real = typename std::decay_t<decltype(resolution)>::value_type;
    for (int d = 0; d < frame.ndiagonals(); ++d) {
      const double* row =
          result.resolution.data() + count_of(s * frame.ndiagonals() + d, result.nwave);
      std::transform(row, row + result.nwave,
                     resolution.data() + frame.resolution_row(to, d) + patch.wave_first,
                     [](double R) { return static_cast<Real>(R); });
    }
  });
}

// Calls f(s, to) for the core spectra s of a patch that are spectra `to` of the frame.
template <class F>
void for_each_spectrum(const Patch& patch, const Frame& frame, const F& f) {
  for (int s = 0; s < patch.nspec; ++s) {
    const int to = patch.spec_first + s - frame.specmin;
    if (to >= 0 && to < frame.nspec) f(s, to);
  }
}

// Sets MASK except BAD2DFIT. Bins outside of all patches stay good, because nothing is known of
// them.
void flag_pixels(const std::vector<Patch>& patches, const std::vector<PatchResult>& results,
                 Frame& frame) {
  frame.mask.assign(frame.nbins(), 0);
  for (std::size_t p = 0; p < patches.size(); ++p)
    for_each_spectrum(patches[p], frame, [&](int /*s*/, int to) {
      const std::size_t first = frame.bin(to, patches[p].wave_first);
      for (std::size_t at = first; at < first + patches[p].nkept; ++at)
        frame.mask[at] = mask_of(frame.pixmask_fraction[at], results[p].status) |
                         (frame.pulled[at] != 0 ? specmask::BAD2DFIT : 0);
    });
}

// Flags the bins without light because of their wavelength, and counts them.
void flag_bins_beyond(const ExtractInputs& inputs, Frame& frame) {
  const double first = inputs.grid.at(0), last = inputs.grid.at(frame.nwave - 1);
  frame.beyond = 0;
  for (int s = 0; s < frame.nspec; ++s) {
    const int fiber = frame.specmin + s;
    const FiberLight light(*inputs.psf, fiber, first, last);
    if (light.holds(first, last)) continue;
    for (int w = 0; w < frame.nwave; ++w) {
      const double lambda = inputs.grid.at(w);
      if (light.state(lambda, spot_shape(*inputs.psf, fiber, lambda)) != SpotState::dark) continue;
      frame.mask[frame.bin(s, w)] |= specmask::NODATA;
      ++frame.beyond;
    }
  }
}

void flag_bins(const ExtractInputs& inputs, const std::vector<Patch>& patches,
               const std::vector<PatchResult>& results, Frame& frame) {
  flag_pixels(patches, results, frame);
  flag_bins_beyond(inputs, frame);
  drop_overflows(frame);
  flag_bad_2d_fits(frame, inputs.options.bad2dfit);
}

}  // namespace

Frame empty_frame(const ExtractInputs& inputs) {
  Frame frame;
  frame.specmin = inputs.options.specmin;
  frame.nspec = inputs.options.nspec_of(inputs.psf->nfiber);
  frame.nwave = inputs.grid.nwave;
  frame.ndiag = inputs.ndiag();
  frame.dw = inputs.grid.dw;
  frame.wave = inputs.grid.range(0, frame.nwave);
  frame.flux.assign(frame.nbins(), 0.0);
  frame.ivar.assign(frame.nbins(), 0.0);
  if (inputs.options.write_f) frame.f.assign(frame.nbins(), 0.0);
  frame.chi2pix.assign(frame.nbins(), 0.0);
  frame.pixmask_fraction.assign(frame.nbins(), 1.0);
  frame.pulled.assign(frame.nbins(), 0);
  const std::size_t elements = frame.nbins() * frame.ndiagonals();
  const bool as_written =
      inputs.wanted == SpectraOf::written_frame || inputs.wanted == SpectraOf::packed_frame;
  frame.resolution = as_written ? Reals(std::vector<float>(elements, 0.0F))
                                : Reals(std::vector<double>(elements, 0.0));
  return frame;
}

void place_patch(const Patch& patch, const PatchResult& result, Frame& frame) {
  for_each_spectrum(patch, frame,
                    [&](int s, int to) { place_spectrum(patch, result, s, to, frame); });
}

Frame assemble_frame(const ExtractInputs& inputs, const std::vector<Patch>& patches,
                     const std::vector<PatchResult>& results) {
  Frame frame = empty_frame(inputs);
  for (std::size_t p = 0; p < patches.size(); ++p) place_patch(patches[p], results[p], frame);
  flag_bins(inputs, patches, results, frame);
  return frame;
}

Frame take_frame(const ExtractInputs& inputs, const std::vector<Patch>& patches,
                 Extracted& extracted) {
  if (!extracted.frame) return assemble_frame(inputs, patches, extracted.patches);
  Frame frame = *std::move(extracted.frame);
  flag_bins(inputs, patches, extracted.patches, frame);
  return frame;
}

ModelImage assemble_model(int nx, int ny, const std::vector<PatchResult>& results) {
  ModelImage model{nx, ny, {}};
  model.value.assign(count_of(nx, ny), 0.0);
  for (const PatchResult& result : results) {
    if (result.model.empty()) continue;
    const double* from = result.model.data();
    for (int y = result.y0; y < result.y1; ++y) {
      double* const row = model.value.data() + count_of(y, nx);
      for (int x = result.x0; x < result.x1; ++x) row[x] += *from++;
    }
  }
  return model;
}

std::vector<std::uint32_t> rejected_pixels(const std::vector<PatchResult>& results) {
  std::vector<std::uint32_t> places;
  for (const PatchResult& result : results)
    places.insert(places.end(), result.rejected.begin(), result.rejected.end());
  std::ranges::sort(places);
  const auto repeated = std::ranges::unique(places);
  places.erase(repeated.begin(), repeated.end());
  return places;
}

PatchCounts count_patches_and_bins(const Frame& frame, const std::vector<PatchResult>& results) {
  PatchCounts counts = count_patches(results);
  counts.bins = static_cast<long>(frame.nbins());
  counts.dark = std::count(frame.ivar.begin(), frame.ivar.end(), 0.0);
  counts.overflowed = frame.overflowed;
  counts.beyond = frame.beyond;
  counts.pulled =
      std::ranges::count_if(frame.pulled, [](std::uint8_t pulled) { return pulled != 0; });
  return counts;
}

PatchCounts count_patches(const std::vector<PatchResult>& results) {
  PatchCounts counts;
  counts.patches = static_cast<int>(results.size());
  for (const PatchResult& result : results) {
    counts.guarded += result.status == PatchStatus::guarded ? 1 : 0;
    counts.fell_back += result.status == PatchStatus::fell_back ? 1 : 0;
    counts.failed += result.status == PatchStatus::failed ? 1 : 0;
    counts.direct +=
        result.frame == FrameSolution::direct || result.frame == FrameSolution::lifted ? 1 : 0;
    counts.rejecting += result.nrejected > 0 ? 1 : 0;
    counts.reject_rounds = std::max(counts.reject_rounds, result.reject_rounds);
  }
  counts.rejected_pixels = static_cast<long>(rejected_pixels(results).size());
  return counts;
}

}  // namespace spex
