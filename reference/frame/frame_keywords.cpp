#include "reference/frame/frame_keywords.hpp"

#include <cstdint>
#include <optional>

#include <fmt/format.h>

#include "reference/core/version.hpp"
#include "reference/fits/header_cards.hpp"

namespace spex {
namespace {

// FIBER of the first extracted spectrum: that of its fibermap row, which may be another with
// --fibermap-by-row.
long long stated_fiber(const FrameInputs& inputs, const ExtractOptions& options) {
  const std::vector<std::int64_t>& fiber = inputs.preproc.fibermap.fiber;
  return fiber.empty() ? first_fiber_of(inputs, options) : fiber.front();
}

std::string numbered(const char* stem, int number) {
  return fmt::format("{}{:02}", stem, number);
}

}  // namespace

std::vector<HeaderKeyword> dependency_keywords(const std::vector<std::string>& cards) {
  constexpr int most = 100;
  std::vector<std::string> names;  // index: number of the keyword; empty: free
  for (int number = 0; number < most; ++number)
    names.push_back(card_text(cards, numbered("DEPNAM", number)).value_or(""));
  std::vector<HeaderKeyword> keywords;
  for (const Dependency& dependency : dependencies()) {
    auto place = std::ranges::find(names, dependency.name);
    if (place == names.end()) place = std::ranges::find(names, std::string());
    if (place == names.end()) break;
    *place = dependency.name;
    const auto number = static_cast<int>(place - names.begin());
    keywords.push_back({numbered("DEPNAM", number), dependency.name, ""});
    keywords.push_back({numbered("DEPVER", number), dependency.version, ""});
  }
  return keywords;
}

const std::set<std::string>& own_keywords() {
  static const std::set<std::string> names{
      "SPECMIN",  "BUNDLESZ", "NSUBBUN",  "NWAVESTP", "WAVEPAD",  "PIXPADFR", "WAVPADFR",
      "REGULARZ", "PSFERR",   "MASKBITS", "DECORREL", "METHOD",   "MILESTNE", "SPEXPROG",
      "SPEXVERS", "NPATCH",   "NGUARD",   "NFALLBCK", "NFAILED",  "NDARK",    "CHI2PIXL",
      "BAD2DFIT", "FLUXSOLV", "NDIRECT",  "NOVERFLW", "FIBBYROW", "NFIBDIFF", "NOMASK"};
  return names;
}

std::vector<HeaderKeyword> frame_keywords(const Provenance& provenance, const FrameInputs& inputs,
                                          const ExtractOptions& options,
                                          const PatchCounts& counts) {
  const ExtractOptions& o = options;
  const auto number = [](auto value) { return static_cast<long long>(value); };
  std::vector<HeaderKeyword> keywords{
      {"NSPEC", number(o.nspec_of(inputs.psf.nfiber)), "number of spectra"},
      {"WAVEMIN", inputs.wavelength.wmin, "[Angstrom] first wavelength"},
      {"WAVEMAX", inputs.wavelength.wmax, "[Angstrom] last wavelength, as asked for"},
      {"WAVESTEP", inputs.wavelength.dw, "[Angstrom] wavelength step"},
      {"SPECMIN", number(o.specmin), "first spectrum, counted in the PSF"},
      {"FIBERMIN", stated_fiber(inputs, o), "first fiber"},
      {"SPECTER", "spexbench " + version(), "what extracted these spectra"},
      {"IN_PSF", provenance.psf, "PSF file"},
      {"IN_IMG", provenance.image, "image file"},
      {"BUNDLESZ", number(o.bundlesize), "fibers in a bundle"},
      {"NSUBBUN", number(o.nsubbundles), "subbundles in a bundle"},
      {"NWAVESTP", number(o.nwavestep), "wavelength bins in a patch"},
      {"WAVEPAD", number(o.wavepad), "wavelength bins of padding"},
      {"PIXPADFR", o.pixpad_frac, "pixel padding fraction"},
      {"WAVPADFR", o.wavepad_frac, "wavelength padding fraction"},
      {"REGULARZ", o.regularize, "regularization"},
      {"PSFERR", o.psferr.value_or(inputs.psf.psferr), "fractional PSF error"},
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
      {"NDARK", number(counts.dark), "bins without a usable pixel"},
  };
  // The following only where they say something, so that default files do not change.
  if (o.chi2_pixels != ExtractOptions().chi2_pixels)
    keywords.push_back({"CHI2PIXL", to_string(o.chi2_pixels), "pixels that CHI2PIX counts"});
  if (o.bad2dfit != ExtractOptions().bad2dfit)
    keywords.push_back({"BAD2DFIT", to_string(o.bad2dfit), "rule of BAD2DFIT in MASK"});
  if (o.flux == FluxSolver::frame) {
    keywords.push_back({"FLUXSOLV", to_string(o.flux), "flux of the whole frame, not of patches"});
    keywords.push_back(
        {"NDIRECT", number(counts.direct), "patches whose flux was solved directly"});
  }
  const auto if_any = [&](const char* name, auto count, const char* comment) {
    if (count > 0) keywords.push_back({name, number(count), comment});
  };
  if_any("NOVERFLW", counts.overflowed, "bins beyond float32, flagged NODATA");
  if (inputs.fibermap_by_row) {
    keywords.push_back({"FIBBYROW", true, "FIBERMAP rows were taken by place"});
    keywords.push_back({"NFIBDIFF", number(other_fibers(inputs, o)), "rows of another fiber"});
  }
  if (!inputs.preproc.has_mask)
    keywords.push_back({"NOMASK", true, "the image has no MASK: all pixels are good"});
  if_any("NBEYOND", counts.beyond, "bins beyond the wavelengths of the PSF");
  if_any("NPULLED", counts.pulled, "bins that the prior pulls");
  if_any("NPSFFAIL", counts.failed_fit, "fibers whose PSF has a STATUS other than 0");
  if_any("NPSFNFIT", counts.unfitted, "fibers in bundles whose PSF was not fitted");
  if_any("NPSFTAIL", counts.tails, "fibers whose PSF has tails, ignored");
  if (!inputs.psf.in_psf.empty())
    keywords.push_back({"ORIG_PSF", inputs.psf.in_psf, "IN_PSF of the PSF file"});
  if (inputs.heliocor != 1) keywords.push_back({"HELIOCOR", inputs.heliocor, ""});
  const std::vector<HeaderKeyword> used = dependency_keywords(inputs.preproc.cards);
  keywords.insert(keywords.end(), used.begin(), used.end());
  return keywords;
}

}  // namespace spex
