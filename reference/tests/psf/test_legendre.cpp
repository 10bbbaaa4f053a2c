#include <gtest/gtest.h>

#include "reference/psf/legendre.hpp"

namespace spex {
namespace {

TEST(Legendre, VariableRunsFromMinusOneToOne) {
  EXPECT_DOUBLE_EQ(legendre_variable(5000, 5000, 6000), -1);
  EXPECT_DOUBLE_EQ(legendre_variable(5500, 5000, 6000), 0);
  EXPECT_DOUBLE_EQ(legendre_variable(6000, 5000, 6000), 1);
  EXPECT_DOUBLE_EQ(legendre_variable(6250, 5000, 6000), 1.5);  // extrapolated
}

TEST(Legendre, SinglePolynomialsByHand) {
  const double u = 0.5;
  const double expected[] = {1, 0.5, -0.125, -0.4375, -0.2890625};
  for (int d = 0; d < 5; ++d) {
    double c[5] = {};
    c[d] = 1;
    EXPECT_DOUBLE_EQ(legendre_sum(c, 5, u), expected[d]) << "P_" << d;
  }
}

TEST(Legendre, SumIsLinear) {
  const double c[] = {2, -3, 4};
  // 2 - 3 u + 4 (3 u^2 - 1) / 2 at u = -0.2
  EXPECT_NEAR(legendre_sum(c, 3, -0.2), 2 + 0.6 + 2 * (3 * 0.04 - 1), 1e-15);
}

TEST(Legendre, SharedValuesGiveTheSameBits) {
  const double c[] = {1.7, -0.3, 0.41, 1.3e-3, -7.1e-5};
  for (const double u : {-1.02, -0.37, 0.0, 0.61, 1.0}) {
    double P[5];
    legendre_values(5, u, P);
    EXPECT_EQ(legendre_series(c, 5, P), legendre_sum(c, 5, u)) << u;
    EXPECT_EQ(legendre_series(c, 2, P), legendre_sum(c, 2, u)) << u;
  }
}

TEST(Legendre, NoCoefficientsGiveZero) {
  EXPECT_EQ(legendre_sum(nullptr, 0, 0.3), 0);
}

}  // namespace
}  // namespace spex
