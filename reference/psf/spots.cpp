#include "reference/psf/spots.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "reference/core/error.hpp"
#include "reference/core/parallel.hpp"
#include "reference/psf/legendre.hpp"
#include "reference/psf/spot.hpp"

namespace spex {
namespace {

// Traces may leave the CCD, but a centre this far away is a broken file, and would overflow an int.
constexpr double farthest_centre = 1e6;

double trace_value(const Trace& trace, int fiber, double lambda) {
  return legendre_sum(trace.coeff.data() + static_cast<std::ptrdiff_t>(fiber) * trace.ncoeff,
                      trace.ncoeff, legendre_variable(lambda, trace.wavemin, trace.wavemax));
}

// Scratch of one thread.
struct SpotWorkspace {
  std::vector<double> P, E, Px, Py, g, row;
  explicit SpotWorkspace(const Psf& psf)
      : P(psf.ncoeff),
        E((std::max(psf.ghdegx, psf.ghdegy) + 1) * (std::max(psf.nx(), psf.ny()) + 1)),
        Px((psf.ghdegx + 1) * psf.nx()),
        Py((psf.ghdegy + 1) * psf.ny()),
        g((psf.ghdegx + 1) * (psf.ghdegy + 1)),
        row((psf.ghdegy + 1) * psf.nx()) {}
};

}  // namespace

Centre spot_centre(const Psf& psf, int fiber, double lambda) {
  return {trace_value(psf.xtrace, fiber, lambda), trace_value(psf.ytrace, fiber, lambda)};
}

Spots evaluate_spots(const Psf& psf, int fiber, int nspec, const std::vector<double>& wave,
                     int threads) {
  Spots spots;
  spots.nspec = nspec;
  spots.nwave = static_cast<int>(wave.size());
  spots.nx = psf.nx();
  spots.ny = psf.ny();
  const std::size_t nspots = static_cast<std::size_t>(nspec) * wave.size();
  const std::size_t spot_size = spots.nx * spots.ny;
  spots.value.resize(nspots * spot_size);
  spots.xc.resize(nspots);
  spots.yc.resize(nspots);

  parallel_for(threads, nspec, [&](int /*thread*/, int s) {
    SpotWorkspace work(psf);
    for (int w = 0; w < spots.nwave; ++w) {
      const double lambda = wave[w];
      const double u = legendre_variable(lambda, psf.wavemin, psf.wavemax);
      legendre_values(psf.ncoeff, u, work.P.data());
      auto parameter = [&](int p) {
        const auto first = static_cast<std::ptrdiff_t>(p * psf.nfiber + fiber + s) * psf.ncoeff;
        return legendre_series(psf.param.data() + first, psf.ncoeff, work.P.data());
      };
      const Centre centre = spot_centre(psf, fiber + s, lambda);
      const double sigma_x = parameter(0);
      const double sigma_y = parameter(1);
      if (!(std::abs(centre.x) < farthest_centre) || !(std::abs(centre.y) < farthest_centre))
        throw data_error("PSF",
                         fmt::format("fiber {} at {:.1f} Angstrom lies at pixel ({:g}, {:g})",
                                     fiber + s, lambda, centre.x, centre.y),
                         "a centre near the CCD");
      if (!(sigma_x > 0) || !(sigma_y > 0))
        throw data_error(
            "PSF",
            fmt::format("fiber {} at {:.1f} Angstrom has widths GHSIGX {:g}, GHSIGY {:g}",
                        fiber + s, lambda, sigma_x, sigma_y),
            "positive widths");
      for (std::size_t k = 0; k < work.g.size(); ++k)
        work.g[k] = parameter(2 + static_cast<int>(k));

      pixel_integrals(centre.x, sigma_x, spots.nx, psf.ghdegx, work.E.data(), work.Px.data());
      pixel_integrals(centre.y, sigma_y, spots.ny, psf.ghdegy, work.E.data(), work.Py.data());
      const std::size_t j = spots.index(s, w);
      spot_values(work.Px.data(), psf.ghdegx, spots.nx, work.Py.data(), psf.ghdegy, spots.ny,
                  work.g.data(), work.row.data(), spots.value.data() + j * spot_size);
      spots.xc[j] = spot_corner(centre.x, psf.hsizex);
      spots.yc[j] = spot_corner(centre.y, psf.hsizey);
    }
  });
  return spots;
}

}  // namespace spex
