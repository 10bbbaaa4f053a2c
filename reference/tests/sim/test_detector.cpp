// Noise, inverse variance, cosmic rays and defects.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "reference/model/mask_bits.hpp"
#include "reference/sim/detector.hpp"
#include "reference/sim/read_noise.hpp"

namespace {

using spex::CcdImage;
using spex::IvarOf;

constexpr int nx = 300;
constexpr int ny = 200;
constexpr spex::ExposureKey key{11, 1, {'r', 0}};

std::vector<double> flat(double electrons) {
  return std::vector<double>(static_cast<std::size_t>(nx * ny), electrons);
}

CcdImage exposed(double electrons, IvarOf ivar = IvarOf::expected,
                 const spex::ExposureKey& of = key, int threads = 1) {
  return expose({nx, ny, flat(electrons)}, of, make_cosmics(nx, ny, of, {}), ivar, threads);
}

TEST(Detector, PullsOfGoodPixelsAreAUnitNormal) {
  for (const double electrons : {0.0, 0.5, 5.0, 40.0, 30000.0}) {
    const CcdImage ccd = exposed(electrons);
    double sum = 0;
    double squares = 0;
    int good = 0;
    for (std::size_t p = 0; p < ccd.image.size(); ++p) {
      if (ccd.mask[p] != 0) continue;
      const double pull = (static_cast<double>(ccd.image[p]) - electrons) * std::sqrt(ccd.ivar[p]);
      sum += pull;
      squares += pull * pull;
      ++good;
    }
    ASSERT_GT(good, nx * ny * 9 / 10);
    EXPECT_NEAR(sum / good, 0, 5 / std::sqrt(good)) << electrons;
    EXPECT_NEAR(squares / good, 1, 5 * std::sqrt(2.2 / good)) << electrons;
  }
}

TEST(Detector, IvarIsOfTheExpectedOrTheObservedElectrons) {
  const CcdImage expected = exposed(16);
  const CcdImage observed = exposed(16, IvarOf::observed);
  EXPECT_EQ(expected.image, observed.image);
  int cosmics = 0;
  for (std::size_t p = 0; p < expected.image.size(); ++p) {
    const bool cosmic = (static_cast<std::uint32_t>(expected.mask[p]) & spex::ccdmask::COSMIC) != 0;
    const float noise = expected.read_noise[p];
    const float of_image = 1 / (noise * noise + std::max(0.0F, expected.image[p]));
    // DESI's preprocessing takes the variance of an outlier from the image.
    ASSERT_FLOAT_EQ(expected.ivar[p], cosmic ? of_image : 1 / (noise * noise + 16));
    ASSERT_FLOAT_EQ(observed.ivar[p], of_image);
    cosmics += cosmic ? 1 : 0;
  }
  EXPECT_GT(cosmics, 5);
}

// Of the pixels of an amplifier over the amplifier's read noise: mean and standard deviation.
std::pair<double, double> flat_of(const std::vector<float>& read_noise, int amplifier) {
  const spex::CcdSection part = spex::section_of(amplifier, nx, ny);
  double sum = 0, squares = 0;
  for (int y = part.y0; y < part.y1; ++y)
    for (int x = part.x0; x < part.x1; ++x) {
      const double flat = spex::amplifiers.at(static_cast<std::size_t>(amplifier)).noise /
                          static_cast<double>(read_noise[static_cast<std::size_t>(y * nx + x)]);
      sum += flat;
      squares += flat * flat;
    }
  const double count = (part.x1 - part.x0) * (part.y1 - part.y0);
  return {sum / count, std::sqrt(squares / count - sum / count * (sum / count))};
}

TEST(Detector, ReadNoiseIsThatOfTheAmplifierOverAPixelFlat) {
  const std::vector<float> noise = exposed(10).read_noise;
  for (int amplifier = 0; amplifier < 4; ++amplifier) {
    const auto [mean, spread] = flat_of(noise, amplifier);
    EXPECT_NEAR(mean, 1, 5e-4) << amplifier;  // of 15,000 pixels
    EXPECT_NEAR(spread, 0.01, 5e-4) << amplifier;
  }
  EXPECT_NE(noise[0], noise[1]);
}

TEST(Detector, PixelFlatBelongsToTheCamera) {
  const std::vector<float> noise = exposed(10).read_noise;
  const auto of = [](const spex::ExposureKey& other) {
    return exposed(10, IvarOf::expected, other).read_noise;
  };
  EXPECT_EQ(noise, of({11, 2, {'r', 0}}));
  EXPECT_NE(noise, of({12, 1, {'r', 0}}));
  EXPECT_NE(noise, of({11, 1, {'r', 1}}));
}

TEST(Detector, CosmicsAndDefectsAreMasked) {
  const CcdImage ccd = exposed(10);
  int cosmics = 0;
  int defects = 0;
  for (std::size_t p = 0; p < ccd.image.size(); ++p) {
    const auto bits = static_cast<std::uint32_t>(ccd.mask[p]);
    if (bits == spex::ccdmask::COSMIC) ++cosmics;
    if ((bits & ~spex::ccdmask::COSMIC) != 0) ++defects;
    if (bits == spex::ccdmask::COSMIC) {
      EXPECT_GT(ccd.image[p], 70);
    } else if (bits == 0) {
      EXPECT_LT(ccd.image[p], 70);
    }
    EXPECT_EQ(bits & ~spex::ccdmask::rejected, 0U);
    EXPECT_TRUE(std::isfinite(ccd.image[p]) && ccd.ivar[p] > 0);
  }
  EXPECT_GT(cosmics, 5);
  EXPECT_GT(defects, ny / 2 - 1);  // a bad column is half the rows or more
  EXPECT_LT(cosmics + defects, nx * ny / 10);
}

std::vector<spex::CosmicPixel> cosmics(double factor, double unmasked) {
  return spex::make_cosmics(nx, ny, key, {factor, unmasked});
}

bool is_at(const spex::CosmicPixel& one, const spex::CosmicPixel& other) {
  return one.x == other.x && one.y == other.y && one.electrons == other.electrons;
}

TEST(Cosmics, FactorAddsTracks) {
  const auto once = cosmics(1, 0), thrice = cosmics(3, 0);
  ASSERT_GT(thrice.size(), once.size());
  for (std::size_t i = 0; i < once.size(); ++i) EXPECT_TRUE(is_at(once[i], thrice.at(i)));
  EXPECT_TRUE(cosmics(0, 0).empty());
}

// The usual number: a track in 8000 pixels, 2 in 300 x 60 pixels and one more.
TEST(Cosmics, FactorIsOfTheUsualNumberOfTracks) {
  const auto pixels = [](double factor) {
    std::size_t count = 0;
    for (std::uint64_t seed = 1; seed <= 200; ++seed)
      count += spex::make_cosmics(300, 60, {seed, 1, {'r', 0}}, {factor, 0}).size();
    return static_cast<double>(count) / 200;
  };
  const double once = pixels(1);
  EXPECT_GT(once, 3 * 3.5);  // tracks have 5.5 pixels on the average, fewer at the edges
  EXPECT_LT(once, 3 * 5.6);
  EXPECT_NEAR(pixels(3) / once, 3, 0.3);
}

TEST(Cosmics, FractionIsUnmasked) {
  const auto share = [](const std::vector<spex::CosmicPixel>& pixels) {
    return static_cast<double>(std::ranges::count(pixels, false, &spex::CosmicPixel::masked)) /
           static_cast<double>(pixels.size());
  };
  EXPECT_EQ(share(cosmics(20, 0)), 0);
  EXPECT_EQ(share(cosmics(20, 1)), 1);
  EXPECT_NEAR(share(cosmics(20, 0.25)), 0.25, 0.08);  // of 160 tracks
  const auto some = cosmics(20, 0.25), more = cosmics(20, 0.5);
  ASSERT_EQ(some.size(), more.size());
  for (std::size_t i = 0; i < some.size(); ++i) {
    EXPECT_TRUE(is_at(some[i], more[i]));
    EXPECT_LE(static_cast<int>(more[i].masked), static_cast<int>(some[i].masked));
  }
}

TEST(Cosmics, UnmaskedOnesKeepTheirPixelsAndWeights) {
  const auto expose_with = [](const std::vector<spex::CosmicPixel>& pixels) {
    return expose({nx, ny, flat(10)}, key, pixels, IvarOf::expected, 1);
  };
  const auto found = cosmics(5, 0), missed = cosmics(5, 1);
  const CcdImage masked = expose_with(found), unmasked = expose_with(missed);
  EXPECT_EQ(masked.image, unmasked.image);
  EXPECT_EQ(masked.ivar, unmasked.ivar);
  EXPECT_NE(masked.mask, unmasked.mask);
  std::vector<std::int16_t> mask = unmasked.mask;
  for (const spex::CosmicPixel& pixel : missed) {
    const auto p = static_cast<std::size_t>(pixel.y * nx + pixel.x);
    EXPECT_EQ(static_cast<std::uint32_t>(mask[p]) & spex::ccdmask::COSMIC, 0U);
  }
  for (const spex::CosmicPixel& pixel : found)
    mask[static_cast<std::size_t>(pixel.y * nx + pixel.x)] |= spex::ccdmask::COSMIC;
  EXPECT_EQ(mask, masked.mask);
}

TEST(Detector, DependsOnSeedExposureAndCameraButNotThreads) {
  const CcdImage ccd = exposed(10);
  for (const int threads : {2, 4}) {
    const CcdImage other = exposed(10, IvarOf::expected, key, threads);
    EXPECT_EQ(ccd.image, other.image);
    EXPECT_EQ(ccd.ivar, other.ivar);
    EXPECT_EQ(ccd.mask, other.mask);
    EXPECT_EQ(ccd.read_noise, other.read_noise);
  }
  for (const spex::ExposureKey& other :
       {spex::ExposureKey{12, 1, {'r', 0}}, spex::ExposureKey{11, 2, {'r', 0}},
        spex::ExposureKey{11, 1, {'r', 1}}, spex::ExposureKey{11, 1, {'b', 0}}})
    EXPECT_NE(ccd.image, exposed(10, IvarOf::expected, other).image);
}

}  // namespace
