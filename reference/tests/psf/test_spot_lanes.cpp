// SIMD spot kernels: compares their functions with long double library functions, their spots with
// single wavelengths, and all instruction sets with each other.
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include <gtest/gtest.h>

#include "reference/core/error.hpp"
#include "reference/core/simd/aligned.hpp"
#include "reference/psf/spot.hpp"
#include "reference/psf/spot_lanes.hpp"
#include "reference/psf/spots.hpp"
#include "reference/tests/support/synthetic.hpp"

namespace spex {
namespace {

// Spots with Gauss-Hermite functions up to `degree`.
void compare_spots(const SpotKernels& kernels, int degree) {
  Psf psf = test::make_psf({.hsizex = 6, .hsizey = 4, .degree = degree});
  for (std::size_t p = 5; p < psf.param.size() / (psf.nfiber * psf.ncoeff); ++p)
    psf.param[(p * psf.nfiber + 1) * psf.ncoeff] += 1e-3 * static_cast<double>(p % 7);
  const std::vector<double> wave{980.1, 985.3, 990, 990.8, 991.6, 1001.7, 1010, 1020.5, 1021, 1022};
  const Spots spots = evaluate_spots(psf, 1, 1, wave);
  const SpotModel model{spots.nx,
                        spots.ny,
                        psf.ghdegx,
                        psf.ghdegy,
                        psf.ncoeff,
                        psf.param.data() + psf.ncoeff,
                        static_cast<long>(psf.nfiber) * psf.ncoeff};
  AlignedDoubles room(model.room());
  SpotBins bins{};
  for (int k = 0; k < spot_lanes; ++k) {
    const Center center = spot_center(psf, 1, wave[k]);
    bins.u[k] = 2 * (wave[k] - psf.wavemin) / (psf.wavemax - psf.wavemin) - 1;
    bins.x[k] = center.x;
    bins.y[k] = center.y;
  }
  std::vector<double> value(spots.nx * spots.ny * spot_lanes);
  kernels.spots_of_fiber(model, bins, spot_lanes, room.data(), value.data());
  for (std::size_t i = 0; i < value.size(); ++i)
    ASSERT_EQ(std::bit_cast<std::uint64_t>(value[i]), std::bit_cast<std::uint64_t>(spots.value[i]));

  // Computed with the library's exp and erf, one wavelength at a time.
  const int ng = (psf.ghdegx + 1) * (psf.ghdegy + 1);
  for (int w = 0; w < spot_lanes; ++w) {
    const auto parameter = [&](int p) {
      double sum = 0, before = 0, P = 1;
      for (int d = 0; d < psf.ncoeff; ++d) {
        sum += psf.param[(p * psf.nfiber + 1) * psf.ncoeff + d] * P;
        const double next = ((2 * d + 1) * bins.u[w] * P - d * before) / (d + 1);
        before = P, P = next;
      }
      return sum;
    };
    std::vector<double> g(ng), E(100), Px((psf.ghdegx + 1) * spots.nx),
        Py((psf.ghdegy + 1) * spots.ny), row((psf.ghdegy + 1) * spots.nx),
        spot(spots.nx * spots.ny);
    for (int k = 0; k < ng; ++k) g[k] = parameter(2 + k);
    pixel_integrals(bins.x[w], parameter(0), spots.nx, psf.ghdegx, E.data(), Px.data());
    pixel_integrals(bins.y[w], parameter(1), spots.ny, psf.ghdegy, E.data(), Py.data());
    const double scale =
        spot_scale(spot_values({Px.data(), psf.ghdegx, spots.nx}, {Py.data(), psf.ghdegy, spots.ny},
                               g.data(), row.data(), spot.data()));
    for (std::size_t p = 0; p < spot.size(); ++p)
      EXPECT_NEAR(spots.spot(0, w)[p], spot[p] * scale, 1e-15);
  }
}

class Sets : public testing::TestWithParam<Instructions> {
 protected:
  const SpotKernels& kernels_ = spot_kernels(GetParam());
  const SpotKernels& any_ = spot_kernels(Instructions::any);
};

TEST_P(Sets, ExpIsWithinItsError) {
  double worst = 0;
  for (int i = 0; i < 400000; ++i) {
    double a[8], e[8], other[8];
    for (int k = 0; k < 8; ++k)
      a[k] = e[k] = other[k] = -std::pow(10.0, (8 * i + k) * 2e-6 - 3.2) * 1.7;
    kernels_.exp(e);
    any_.exp(other);
    for (int k = 0; k < 8; ++k) {
      ASSERT_EQ(std::bit_cast<std::uint64_t>(e[k]), std::bit_cast<std::uint64_t>(other[k]));
      const long double exact = std::exp(static_cast<long double>(a[k]));
      if (a[k] > -708) worst = std::max(worst, static_cast<double>(std::abs(e[k] - exact) / exact));
    }
  }
  EXPECT_LT(worst, 4e-16);
}

TEST_P(Sets, GaussianIsWithinItsErrors) {
  double worst_exp = 0, worst_erf = 0, worst_far_erf = 0;
  for (int i = 0; i < 400000; ++i) {
    double e[8], exp[8], erf[8], other[8], other_erf[8];
    for (int k = 0; k < 8; ++k) e[k] = exp[k] = other[k] = (8 * i + k) * 6e-6 - 9.6;
    kernels_.gaussian(exp, erf);
    any_.gaussian(other, other_erf);
    for (int k = 0; k < 8; ++k) {
      ASSERT_EQ(std::bit_cast<std::uint64_t>(exp[k]), std::bit_cast<std::uint64_t>(other[k]));
      ASSERT_EQ(std::bit_cast<std::uint64_t>(erf[k]), std::bit_cast<std::uint64_t>(other_erf[k]));
      const long double x = e[k];
      const long double exact = std::exp(-x * x / 2);
      const auto exp_error = static_cast<double>(std::abs(exp[k] - exact) / exact);
      worst_exp = std::max(worst_exp, exp_error / (4e-16 + 1.2e-16 * e[k] * e[k]));
      const auto erf_error = static_cast<double>(std::abs(erf[k] - std::erf(x / std::sqrt(2.0L))));
      worst_erf = std::max(worst_erf, erf_error);
      if (std::abs(e[k]) > 2.2) worst_far_erf = std::max(worst_far_erf, erf_error);
    }
  }
  EXPECT_LT(worst_exp, 1);
  EXPECT_LT(worst_erf, 6e-16);
  EXPECT_LT(worst_far_erf, 2e-16);
}

TEST_P(Sets, EndsOfTheRange) {
  double a[8] = {0, -0.0, -1e-300, -707.9, -708, -709, -1e9, -INFINITY};
  kernels_.exp(a);
  for (const int k : {0, 1, 2}) EXPECT_EQ(a[k], 1);
  EXPECT_EQ(a[4], a[5]);
  EXPECT_EQ(a[5], a[7]);
  EXPECT_GT(a[7], 0);
  EXPECT_LT(a[7], 1e-306);
  double e[8] = {0, 1e-30, -1e-30, 8.5, -8.5, 40, -1e10, INFINITY};
  double erf[8];
  kernels_.gaussian(e, erf);
  for (const int k : {0, 1, 2}) EXPECT_NEAR(erf[k], 0, 6e-16);
  for (const int k : {0, 1, 2}) EXPECT_EQ(e[k], 1);
  EXPECT_EQ(erf[3], 1);
  EXPECT_EQ(erf[4], -1);
  EXPECT_EQ(erf[5], 1);
  EXPECT_EQ(erf[6], -1);
  EXPECT_EQ(erf[7], 1);
  for (const int k : {5, 6, 7}) EXPECT_LT(e[k], 1e-306);
}

TEST_P(Sets, SpotsEqualThoseOfSingleWavelengths) {
  for (const int degree : {2, 6}) compare_spots(kernels_, degree);
}

INSTANTIATE_TEST_SUITE_P(Instructions, Sets, testing::ValuesIn(available_instructions()),
                         [](const auto& set) { return to_string(set.param); });

TEST(Instructions, AreNamed) {
  for (const Instructions set : available_instructions())
    EXPECT_EQ(instructions_named(to_string(set)), set);
  EXPECT_THROW(static_cast<void>(instructions_named("sse")), Error);
}

}  // namespace
}  // namespace spex
