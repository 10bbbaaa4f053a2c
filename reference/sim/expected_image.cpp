#include "reference/sim/expected_image.hpp"

#include <algorithm>
#include <cstddef>

#include "reference/core/parallel.hpp"
#include "reference/psf/spots.hpp"

namespace spex {
namespace {

constexpr int fibers_a_strip = 5;
constexpr int bins_a_chunk = 32;  // the spots of a chunk fit in the cache

// The image of a few neighboring fibers: columns [x0, x1) of all rows, `[y * (x1 - x0) + x - x0]`.
struct Strip {
  int x0 = 0;
  int x1 = 0;
  std::vector<double> value;
};

// The columns of the fibers' spots, clipped to the CCD. Fibers count from the first of the light.
Strip make_strip(const Psf& psf, const Light& light, int fiber, int nfiber) {
  const double columns = psf.npix_x;
  Strip strip{psf.npix_x, 0, {}};
  for (int s = fiber; s < fiber + nfiber; ++s)
    for (int w = 0; w < light.nwave; ++w) {
      const double x = spot_center(psf, light.first + s, light.wave_of(s)[w]).x;
      strip.x0 = std::min(strip.x0, static_cast<int>(std::clamp(x - psf.hsizex - 1, 0.0, columns)));
      strip.x1 = std::max(strip.x1, static_cast<int>(std::clamp(x + psf.hsizex + 2, 0.0, columns)));
    }
  strip.x1 = std::max(strip.x0, strip.x1);
  strip.value.assign(static_cast<std::size_t>(strip.x1 - strip.x0) * psf.npix_y, 0.0);
  return strip;
}

// Adds spot (0, w).
void add_spot(const Spots& spots, int w, int ccd_rows, double electrons, Strip& strip) {
  const int nx = spots.nx, ny = spots.ny;
  const int xc = spots.xc[w], yc = spots.yc[w];
  const int width = strip.x1 - strip.x0;
  const int x_first = std::max(xc, strip.x0);
  const int x_last = std::min(xc + nx, strip.x1);
  for (int y = std::max(yc, 0); y < std::min(yc + ny, ccd_rows); ++y) {
    double* row = strip.value.data() + static_cast<std::ptrdiff_t>(y) * width - strip.x0;
    const double* values = spots.spot(0, w) + static_cast<std::ptrdiff_t>(y - yc) * nx - xc;
    for (int x = x_first; x < x_last; ++x) row[x] += electrons * values[x];
  }
}

void add_fiber(const Psf& psf, const Light& light, int fiber, Strip& strip) {
  const double* all_waves = light.wave_of(fiber);
  const double* electrons =
      light.electrons.data() + static_cast<std::ptrdiff_t>(fiber) * light.nwave;
  for (int first = 0; first < light.nwave; first += bins_a_chunk) {
    const int last = std::min(first + bins_a_chunk, light.nwave);
    const std::vector<double> wave(all_waves + first, all_waves + last);
    const Spots spots = evaluate_spots(psf, light.first + fiber, 1, wave);
    for (int w = 0; w < last - first; ++w)
      add_spot(spots, w, psf.npix_y, electrons[first + w], strip);
  }
}

}  // namespace

std::vector<double> project(const Psf& psf, const Light& light, int threads) {
  const int nstrips = (light.nfiber + fibers_a_strip - 1) / fibers_a_strip;
  std::vector<Strip> strips(nstrips);
  parallel_for(threads, nstrips, [&](int /*thread*/, int i) {
    const int fiber = i * fibers_a_strip;
    const int nfiber = std::min(fibers_a_strip, light.nfiber - fiber);
    Strip& strip = strips[i];
    strip = make_strip(psf, light, fiber, nfiber);
    for (int s = fiber; s < fiber + nfiber; ++s) add_fiber(psf, light, s, strip);
  });

  const std::ptrdiff_t nx = psf.npix_x;
  std::vector<double> image(static_cast<std::size_t>(nx) * psf.npix_y, 0.0);
  parallel_for(threads, psf.npix_y, [&](int /*thread*/, int y) {
    for (const Strip& strip : strips) {
      const double* row =
          strip.value.data() + static_cast<std::ptrdiff_t>(y) * (strip.x1 - strip.x0);
      for (int x = strip.x0; x < strip.x1; ++x) image[y * nx + x] += row[x - strip.x0];
    }
  });
  return image;
}

std::vector<double> expected_image(const Psf& psf, const Truth& truth, int threads) {
  Light light{0, truth.nfiber, truth.nwave(), truth.wave, {}};
  light.electrons.reserve(truth.flux.size());
  for (const float flux : truth.flux)
    light.electrons.push_back(truth.dw * static_cast<double>(flux));
  return project(psf, light, threads);
}

}  // namespace spex
