#include "reference/psf/spots.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "reference/core/error.hpp"
#include "reference/core/parallel.hpp"
#include "reference/psf/legendre.hpp"
#include "reference/psf/spot.hpp"
#include "reference/psf/spot_lanes.hpp"

namespace spex {
namespace {

// Traces may leave the CCD, but a farther center means a broken file and would overflow an int.
constexpr double farthest_centre = 1e6;

double trace_value(const Trace& trace, int fiber, double lambda) {
  return legendre_sum(trace.coeff.data() + static_cast<std::ptrdiff_t>(fiber) * trace.ncoeff,
                      trace.ncoeff, legendre_variable(lambda, trace.wavemin, trace.wavemax));
}

}  // namespace

Centre spot_centre(const Psf& psf, int fiber, double lambda) {
  return {trace_value(psf.xtrace, fiber, lambda), trace_value(psf.ytrace, fiber, lambda)};
}

Centre checked_centre(const Psf& psf, int fiber, double lambda) {
  const Centre centre = spot_centre(psf, fiber, lambda);
  if (std::abs(centre.x) < farthest_centre && std::abs(centre.y) < farthest_centre) return centre;
  throw data_error("PSF",
                   fmt::format("fiber {} at {:.1f} Angstrom lies at pixel ({:g}, {:g})", fiber,
                               lambda, centre.x, centre.y),
                   "a center near the CCD");
}

void require_positive_widths(double sigma_x, double sigma_y, int fiber, double lambda) {
  if (sigma_x > 0 && sigma_y > 0) return;
  throw data_error("PSF",
                   fmt::format("fiber {} at {:.1f} Angstrom has widths GHSIGX {:g}, GHSIGY {:g}",
                               fiber, lambda, sigma_x, sigma_y),
                   "positive widths");
}

Spots make_spots(const Psf& psf, int nspec, int nwave) {
  Spots spots;
  spots.nspec = nspec;
  spots.nwave = nwave;
  spots.nx = psf.nx();
  spots.ny = psf.ny();
  const std::size_t nspots = count_of(nspec, nwave);
  spots.value.resize(nspots * count_of(spots.nx, spots.ny));
  spots.xc.resize(nspots);
  spots.yc.resize(nspots);
  return spots;
}

Spots evaluate_spots(const Psf& psf, int fiber, int nspec, const std::vector<double>& wave,
                     int threads) {
  Spots spots = make_spots(psf, nspec, static_cast<int>(wave.size()));
  const std::size_t spot_size = count_of(spots.nx, spots.ny);
  const SpotKernels& kernels = spot_kernels(instructions_in_use());
  parallel_for(threads, nspec, [&](int /*thread*/, int s) {
    const SpotModel model{spots.nx,
                          spots.ny,
                          psf.ghdegx,
                          psf.ghdegy,
                          psf.ncoeff,
                          psf.param.data() + count_of(fiber + s, psf.ncoeff),
                          static_cast<long>(psf.nfiber) * psf.ncoeff};
    AlignedDoubles room(static_cast<std::size_t>(model.room()));
    for (int first = 0; first < spots.nwave; first += spot_lanes) {
      const int count = std::min(spot_lanes, spots.nwave - first);
      SpotBins bins{};
      for (int k = 0; k < spot_lanes; ++k) {
        const double lambda = wave[std::min(first + k, spots.nwave - 1)];
        const Centre centre = checked_centre(psf, fiber + s, lambda);
        bins.u[k] = legendre_variable(lambda, psf.wavemin, psf.wavemax);
        bins.x[k] = centre.x;
        bins.y[k] = centre.y;
      }
      const std::size_t j = spots.index(s, first);
      kernels.spots_of_fiber(model, bins, count, room.data(), spots.value.data() + j * spot_size);
      for (int k = 0; k < count; ++k) {
        require_positive_widths(bins.sigma_x[k], bins.sigma_y[k], fiber + s, wave[first + k]);
        spots.xc[j + k] = spot_corner(bins.x[k], psf.hsizex);
        spots.yc[j + k] = spot_corner(bins.y[k], psf.hsizey);
      }
    }
  });
  return spots;
}

}  // namespace spex
