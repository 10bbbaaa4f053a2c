#include "reference/layout/check_coverage.hpp"

#include <fmt/format.h>

#include "reference/core/error.hpp"

namespace spex {
namespace {

bool touches_ccd(const Psf& psf, int fiber, double lambda) {
  const Centre centre = spot_centre(psf, fiber, lambda);
  return centre.x > -psf.hsizex - 1 && centre.x < psf.npix_x + psf.hsizex &&
         centre.y > -psf.hsizey - 1 && centre.y < psf.npix_y + psf.hsizey;
}

}  // namespace

void check_coverage(const Psf& psf, const WaveGrid& grid, const std::vector<Patch>& patches,
                    const std::string& psf_file) {
  for (const Patch& patch : patches)
    for (int s = 0; s < patch.nspec; ++s)
      for (int w = 0; w < patch.nkept; ++w)
        if (touches_ccd(psf, patch.spec_first + s, grid.at(patch.wave_first + w))) return;
  const double first = grid.at(0);
  const double last = grid.at(grid.nwave - 1);
  if (first >= psf.ytrace.wavemin && last <= psf.ytrace.wavemax)
    throw data_error(
        psf_file,
        fmt::format("the traces lie outside of the CCD from {:g} to {:g} Angstrom", first, last),
        fmt::format("centres on {} x {} pixels", psf.npix_x, psf.npix_y));
  throw usage_error(
      "--wavelength", fmt::format("{:g} to {:g} Angstrom lies outside of the CCD", first, last),
      fmt::format("wavelengths within {:g} to {:g}", psf.ytrace.wavemin, psf.ytrace.wavemax));
}

}  // namespace spex
