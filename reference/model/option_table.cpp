#include "reference/model/option_table.hpp"

#include <algorithm>
#include <array>

namespace spex {
namespace {

constexpr double no_limit = 1e100;
constexpr double max_number = 2147483647;  // of 32 bits
constexpr double max_bins = 5000;          // of a padded step: with 7 fibers N takes 10 GB
constexpr double min_rejection = 3;        // below, noise would be rejected
constexpr double max_rejection = 1000;

constexpr std::string_view what = "What to extract", how = "Algorithm", running = "Running";

// The place of a member of the options.
template <auto Member>
OptionValue in_options(OptionRequest& request) {
  return &(request.options.*Member);
}

// The place of a member of the request itself.
template <auto Member>
OptionValue in_request(OptionRequest& request) {
  return &(request.*Member);
}

using O = FrameOptions;
using R = OptionRequest;

constexpr std::array table{
    ExtractOption{.name = "wavelength",
                  .letter = "w",
                  .group = what,
                  .help = "Grid wmin,wmax,dw in Angstrom; default: b 3600,5800,0.8, "
                          "r 5760,7620,0.8, z 7520,9824,0.8, others the PSF's range in steps of "
                          "0.8",
                  .value = in_options<&O::wavelength>},
    ExtractOption{.name = "specmin",
                  .letter = "s",
                  .group = what,
                  .help = "First spectrum, counted from 0",
                  .value = in_options<&O::specmin>,
                  .min = 0,
                  .max = max_number},
    ExtractOption{.name = "nspec",
                  .letter = "n",
                  .group = what,
                  .help = "Number of spectra; default: all from --specmin",
                  .value = in_options<&O::nspec>,
                  .min = 1,
                  .max = max_number},
    ExtractOption{.name = "xyrange",
                  .letter = "",
                  .group = what,
                  .help = "The image is a cut-out of the CCD: xmin,xmax,ymin,ymax, columns xmin to "
                          "xmax - 1 and rows ymin to ymax - 1 from 0; default: the whole CCD, or "
                          "what specter's header says",
                  .value = in_options<&O::xyrange>},
    ExtractOption{.name = "bundlesize",
                  .letter = "",
                  .group = how,
                  .help = "Spectra in a bundle",
                  .value = in_options<&O::bundlesize>,
                  .min = 1,
                  .max = max_number,
                  .stated = Stated::always,
                  .keyword = "BUNDLESZ",
                  .comment = "fibers in a bundle"},
    ExtractOption{.name = "nsubbundles",
                  .letter = "",
                  .group = how,
                  .help = "Subbundles in a bundle; default: the milestone's, 1 of scalar",
                  .value = in_request<&R::nsubbundles>,
                  .min = 1,
                  .max = max_number,
                  .stated = Stated::always,
                  .keyword = "NSUBBUN",
                  .comment = "subbundles in a bundle"},
    ExtractOption{.name = "nwavestep",
                  .letter = "",
                  .group = how,
                  .help = "Wavelength bins in a patch",
                  .value = in_options<&O::nwavestep>,
                  .min = 1,
                  .max = max_bins,
                  .stated = Stated::always,
                  .keyword = "NWAVESTP",
                  .comment = "wavelength bins in a patch"},
    ExtractOption{.name = "wavepad",
                  .letter = "",
                  .group = how,
                  .help = "Wavelength bins of padding on each side of a patch",
                  .value = in_options<&O::wavepad>,
                  .min = 0,
                  .max = max_bins,
                  .stated = Stated::always,
                  .keyword = "WAVEPAD",
                  .comment = "wavelength bins of padding"},
    ExtractOption{.name = "pixpad_frac",
                  .letter = "",
                  .group = how,
                  .help = "Fraction of the padding's pixel rows to use",
                  .value = in_options<&O::pixpad_frac>,
                  .min = 0,
                  .max = 1,
                  .stated = Stated::always,
                  .keyword = "PIXPADFR",
                  .comment = "pixel padding fraction"},
    ExtractOption{.name = "wavepad_frac",
                  .letter = "",
                  .group = how,
                  .help = "Relative extension of --wavepad",
                  .value = in_options<&O::wavepad_frac>,
                  .min = 0,
                  .max = 1,
                  .stated = Stated::always,
                  .keyword = "WAVPADFR",
                  .comment = "wavelength padding fraction"},
    ExtractOption{.name = "regularize",
                  .letter = "r",
                  .group = how,
                  .help = "Regularization amount",
                  .value = in_options<&O::regularize>,
                  .min = 0,
                  .max = no_limit,
                  .stated = Stated::always,
                  .keyword = "REGULARZ",
                  .comment = "regularization"},
    ExtractOption{.name = "psferr",
                  .letter = "",
                  .group = how,
                  .help = "Fractional error of the PSF model, for CHI2PIX; default: from the PSF "
                          "file",
                  .value = in_options<&O::psferr>,
                  .min = 0,
                  .max = no_limit,
                  .stated = Stated::always,
                  .keyword = "PSFERR",
                  .comment = "fractional PSF error"},
    ExtractOption{.name = "mask_bits",
                  .letter = "",
                  .group = how,
                  .help = "Bits of MASK that reject a pixel: a number, or all; the default is "
                          "without BADREADNOISE (256)",
                  .value = in_options<&O::mask_bits>,
                  .stated = Stated::always,
                  .keyword = "MASKBITS",
                  .comment = "pixel mask bits rejected"},
    ExtractOption{.name = "decorrelate",
                  .letter = "",
                  .group = how,
                  .help = "What to decorrelate: signal or noise",
                  .value = in_options<&O::decorrelate>,
                  .stated = Stated::always,
                  .keyword = "DECORREL",
                  .comment = "decorrelation"},
    ExtractOption{.name = "method",
                  .letter = "",
                  .group = how,
                  .help = "Linear algebra: eigh or cholesky; default: the milestone's",
                  .value = in_request<&R::method>,
                  .stated = Stated::always,
                  .keyword = "METHOD",
                  .comment = "linear algebra method"},
    ExtractOption{.name = "milestone",
                  .letter = "",
                  .group = running,
                  .help = "Implementation",
                  .value = in_request<&R::milestone>,
                  .stated = Stated::always,
                  .keyword = "MILESTNE",
                  .comment = "milestone"},
    ExtractOption{.name = "chi2_pixels",
                  .letter = "",
                  .group = how,
                  .help = "Pixels that CHI2PIX counts: weighted (all), or bright (positive model), "
                          "like production on GPUs",
                  .value = in_options<&O::chi2_pixels>,
                  .stated = Stated::if_changed,
                  .keyword = "CHI2PIXL",
                  .comment = "pixels that CHI2PIX counts"},
    ExtractOption{.name = "bad2dfit",
                  .letter = "",
                  .group = how,
                  .help = "Bins that MASK flags BAD2DFIT: relative (to the medians of chi2pix), or "
                          "chi2 (above 100), like production before desispec 0.71",
                  .value = in_options<&O::bad2dfit>,
                  .stated = Stated::if_changed,
                  .keyword = "BAD2DFIT",
                  .comment = "rule of BAD2DFIT in MASK"},
    ExtractOption{.name = "ndiag",
                  .letter = "",
                  .group = how,
                  .help = "Diagonals of RESOLUTION on each side of the main one, at most the "
                          "padding bins; default: HSIZEY of the PSF",
                  .value = in_options<&O::ndiag>,
                  .min = 1,
                  .max = max_bins,
                  .stated = Stated::if_changed,
                  .keyword = "NDIAG",
                  .comment = "diagonals beside the main one"},
    ExtractOption{.name = "psf_tails",
                  .letter = "",
                  .group = how,
                  .help =
                      "Rows TAIL* of the PSF: off (ignored, like production), or on (part of the "
                      "spots; not on a GPU)",
                  .value = in_options<&O::psf_tails>,
                  .stated = Stated::if_changed,
                  .keyword = "PSFTAILS",
                  .comment = "tails of the PSF are used"},
    ExtractOption{.name = "flux",
                  .letter = "",
                  .group = how,
                  .help = "patch: each patch separately, like production; frame: the whole frame, "
                          "without seams between patches",
                  .value = in_options<&O::flux>,
                  .stated = Stated::if_changed,
                  .keyword = "FLUXSOLV",
                  .comment = "flux of the whole frame, not of patches"},
    ExtractOption{.name = "reject_pixels",
                  .letter = "",
                  .group = how,
                  .help = "Reject pixels that exceed the model by this many sigmas, such as cosmic "
                          "rays without a mask; default: none",
                  .value = in_options<&O::reject_pixels>,
                  .min = min_rejection,
                  .max = max_rejection,
                  .stated = Stated::if_changed,
                  .keyword = "REJSIGMA",
                  .comment = "sigmas at which a pixel is rejected"},
};

}  // namespace

std::string ExtractOption::flag() const {
  std::string text = "--" + std::string(name);
  std::ranges::replace(text, '_', '-');
  return text;
}

OptionRequest request_of(const FrameOptions& options) {
  return {options, options.nsubbundles, options.method, options.milestone};
}

std::span<const ExtractOption> extract_options() {
  return table;
}

const ExtractOption* find_option(std::string_view name) {
  const auto found = std::ranges::find_if(
      table, [&](const ExtractOption& one) { return one.name == name || one.flag() == name; });
  return found == table.end() ? nullptr : &*found;
}

}  // namespace spex
