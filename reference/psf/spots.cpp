#include "reference/psf/spots.hpp"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "reference/core/error.hpp"
#include "reference/core/parallel.hpp"
#include "reference/psf/fiber_psf.hpp"
#include "reference/psf/spot.hpp"

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

// Fiber s of `spots` begins with the known ones.
void copy_known(const LastSpots& known, int s, Spots& spots) {
  if (known.count == 0) return;
  const Spots& others = *known.of;
  const std::size_t from = others.index(s, others.nwave - known.count), to = spots.index(s, 0);
  const std::size_t size = count_of(spots.nx, spots.ny);
  std::copy_n(others.xc.data() + from, known.count, spots.xc.data() + to);
  std::copy_n(others.yc.data() + from, known.count, spots.yc.data() + to);
  std::copy_n(others.value.data() + from * size, count_of(known.count) * size,
              spots.value.data() + to * size);
}

// Where a fiber's spots go: from bin `first` of fiber s on.
struct Target {
  int s;
  int first;
};

void evaluate_fiber(const Psf& psf, int fiber, const std::vector<double>& wave, Target target,
                    Spots& spots) {
  const std::unique_ptr<FiberPsf> of_fiber = psf_of_fiber(psf, fiber);
  const FiberLight light = light_of(psf, fiber, wave);
  const std::size_t spot_size = count_of(spots.nx, spots.ny);
  for (int first = target.first; first < spots.nwave; first += spot_lanes) {
    const int count = std::min(spot_lanes, spots.nwave - first);
    double lambda[spot_lanes];
    for (int k = 0; k < spot_lanes; ++k) lambda[k] = wave[std::min(first + k, spots.nwave - 1)];
    SpotShape shape[spot_lanes];
    double* const value = spots.value.data() + spots.index(target.s, first) * spot_size;
    of_fiber->evaluate(lambda, count, shape, value);
    for (int k = 0; k < count; ++k)
      if (!place_spot(psf, light, {fiber, lambda[k], shape[k]}, target.s, first + k, spots))
        std::fill_n(value + count_of(k) * spot_size, spot_size, 0.0);
  }
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

bool place_spot(const Psf& psf, const FiberLight& light, const SpotOfFiber& spot, int s, int w,
                Spots& spots) {
  const SpotState state = light.state(spot.lambda, spot.shape);
  if (state == SpotState::broken)
    throw broken_spot("PSF", spot.fiber, fmt::format("{:.1f} Angstrom", spot.lambda), spot.shape);
  const bool lit = state == SpotState::lit;
  const std::size_t j = spots.index(s, w);
  spots.xc[j] = lit ? spot_corner(spot.shape.center.x, psf.hsizex) : dark_corner;
  spots.yc[j] = lit ? spot_corner(spot.shape.center.y, psf.hsizey) : dark_corner;
  return lit;
}

Spots place_spots(const Psf& psf, int fiber, int nspec, const std::vector<double>& wave) {
  Spots spots = make_corners(psf, nspec, static_cast<int>(wave.size()));
  for (int s = 0; s < nspec; ++s) {
    const FiberLight light = light_of(psf, fiber + s, wave);
    for (int w = 0; w < spots.nwave; ++w)
      place_spot(psf, light, {fiber + s, wave[w], spot_shape(psf, fiber + s, wave[w])}, s, w,
                 spots);
  }
  return spots;
}

Spots evaluate_spots(const Psf& psf, int fiber, int nspec, const std::vector<double>& wave,
                     int threads) {
  return continue_spots({}, psf, fiber, nspec, wave, threads);
}

Spots continue_spots(const LastSpots& known, const Psf& psf, int fiber, int nspec,
                     const std::vector<double>& wave, int threads) {
  Spots spots = make_spots(psf, nspec, static_cast<int>(wave.size()));
  parallel_for(threads, nspec, [&](int /*thread*/, int s) {
    copy_known(known, s, spots);
    evaluate_fiber(psf, fiber + s, wave, {s, known.count}, spots);
  });
  return spots;
}

}  // namespace spex
