#include "reference/layout/check_coverage.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "reference/core/count.hpp"
#include "reference/core/error.hpp"

namespace spex {
namespace {

// Whether a lit spot of this fiber has a pixel on the CCD, or lies no more than a pixel off it.
bool touches_ccd(const Psf& psf, const FiberLight& light, int fiber, double lambda) {
  const SpotShape spot = spot_shape(psf, fiber, lambda);
  const auto [x, y] = spot.center;
  return light.state(lambda, spot) != SpotState::dark && x > -psf.hsizex - 1 &&
         x < psf.npix_x + psf.hsizex && y > -psf.hsizey - 1 && y < psf.npix_y + psf.hsizey;
}

// The fibers and bins of some patches, with padding.
struct BinRange {
  int spec_first, spec_last, wave_first, wave_last;
};
BinRange range_of(const std::vector<Patch>& patches) {
  const Patch& one = patches.front();
  BinRange range{one.padded_spec_first(), 0, one.padded_wave_first(), one.padded_wave_first()};
  for (const Patch& patch : patches) {
    range.spec_first = std::min(range.spec_first, patch.padded_spec_first());
    range.spec_last = std::max(range.spec_last, patch.padded_spec_first() + patch.padded_nspec());
    range.wave_first = std::min(range.wave_first, patch.padded_wave_first());
    range.wave_last = std::max(range.wave_last, patch.padded_wave_first() + patch.padded_nwave());
  }
  return range;
}

// At the PSF's own wavelengths |P_d| <= 1. So most fibers cannot be broken whatever the wavelength.
bool cannot_be_broken(const Psf& psf, int fiber) {
  const auto sum = [](const double* c, int begin, int n) {
    double size = 0;
    for (int d = begin; d < n; ++d) size += std::abs(c[d]);
    return size;
  };
  for (const Trace* trace : {&psf.xtrace, &psf.ytrace})
    if (!(sum(trace->coeff.data() + count_of(fiber, trace->ncoeff), 0, trace->ncoeff) <
          farthest_center))
      return false;
  for (const double* width : width_coefficients(psf, fiber))
    if (!(width[0] > sum(width, 1, psf.ncoeff))) return false;
  return true;
}

}  // namespace

void check_coverage(const Psf& psf, const WaveGrid& grid, const std::vector<Patch>& patches,
                    const std::string& psf_file) {
  const double first = grid.at(0);
  const double last = grid.at(grid.nwave - 1);
  for (const Patch& patch : patches)
    for (int s = patch.spec_first; s < patch.spec_first + patch.nspec; ++s) {
      const FiberLight light(psf, s, first, last);
      for (int w = 0; w < patch.nkept; ++w)
        if (touches_ccd(psf, light, s, grid.at(patch.wave_first + w))) return;
    }
  if (first >= psf.ytrace.wavemin && last <= psf.ytrace.wavemax)
    throw data_error(
        psf_file,
        fmt::format("the traces lie outside of the CCD from {:g} to {:g} Angstrom", first, last),
        fmt::format("centers on {} x {} pixels", psf.npix_x, psf.npix_y));
  throw usage_error(
      "--wavelength", fmt::format("{:g} to {:g} Angstrom lies outside of the CCD", first, last),
      fmt::format("wavelengths within {:g} to {:g}", psf.ytrace.wavemin, psf.ytrace.wavemax));
}

void check_spots(const Psf& psf, const WaveGrid& grid, const WaveGrid& stated,
                 const std::vector<Patch>& patches, int beyond, const std::string& psf_file) {
  const BinRange range = range_of(patches);
  const int last = std::min(range.spec_last + beyond, psf.nfiber);
  for (int s = std::max(range.spec_first - beyond, 0); s < last; ++s) {
    if (cannot_be_broken(psf, s)) continue;
    const FiberLight light(psf, s, grid.at(range.wave_first), grid.at(range.wave_last - 1));
    for (int w = range.wave_first; w < range.wave_last; ++w) {
      const SpotShape spot = spot_shape(psf, s, grid.at(w));
      if (light.state(grid.at(w), spot) != SpotState::broken) continue;
      const int nearest = std::clamp(w, 0, grid.nwave - 1);
      std::string where = fmt::format("{:.1f} Angstrom", stated.at(nearest));
      if (nearest != w)
        where = fmt::format("{:.1f} Angstrom, in the padding of {}", stated.at(w), where);
      throw broken_spot(psf_file, s, where, spot);
    }
  }
}

}  // namespace spex
