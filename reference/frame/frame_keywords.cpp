#include "reference/frame/frame_keywords.hpp"

#include <algorithm>
#include <cstdint>

#include "reference/core/version.hpp"

namespace spex {
namespace {

// FIBER of the first extracted spectrum: the fibermap's, else the PSF's FIBERMIN on.
long long first_fiber(const ExtractInputs& inputs, const Fibermap& fibermap) {
  const int specmin = inputs.options.specmin;
  std::vector<std::int64_t> fiber = fibermap.fiber;
  std::sort(fiber.begin(), fiber.end());
  return specmin < static_cast<int>(fiber.size()) ? fiber[specmin] : inputs.psf->fibermin + specmin;
}

}  // namespace

std::vector<HeaderKeyword> frame_keywords(const Provenance& provenance, const ExtractInputs& inputs,
                                          const Fibermap& fibermap, const PatchCounts& counts) {
  const ExtractOptions& o = inputs.options;
  const WaveGrid& grid = inputs.grid;
  const auto number = [](auto value) { return static_cast<long long>(value); };
  std::vector<HeaderKeyword> keywords = {
      {"NSPEC", number(o.nspec_of(inputs.psf->nfiber)), "number of spectra"},
      {"WAVEMIN", grid.at(0), "[Angstrom] first wavelength"},
      {"WAVEMAX", grid.at(grid.nwave - 1), "[Angstrom] last wavelength"},
      {"WAVESTEP", grid.dw, "[Angstrom] wavelength step"},
      {"SPECMIN", number(o.specmin), "first spectrum, counted in the PSF"},
      {"FIBERMIN", first_fiber(inputs, fibermap), "first fiber"},
      {"IN_PSF", provenance.psf, "PSF file"},
      {"IN_IMG", provenance.image, "image file"},
      {"ORIG_PSF", inputs.psf->in_psf, "IN_PSF of the PSF file"},
      {"BUNDLESZ", number(o.bundlesize), "fibers in a bundle"},
      {"NSUBBUN", number(o.nsubbundles), "subbundles in a bundle"},
      {"NWAVESTP", number(o.nwavestep), "wavelength bins in a patch"},
      {"WAVEPAD", number(o.wavepad), "wavelength bins of padding"},
      {"PIXPADFR", o.pixpad_frac, "pixel padding fraction"},
      {"WAVPADFR", o.wavepad_frac, "wavelength padding fraction"},
      {"REGULARZ", o.regularize, "regularization"},
      {"PSFERR", inputs.psferr(), "fractional PSF error"},
      {"MASKBITS", number(o.mask_bits), "pixel mask bits rejected"},
      {"DECORREL", to_string(o.decorrelate), "decorrelation"},
      {"METHOD", to_string(o.method), "linear algebra method"},
      {"MILESTNE", to_string(o.milestone), "milestone"},
      {"SPEXPROG", provenance.program, "program that made this file"},
      {"SPEXVERS", version(), "and its version"},
      {"NPATCH", number(counts.patches), "patches extracted"},
      {"NGUARD", number(counts.guarded), "patches solved as a whole by the guard"},
      {"NFALLBCK", number(counts.fell_back), "patches that fell back to eigh"},
      {"NFAILED", number(counts.failed), "patches that could not be solved"},
  };
  // Only where it is not the default, whose files stay as they are.
  if (o.flux == FluxSolver::frame) {
    keywords.push_back({"FLUXSOLV", to_string(o.flux), "flux of the whole frame, not of patches"});
    keywords.push_back(
        {"NDIRECT", number(counts.direct), "patches whose flux was solved directly"});
  }
  return keywords;
}

}  // namespace spex
