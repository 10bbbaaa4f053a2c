#include "reference/psf/spots.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "reference/core/error.hpp"
#include "reference/core/parallel.hpp"
#include "reference/psf/legendre.hpp"
#include "reference/psf/spot.hpp"
#include "reference/psf/spot_lanes.hpp"

namespace spex {

namespace {

Spots make_corners(const Psf& psf, int nspec, int nwave) {
  Spots spots;
  spots.nspec = nspec;
  spots.nwave = nwave;
  spots.nx = psf.nx();
  spots.ny = psf.ny();
  spots.xc.resize(count_of(nspec, nwave));
  spots.yc.resize(count_of(nspec, nwave));
  return spots;
}

}  // namespace

Spots make_spots(const Psf& psf, int nspec, int nwave) {
  Spots spots = make_corners(psf, nspec, nwave);
  spots.value.resize(spots.xc.size() * count_of(spots.nx, spots.ny));
  return spots;
}

FiberLight light_of(const Psf& psf, int fiber, const std::vector<double>& wave) {
  if (wave.empty()) return {psf, fiber, psf.wavemin, psf.wavemax};
  const auto [from, to] = std::ranges::minmax(wave);
  return {psf, fiber, from, to};
}

bool place_spot(const Psf& psf, const FiberLight& light, int fiber, double lambda,
                const SpotShape& spot, int s, int w, Spots& spots) {
  const SpotState state = light.state(lambda, spot);
  if (state == SpotState::broken)
    throw broken_spot("PSF", fiber, fmt::format("{:.1f} Angstrom", lambda), spot);
  const bool lit = state == SpotState::lit;
  const std::size_t j = spots.index(s, w);
  spots.xc[j] = lit ? spot_corner(spot.center.x, psf.hsizex) : dark_corner;
  spots.yc[j] = lit ? spot_corner(spot.center.y, psf.hsizey) : dark_corner;
  return lit;
}

Spots place_spots(const Psf& psf, int fiber, int nspec, const std::vector<double>& wave) {
  Spots spots = make_corners(psf, nspec, static_cast<int>(wave.size()));
  for (int s = 0; s < nspec; ++s) {
    const FiberLight light = light_of(psf, fiber + s, wave);
    for (int w = 0; w < spots.nwave; ++w)
      place_spot(psf, light, fiber + s, wave[w], spot_shape(psf, fiber + s, wave[w]), s, w, spots);
  }
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
    const FiberLight light = light_of(psf, fiber + s, wave);
    AlignedDoubles room(static_cast<std::size_t>(model.room()));
    for (int first = 0; first < spots.nwave; first += spot_lanes) {
      const int count = std::min(spot_lanes, spots.nwave - first);
      SpotBins bins{};
      for (int k = 0; k < spot_lanes; ++k) {
        const double lambda = wave[std::min(first + k, spots.nwave - 1)];
        const Center center = spot_center(psf, fiber + s, lambda);
        bins.u[k] = legendre_variable(lambda, psf.wavemin, psf.wavemax);
        bins.x[k] = center.x;
        bins.y[k] = center.y;
      }
      const std::size_t j = spots.index(s, first);
      kernels.spots_of_fiber(model, bins, count, room.data(), spots.value.data() + j * spot_size);
      for (int k = 0; k < count; ++k) {
        const SpotShape spot{{bins.x[k], bins.y[k]}, bins.sigma_x[k], bins.sigma_y[k]};
        if (!place_spot(psf, light, fiber + s, wave[first + k], spot, s, first + k, spots))
          std::fill_n(spots.value.data() + (j + static_cast<std::size_t>(k)) * spot_size, spot_size,
                      0.0);
      }
    }
  });
  return spots;
}

}  // namespace spex
