#include "reference/frame/assemble_frame.hpp"

#include <algorithm>

#include "reference/core/median.hpp"
#include "reference/model/mask_bits.hpp"

namespace spex {
namespace {

constexpr double bad_fit_factor = 5;

Frame empty_frame(const ExtractInputs& inputs) {
  Frame frame;
  frame.specmin = inputs.options.specmin;
  frame.nspec = inputs.options.nspec_of(inputs.psf->nfiber);
  frame.nwave = inputs.grid.nwave;
  frame.ndiag = inputs.psf->ndiag();
  frame.dw = inputs.grid.dw;
  frame.wave = inputs.grid.range(0, frame.nwave);
  frame.flux.assign(frame.nbins(), 0.0);
  frame.ivar.assign(frame.nbins(), 0.0);
  frame.mask.assign(frame.nbins(), 0);
  frame.chi2pix.assign(frame.nbins(), 0.0);
  frame.pixmask_fraction.assign(frame.nbins(), 1.0);
  frame.resolution.assign(frame.nbins() * static_cast<std::size_t>(frame.ndiagonals()), 0.0);
  return frame;
}

std::uint32_t mask_of(double pixmask_fraction, PatchStatus status) {
  std::uint32_t mask = 0;
  if (pixmask_fraction > 0.5) mask |= specmask::SOMEBADPIX;
  if (pixmask_fraction > 1 - 1e-6) mask |= specmask::ALLBADPIX;
  if (status == PatchStatus::failed) mask |= specmask::NODATA;
  return mask;
}

// Core spectrum s of a patch becomes spectrum `to` of the frame.
void place_spectrum(const Patch& patch, const PatchResult& result, int s, int to, Frame& frame) {
  const auto nwave = static_cast<std::size_t>(result.nwave);
  const std::size_t from = static_cast<std::size_t>(s) * nwave;
  const std::size_t at = static_cast<std::size_t>(to) * static_cast<std::size_t>(frame.nwave) +
                         static_cast<std::size_t>(patch.wave_first);
  for (std::size_t w = 0; w < nwave; ++w) {
    frame.flux[at + w] = result.flux[from + w] / frame.dw;
    frame.ivar[at + w] = result.ivar[from + w] * frame.dw * frame.dw;
    frame.chi2pix[at + w] = result.chi2pix[from + w];
    frame.pixmask_fraction[at + w] = result.pixmask_fraction[from + w];
    frame.mask[at + w] = mask_of(result.pixmask_fraction[from + w], result.status);
  }
  const auto ndiagonals = static_cast<std::size_t>(frame.ndiagonals());
  for (std::size_t d = 0; d < ndiagonals; ++d) {
    const double* row =
        result.resolution.data() + (static_cast<std::size_t>(s) * ndiagonals + d) * nwave;
    std::copy(row, row + nwave,
              frame.resolution.data() +
                  (static_cast<std::size_t>(to) * ndiagonals + d) *
                      static_cast<std::size_t>(frame.nwave) +
                  static_cast<std::size_t>(patch.wave_first));
  }
}

}  // namespace

Frame assemble_frame(const ExtractInputs& inputs, const std::vector<Patch>& patches,
                     const std::vector<PatchResult>& results) {
  Frame frame = empty_frame(inputs);
  for (std::size_t p = 0; p < patches.size(); ++p)
    for (int s = 0; s < results[p].nspec; ++s) {
      const int to = patches[p].spec_first + s - frame.specmin;
      if (to >= 0 && to < frame.nspec) place_spectrum(patches[p], results[p], s, to, frame);
    }
  flag_bad_2d_fits(frame);
  return frame;
}

ModelImage assemble_model(int nx, int ny, const std::vector<PatchResult>& results) {
  ModelImage model{nx, ny, {}};
  model.value.assign(static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny), 0.0);
  for (const PatchResult& result : results) {
    if (result.model.empty()) continue;
    const double* from = result.model.data();
    for (int y = result.y0; y < result.y1; ++y)
      for (int x = result.x0; x < result.x1; ++x)
        model.value[static_cast<std::size_t>(y) * static_cast<std::size_t>(nx) +
                    static_cast<std::size_t>(x)] += *from++;
  }
  return model;
}

PatchCounts count_patches(const std::vector<PatchResult>& results) {
  PatchCounts counts;
  counts.patches = static_cast<int>(results.size());
  for (const PatchResult& result : results) {
    counts.guarded += result.status == PatchStatus::guarded ? 1 : 0;
    counts.fell_back += result.status == PatchStatus::fell_back ? 1 : 0;
    counts.failed += result.status == PatchStatus::failed ? 1 : 0;
  }
  return counts;
}

void flag_bad_2d_fits(Frame& frame) {
  const auto nspec = static_cast<std::size_t>(frame.nspec);
  const auto nwave = static_cast<std::size_t>(frame.nwave);
  std::vector<double> at_wavelength(nwave);
  std::vector<double> column(nspec);
  for (std::size_t w = 0; w < nwave; ++w) {
    for (std::size_t s = 0; s < nspec; ++s) column[s] = frame.chi2pix[s * nwave + w];
    at_wavelength[w] = median(column);
  }
  for (std::size_t s = 0; s < nspec; ++s) {
    const auto row = frame.chi2pix.begin() + static_cast<std::ptrdiff_t>(s * nwave);
    const double of_fiber = median({row, row + static_cast<std::ptrdiff_t>(nwave)});
    for (std::size_t w = 0; w < nwave; ++w) {
      const double chi2 = frame.chi2pix[s * nwave + w];
      if (chi2 > bad_fit_factor * at_wavelength[w] && chi2 > bad_fit_factor * of_fiber)
        frame.mask[s * nwave + w] |= specmask::BAD2DFIT;
    }
  }
}

}  // namespace spex
