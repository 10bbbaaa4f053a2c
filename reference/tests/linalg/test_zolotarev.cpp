#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "reference/linalg/zolotarev.hpp"

namespace spex {
namespace {

// The largest relative error of the sum of poles on [least, largest].
double largest_error(int n, double least, double largest) {
  std::vector<ZolotarevPole> poles;
  for (int i = 0; i < n; ++i) poles.push_back(zolotarev_pole(i, n, least, largest));
  double worst = 0;
  constexpr int points = 4000;
  for (int p = 0; p <= points; ++p) {
    const double x = least * std::pow(largest / least, static_cast<double>(p) / points);
    double sum = 0;
    for (const ZolotarevPole& pole : poles) sum += pole.weight / (x + pole.shift);
    worst = std::max(worst, std::abs(sum * std::sqrt(x) - 1));
  }
  return worst;
}

TEST(Zolotarev, MeanByHand) {
  EXPECT_NEAR(agm1(1), 1, 0);
  // Gauss's constant: 1 / agm(1, sqrt 2).
  EXPECT_NEAR(1 / agm1(std::sqrt(2)), 0.83462684167407318628, 1e-15);
}

TEST(Zolotarev, ErrorIsTheOneStated) {
  for (const double k2 : {0.3, 1e-2, 1e-4, 1e-7})
    for (const int n : {1, 2, 3, 4, 7, 8, 12, 20}) {
      const double stated = zolotarev_error(n, k2);
      if (stated < 1e-11 || stated > 0.1) continue;
      const double found = largest_error(n, 1, 1 / k2);
      EXPECT_LT(found, 1.02 * stated) << n << " poles, " << k2;
      EXPECT_GT(found, 0.9 * stated) << n << " poles, " << k2;
    }
}

TEST(Zolotarev, ManyPolesReachRounding) {
  for (const double k2 : {0.3, 1e-4, 1e-8, 1e-10}) EXPECT_LT(largest_error(48, 1, 1 / k2), 3e-13);
}

TEST(Zolotarev, ScalesWithTheInterval) {
  // x^(-1/2) over [c a, c b]: shifts times c, weights times sqrt c.
  for (int i = 0; i < 8; ++i) {
    const ZolotarevPole one = zolotarev_pole(i, 8, 1, 1e3);
    const ZolotarevPole other = zolotarev_pole(i, 8, 4, 4e3);
    EXPECT_GT(one.shift, 0);
    EXPECT_GT(one.weight, 0);
    EXPECT_NEAR(other.shift / one.shift, 4, 1e-13);
    EXPECT_NEAR(other.weight / one.weight, 2, 1e-13);
  }
}

}  // namespace
}  // namespace spex
