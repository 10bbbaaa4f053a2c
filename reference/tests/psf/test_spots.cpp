#include <cmath>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/core/error.hpp"
#include "reference/psf/scalar_spots.hpp"
#include "reference/psf/spot.hpp"
#include "reference/psf/spots.hpp"
#include "reference/tests/support/synthetic.hpp"

namespace spex {
namespace {

using test::make_psf;

// Integral of He_k(t) phi(t) over [a, b] by Simpson's rule.
double hermite_integral(int k, double a, double b) {
  const auto value = [k](double t) {
    double previous = 0, he = 1;
    for (int i = 0; i < k; ++i) {
      const double next = t * he - i * previous;
      previous = he;
      he = next;
    }
    return he * std::exp(-t * t / 2) / std::sqrt(2 * M_PI);
  };
  const int steps = 200;
  const double h = (b - a) / steps;
  double sum = value(a) + value(b);
  for (int i = 1; i < steps; ++i) sum += value(a + i * h) * (i % 2 == 1 ? 4 : 2);
  return sum * h / 3;
}

TEST(PixelIntegrals, AgreeWithQuadrature) {
  const int n = 7, degree = 4;
  const double center = 12.3, sigma = 1.1;
  std::vector<double> P((degree + 1) * n);
  std::vector<double> E((degree + 1) * (n + 1));
  pixel_integrals(center, sigma, n, degree, E.data(), P.data());
  for (int k = 0; k <= degree; ++k)
    for (int m = 0; m < n; ++m) {
      const double pixel = spot_corner(center, n / 2) + m;  // the pixel's center
      const double expected =
          hermite_integral(k, (pixel - 0.5 - center) / sigma, (pixel + 0.5 - center) / sigma);
      EXPECT_NEAR(P[k * n + m], expected, 1e-10) << k << " " << m;
    }
}

TEST(EvaluateSpots, SingleSpotsAgreeWithBatches) {
  const Psf psf = make_psf({.nfiber = 4});
  const std::vector<double> wave{982, 990.3, 995, 1001.7, 1010};
  const Spots many = evaluate_spots(psf, 1, 3, wave),
              single = evaluate_spots_one_by_one(psf, 1, 3, wave);
  EXPECT_EQ(single.xc, many.xc);
  EXPECT_EQ(single.yc, many.yc);
  ASSERT_EQ(single.value.size(), many.value.size());
  for (std::size_t k = 0; k < many.value.size(); ++k)
    ASSERT_NEAR(single.value[k], many.value[k], 1e-14);
}

TEST(SpotCorner, RoundsTheCenterToItsPixel) {
  EXPECT_EQ(spot_corner(10.0, 2), 8);
  EXPECT_EQ(spot_corner(10.49, 2), 8);
  EXPECT_EQ(spot_corner(10.5, 2), 9);
  EXPECT_EQ(spot_corner(-0.6, 2), -3);
  EXPECT_EQ(spot_corner(-7.5, 2), -9);
}

TEST(SpotValues, NegativePixelsAreClippedAndTheSumIsOne) {
  // g_20 = -0.9 makes the core negative before clipping.
  const int n = 9;
  std::vector<double> E(3 * (n + 1)), Px(3 * n), Py(n), row(n), spot(n * n);
  const double g[] = {1, 0, -0.9};
  pixel_integrals(4.0, 1.0, n, 2, E.data(), Px.data());
  pixel_integrals(4.0, 1.0, n, 0, E.data(), Py.data());
  const double g_negative[] = {1, 0, 3.0};
  for (const double* coefficients : {g, g_negative}) {
    const double scale = spot_scale(
        spot_values({Px.data(), 2, n}, {Py.data(), 0, n}, coefficients, row.data(), spot.data()));
    for (double& value : spot) value *= scale;
    EXPECT_NEAR(std::accumulate(spot.begin(), spot.end(), 0.0), 1, 1e-14);
    EXPECT_GE(*std::min_element(spot.begin(), spot.end()), 0);
  }
  EXPECT_EQ(spot[4 * n + 4], 0) << "1 + 3 (t^2 - 1) is negative in the middle";
}

TEST(SpotValues, NoPositivePixelGivesZeros) {
  const int n = 3;
  std::vector<double> E(n + 1), P(n), row(n), spot(n * n, 7.0);
  const double g[] = {-1};
  pixel_integrals(1.0, 1.0, n, 0, E.data(), P.data());
  const double sum = spot_values({P.data(), 0, n}, {P.data(), 0, n}, g, row.data(), spot.data());
  EXPECT_EQ(spot_scale(sum), 0);
  EXPECT_THAT(spot, testing::Each(0.0));
}

TEST(Spots, GaussianOfOneFiberByHand) {
  Psf psf = make_psf({.nfiber = 1, .degree = 0});
  psf.xtrace.coeff = {8, 0};
  psf.ytrace.coeff = {30, 1};      // 30 at 1000 Angstrom
  psf.param = {1, 0, 2, 0, 1, 0};  // GHSIGX 1, GHSIGY 2, GH-0-0 1
  const Spots spots = evaluate_spots(psf, 0, 1, {1000.0});
  EXPECT_EQ(spots.xc[0], 5);
  EXPECT_EQ(spots.yc[0], 28);
  EXPECT_EQ(spots.nx, 7);
  EXPECT_EQ(spots.ny, 5);
  const auto integral = [](double m, double sigma) {
    return 0.5 * (std::erf((m + 0.5) / sigma / std::sqrt(2)) -
                  std::erf((m - 0.5) / sigma / std::sqrt(2)));
  };
  double sum = 0;
  for (int y = -2; y <= 2; ++y)
    for (int x = -3; x <= 3; ++x) sum += integral(x, 1) * integral(y, 2);
  for (int y = -2; y <= 2; ++y)
    for (int x = -3; x <= 3; ++x)
      EXPECT_NEAR(spots.spot(0, 0)[(y + 2) * 7 + x + 3], integral(x, 1) * integral(y, 2) / sum,
                  1e-15);
}

TEST(Spots, CentroidFollowsTheTrace) {
  const Psf psf = make_psf({.hsizex = 8, .hsizey = 8, .degree = 0});
  for (const double lambda : {980.0, 1000.3, 1020.7}) {
    const Spots spots = evaluate_spots(psf, 1, 1, {lambda});
    const Center center = spot_center(psf, 1, lambda);
    double x = 0, y = 0;
    for (int row = 0; row < spots.ny; ++row)
      for (int column = 0; column < spots.nx; ++column) {
        const double a = spots.spot(0, 0)[row * spots.nx + column];
        x += a * (spots.xc[0] + column);
        y += a * (spots.yc[0] + row);
      }
    EXPECT_NEAR(x, center.x, 1e-6);
    EXPECT_NEAR(y, center.y, 1e-6);
  }
}

TEST(Spots, SpotsDoNotDependOnRangeAndThreads) {
  const Psf psf = make_psf({.nfiber = 5});
  const std::vector<double> wave{990, 990.8, 991.6};
  const Spots all = evaluate_spots(psf, 0, 5, wave, 4);
  const Spots part = evaluate_spots(psf, 3, 1, {990.8}, 1);
  EXPECT_EQ(part.xc[0], all.xc[all.index(3, 1)]);
  EXPECT_EQ(part.yc[0], all.yc[all.index(3, 1)]);
  for (int p = 0; p < all.nx * all.ny; ++p) EXPECT_EQ(part.spot(0, 0)[p], all.spot(3, 1)[p]);
}

TEST(Spots, ContinuedSpotsAreThoseOfTheirWavelengths) {
  const Psf psf = make_psf({.nfiber = 3});
  std::vector<double> wave;
  for (int w = 0; w < 21; ++w) wave.push_back(985 + w);
  const Spots before = evaluate_spots(psf, 1, 2, {wave.begin(), wave.begin() + 12});
  const std::vector<double> later(wave.begin() + 7, wave.end());
  const Spots expected = evaluate_spots(psf, 1, 2, later);
  const Spots found = continue_spots({&before, 5}, psf, 1, 2, later, 2);
  EXPECT_EQ(found.xc, expected.xc);
  EXPECT_EQ(found.yc, expected.yc);
  EXPECT_EQ(found.value, expected.value);
}

TEST(Spots, BrokenPsfIsNamed) {
  Psf psf = make_psf();
  psf.param[1 * psf.ncoeff] = -1;  // GHSIGX of fiber 1
  EXPECT_THAT([&] { static_cast<void>(evaluate_spots(psf, 0, 3, {1000})); },
              testing::ThrowsMessage<Error>(testing::HasSubstr("fiber 1 at 1000.0")));
  psf = make_psf();
  psf.xtrace.coeff[0] = 1e9;
  EXPECT_THROW(static_cast<void>(evaluate_spots(psf, 0, 3, {1000})), Error);
}

}  // namespace
}  // namespace spex
