// Noise, inverse variance, cosmic rays and defects.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "reference/model/mask_bits.hpp"
#include "reference/sim/detector.hpp"

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
  return expose(flat(electrons), nx, ny, of, ivar, threads);
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
  for (std::size_t p = 0; p < expected.image.size(); ++p) {
    ASSERT_FLOAT_EQ(expected.ivar[p], 1.0F / 25.0F);
    ASSERT_FLOAT_EQ(observed.ivar[p], 1.0F / (9.0F + std::max(0.0F, observed.image[p])));
  }
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

TEST(Detector, DependsOnSeedExposureAndCameraButNotThreads) {
  const CcdImage ccd = exposed(10);
  for (const int threads : {2, 4}) {
    const CcdImage other = exposed(10, IvarOf::expected, key, threads);
    EXPECT_EQ(ccd.image, other.image);
    EXPECT_EQ(ccd.ivar, other.ivar);
    EXPECT_EQ(ccd.mask, other.mask);
  }
  for (const spex::ExposureKey& other :
       {spex::ExposureKey{12, 1, {'r', 0}}, spex::ExposureKey{11, 2, {'r', 0}},
        spex::ExposureKey{11, 1, {'r', 1}}, spex::ExposureKey{11, 1, {'b', 0}}})
    EXPECT_NE(ccd.image, exposed(10, IvarOf::expected, other).image);
}

}  // namespace
