#include "reference/sim/detector.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>

#include "reference/core/count.hpp"
#include "reference/core/parallel.hpp"
#include "reference/model/mask_bits.hpp"
#include "reference/sim/random.hpp"
#include "reference/sim/read_noise.hpp"

namespace spex {
namespace {

constexpr int columns_a_bad_column = 2000;
constexpr std::size_t pixels_a_block = 2'000'000;

struct Pixel {
  int x;
  int y;
};

std::size_t at(const CcdImage& ccd, int x, int y) {
  return count_of(y, ccd.nx) + x;
}

void set_bits(CcdImage& ccd, std::size_t pixel, std::uint32_t bits) {
  ccd.mask[pixel] = static_cast<std::int16_t>(static_cast<std::uint32_t>(ccd.mask[pixel]) | bits);
}

// Fills a rectangle of pixels with garbage.
void spoil(CcdImage& ccd, const Pixel& first, const Pixel& last, std::uint32_t bits, double value,
           Random& random) {
  for (int y = first.y; y < std::min(last.y, ccd.ny); ++y)
    for (int x = first.x; x < std::min(last.x, ccd.nx); ++x) {
      const std::size_t p = at(ccd, x, y);
      ccd.image[p] = static_cast<float>(value * random.uniform(0.9, 1.1));
      set_bits(ccd, p, bits);
    }
}

// A trap in a column affects all rows that are read out through the trap.
void add_bad_column(CcdImage& ccd, Random& random) {
  const int x = random.below(ccd.nx);
  const int y = random.below(1 + ccd.ny / 2);
  spoil(ccd, {x, y}, {x + 1, ccd.ny}, ccdmask::BAD, 30000, random);
}

void add_block(CcdImage& ccd, Random& random) {
  constexpr std::uint32_t bits[] = {ccdmask::BAD,       ccdmask::HOT,     ccdmask::DEAD,
                                    ccdmask::SATURATED, ccdmask::HIGHVAR, ccdmask::PIXFLATLOW};
  const int width = 3 + random.below(25);
  const int height = 3 + random.below(40);
  const Pixel first{random.below(ccd.nx), random.below(ccd.ny)};
  const std::uint32_t bit = bits[random.below(static_cast<int>(std::size(bits)))];
  const double value = bit == ccdmask::DEAD ? 0 : 5000;
  spoil(ccd, first, {first.x + width, first.y + height}, bit, value, random);
}

void add_noise(const std::vector<double>& expected, const ExposureKey& key, int threads,
               CcdImage& ccd) {
  parallel_for(threads, ccd.ny, [&](int /*thread*/, int y) {
    Random random = key.stream(Stream::noise, static_cast<std::uint64_t>(y));
    for (int x = 0; x < ccd.nx; ++x) {
      const std::size_t p = at(ccd, x, y);
      const double photons = random.poisson(expected[p]);
      const double read_noise = ccd.read_noise[p];
      ccd.image[p] = static_cast<float>(photons + read_noise * random.normal());
    }
  });
}

void add_cosmics(const std::vector<CosmicPixel>& cosmics, CcdImage& ccd) {
  for (const CosmicPixel& hit : cosmics) {
    const std::size_t p = at(ccd, hit.x, hit.y);
    ccd.image[p] += hit.electrons;
    if (hit.masked) set_bits(ccd, p, ccdmask::COSMIC);
  }
}

// Defects belong to the camera and do not depend on the exposure.
void add_defects(const ExposureKey& key, CcdImage& ccd) {
  Random random(Stream::defects, {key.seed, key_of(key.camera.name())});
  for (int i = 0; i < 1 + ccd.nx / columns_a_bad_column; ++i) add_bad_column(ccd, random);
  for (std::size_t i = 0; i < 1 + ccd.image.size() / pixels_a_block; ++i) add_block(ccd, random);
}

void set_ivar(CcdImage& ccd, std::size_t pixel, double electrons) {
  const double read_noise = ccd.read_noise[pixel];
  ccd.ivar[pixel] = static_cast<float>(1 / (read_noise * read_noise + electrons));
}

double observed_electrons(const CcdImage& ccd, std::size_t pixel) {
  return std::max(0.0, static_cast<double>(ccd.image[pixel]));
}

}  // namespace

CcdImage expose(const ExpectedImage& expected, const ExposureKey& key,
                const std::vector<CosmicPixel>& cosmics, IvarOf ivar, int threads) {
  const int nx = expected.nx, ny = expected.ny;
  const std::vector<double>& electrons = expected.electrons;
  CcdImage ccd{nx, ny, {}, {}, {}, make_read_noise(nx, ny, key, threads)};
  const std::size_t npix = electrons.size();
  ccd.image.resize(npix);
  ccd.ivar.resize(npix);
  ccd.mask.assign(npix, 0);
  add_noise(electrons, key, threads, ccd);
  add_cosmics(cosmics, ccd);
  add_defects(key, ccd);

  parallel_for(threads, ny, [&](int /*thread*/, int y) {
    for (std::size_t p = at(ccd, 0, y); p < at(ccd, 0, y + 1); ++p)
      set_ivar(ccd, p, ivar == IvarOf::expected ? electrons[p] : observed_electrons(ccd, p));
  });
  for (const CosmicPixel& hit : cosmics) {
    const std::size_t p = at(ccd, hit.x, hit.y);
    set_ivar(ccd, p, observed_electrons(ccd, p));
  }
  return ccd;
}

}  // namespace spex
