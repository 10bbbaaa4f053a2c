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

class Sets : public testing::TestWithParam<Instructions> {
 protected:
  const SpotKernels& kernels_ = spot_kernels(GetParam());
  const SpotKernels& any_ = spot_kernels(Instructions::any);
};

TEST_P(Sets, ExpAndErfAreWithinTheirErrors) {
  double worst_exp = 0, worst_erf = 0, worst_far_erf = 0;
  for (int i = 0; i < 400000; ++i) {
    double a[8], x[8], e[8], f[8];
    for (int k = 0; k < 8; ++k) {
      x[k] = (8 * i + k) * 2e-6 - 3.2;
      a[k] = -std::pow(10.0, x[k]) * 1.7;
      e[k] = a[k];
      f[k] = 2 * x[k];
    }
    kernels_.exp(e);
    kernels_.erf(f);
    double other[8], erf_other[8];
    for (int k = 0; k < 8; ++k) other[k] = a[k], erf_other[k] = 2 * x[k];
    any_.exp(other);
    any_.erf(erf_other);
    for (int k = 0; k < 8; ++k) {
      ASSERT_EQ(std::bit_cast<std::uint64_t>(e[k]), std::bit_cast<std::uint64_t>(other[k]));
      ASSERT_EQ(std::bit_cast<std::uint64_t>(f[k]), std::bit_cast<std::uint64_t>(erf_other[k]));
      const long double exact = std::exp(static_cast<long double>(a[k]));
      if (a[k] > -708)
        worst_exp = std::max(worst_exp, static_cast<double>(std::abs(e[k] - exact) / exact));
      const auto erf_error =
          static_cast<double>(std::abs(f[k] - std::erf(2 * static_cast<long double>(x[k]))));
      worst_erf = std::max(worst_erf, erf_error);
      if (std::abs(x[k]) > 0.75) worst_far_erf = std::max(worst_far_erf, erf_error);
    }
  }
  EXPECT_LT(worst_exp, 4e-16);
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
  double e[8] = {0, 1e-30, -1e-30, 6, -6, 30, -1e10, INFINITY};
  kernels_.erf(e);
  for (const int k : {0, 1, 2}) EXPECT_NEAR(e[k], 0, 6e-16);
  EXPECT_EQ(e[3], 1);
  EXPECT_EQ(e[4], -1);
  EXPECT_EQ(e[5], 1);
  EXPECT_EQ(e[6], -1);
  EXPECT_EQ(e[7], 1);
}

TEST_P(Sets, SpotsEqualThoseOfSingleWavelengths) {
  const Psf psf = test::make_psf({.hsizex = 6, .hsizey = 4});
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
  kernels_.spots_of_fiber(model, bins, spot_lanes, room.data(), value.data());
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

INSTANTIATE_TEST_SUITE_P(Instructions, Sets, testing::ValuesIn(available_instructions()),
                         [](const auto& set) { return to_string(set.param); });

TEST(Instructions, AreNamed) {
  for (const Instructions set : available_instructions())
    EXPECT_EQ(instructions_named(to_string(set)), set);
  EXPECT_THROW(static_cast<void>(instructions_named("sse")), Error);
}

}  // namespace
}  // namespace spex
