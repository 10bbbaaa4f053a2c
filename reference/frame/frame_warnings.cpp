#include "reference/frame/frame_warnings.hpp"

#include <fmt/format.h>

#include "reference/extract/reject_pixels.hpp"

namespace spex {

std::vector<std::string> warnings_of(const PatchCounts& counts) {
  std::vector<std::string> lines;
  const auto warn = [&](bool unusual, const std::string& line) {
    if (unusual) lines.push_back(line);
  };
  // Usually a few percent with the camera's default range.
  constexpr double usually_dark = 0.25;
  const auto dark = static_cast<double>(counts.dark), bins = static_cast<double>(counts.bins);
  warn(dark > usually_dark * bins,
       fmt::format("{:.0f}% of {} bins have no usable pixel: their flux and ivar are 0",
                   100.0 * dark / bins, counts.bins));
  warn(counts.overflowed > 0,
       fmt::format("{} bins are beyond the range of float32 and are flagged NODATA",
                   counts.overflowed));
  warn(counts.other_fibers > 0,
       fmt::format("{} spectra have the FIBERMAP row of another fiber (--fibermap-by-row)",
                   counts.other_fibers));
  warn(counts.fell_back > 0,
       fmt::format("{} of {} patches fell back to eigh", counts.fell_back, counts.patches));
  warn(counts.failed > 0, fmt::format("{} of {} patches could not be solved and are flagged NODATA",
                                      counts.failed, counts.patches));
  warn(counts.beyond > 0,
       fmt::format("{} bins lie beyond the wavelengths of the PSF and are flagged NODATA",
                   counts.beyond));
  warn(counts.pulled > 0,
       fmt::format("the prior pulls the flux of {} bins, because a pixel weighs too much: they are "
                   "flagged BAD2DFIT",
                   counts.pulled));
  warn(counts.failed_fit > 0,
       fmt::format("the fit of the PSF failed for {} fibers (STATUS)", counts.failed_fit));
  warn(counts.unfitted > 0,
       fmt::format("{} fibers are in bundles whose PSF was not fitted (BnnRCHI2 is 0)",
                   counts.unfitted));
  warn(counts.tails > 0,
       fmt::format("the PSF of {} fibers has tails (TAILAMP), which are ignored", counts.tails));
  warn(counts.reject_rounds == reject_bounds::max_rounds,
       fmt::format("the rejection of pixels ended after its maximum of {} rounds: some may be left",
                   reject_bounds::max_rounds));
  return lines;
}

}  // namespace spex
