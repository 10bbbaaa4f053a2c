#include "reference/sim/detector.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <numbers>

#include "reference/core/count.hpp"
#include "reference/core/parallel.hpp"
#include "reference/model/mask_bits.hpp"
#include "reference/sim/random.hpp"

namespace spex {
namespace {

constexpr std::size_t pixels_a_cosmic = 8000;
constexpr int columns_a_bad_column = 2000;
constexpr std::size_t pixels_a_block = 2'000'000;

struct Pixel {
  int x;
  int y;
};

std::size_t at(const CcdImage& ccd, int x, int y) {
  return count_of(y, ccd.nx) + x;
}

bool on_ccd(const CcdImage& ccd, const Pixel& pixel) {
  return pixel.x >= 0 && pixel.x < ccd.nx && pixel.y >= 0 && pixel.y < ccd.ny;
}

Random stream(Stream purpose, const ExposureKey& key, std::uint64_t number) {
  return Random(purpose, {key.seed, key.expid, key_of(key.camera.name()), number});
}

// Adds a straight track of electrons.
void add_cosmic(CcdImage& ccd, Random& random) {
  const double x = random.uniform(0, ccd.nx);
  const double y = random.uniform(0, ccd.ny);
  const double angle = random.uniform(0, 2 * std::numbers::pi);
  const int length = 1 + static_cast<int>(5 * random.exponential());
  const double electrons = random.uniform(200, 4000);
  for (int i = 0; i < length; ++i) {
    const Pixel pixel{static_cast<int>(std::floor(x + i * std::cos(angle))),
                      static_cast<int>(std::floor(y + i * std::sin(angle)))};
    if (!on_ccd(ccd, pixel)) return;
    const std::size_t p = at(ccd, pixel.x, pixel.y);
    ccd.image[p] += static_cast<float>(electrons * random.uniform(0.5, 1.5));
    ccd.mask[p] |= ccdmask::COSMIC;
  }
}

// Fills a rectangle of pixels with garbage.
void spoil(CcdImage& ccd, const Pixel& first, const Pixel& last, std::uint32_t bits, double value,
           Random& random) {
  for (int y = first.y; y < std::min(last.y, ccd.ny); ++y)
    for (int x = first.x; x < std::min(last.x, ccd.nx); ++x) {
      const std::size_t p = at(ccd, x, y);
      ccd.image[p] = static_cast<float>(value * random.uniform(0.9, 1.1));
      ccd.mask[p] |= static_cast<std::int32_t>(bits);
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
    Random random = stream(Stream::noise, key, static_cast<std::uint64_t>(y));
    for (int x = 0; x < ccd.nx; ++x) {
      const std::size_t p = at(ccd, x, y);
      const double electrons = random.poisson(expected[p]) + read_noise * random.normal();
      ccd.image[p] = static_cast<float>(electrons);
    }
  });
}

}  // namespace

CcdImage expose(const std::vector<double>& expected, int nx, int ny, const ExposureKey& key,
                IvarOf ivar, int threads) {
  CcdImage ccd{nx, ny, {}, {}, {}};
  const std::size_t npix = expected.size();
  ccd.image.resize(npix);
  ccd.ivar.resize(npix);
  ccd.mask.assign(npix, 0);
  add_noise(expected, key, threads, ccd);

  Random cosmics = stream(Stream::cosmics, key, 0);
  for (std::size_t i = 0; i < 1 + npix / pixels_a_cosmic; ++i) add_cosmic(ccd, cosmics);
  // Defects belong to the camera and do not depend on the exposure.
  Random defects(Stream::defects, {key.seed, key_of(key.camera.name())});
  for (int i = 0; i < 1 + nx / columns_a_bad_column; ++i) add_bad_column(ccd, defects);
  for (std::size_t i = 0; i < 1 + npix / pixels_a_block; ++i) add_block(ccd, defects);

  parallel_for(threads, ny, [&](int /*thread*/, int y) {
    for (std::size_t p = at(ccd, 0, y); p < at(ccd, 0, y + 1); ++p) {
      const double electrons =
          ivar == IvarOf::expected ? expected[p] : std::max(0.0, static_cast<double>(ccd.image[p]));
      ccd.ivar[p] = static_cast<float>(1 / (read_noise * read_noise + electrons));
    }
  });
  return ccd;
}

}  // namespace spex
