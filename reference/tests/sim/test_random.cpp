// Compares the distributions of reference/sim/random.hpp with their moments and definitions.

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "reference/sim/random.hpp"

namespace {

using spex::Random;
using spex::Stream;

struct Moments {
  double mean = 0;
  double variance = 0;
};

template <class Draw>
Moments moments(int count, const Draw& draw) {
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < count; ++i) {
    const double value = draw();
    sum += value;
    squares += value * value;
  }
  const double mean = sum / count;
  return {mean, squares / count - mean * mean};
}

constexpr int draws = 100000;

TEST(Random, DependsOnTheKeys) {
  Random a(Stream::noise, {1, 2}), same(Stream::noise, {1, 2});
  Random other_key(Stream::noise, {1, 3}), other_use(Stream::cosmics, {1, 2});
  const double value = a.uniform();
  EXPECT_EQ(value, same.uniform());
  EXPECT_NE(value, other_key.uniform());
  EXPECT_NE(value, other_use.uniform());
}

TEST(Random, NormalHasMomentsOfAUnitNormal) {
  Random random(Stream::noise, {1});
  std::vector<double> values;
  const Moments m = moments(draws, [&] { return values.emplace_back(random.normal()); });
  EXPECT_NEAR(m.mean, 0, 5 / std::sqrt(draws));
  EXPECT_NEAR(m.variance, 1, 5 * std::sqrt(2.0 / draws));
  int inside = 0;
  for (const double value : values) inside += std::abs(value) < 1 ? 1 : 0;
  EXPECT_NEAR(inside / static_cast<double>(draws), 0.682689, 5 * std::sqrt(0.22 / draws));
}

TEST(Random, PoissonVarianceEqualsItsMeanForBothMethods) {
  for (const double mean : {0.05, 1.0, 9.9, 10.0, 35.0, 1e4, 1e7}) {
    Random random(Stream::noise, {7});
    const Moments m = moments(draws, [&] { return random.poisson(mean); });
    EXPECT_NEAR(m.mean, mean, 5 * std::sqrt(mean / draws)) << mean;
    // The fourth central moment of a Poisson variable is mean (1 + 3 mean).
    const double spread = std::sqrt((mean + 2 * mean * mean) / draws);
    EXPECT_NEAR(m.variance, mean, 5 * spread) << mean;
  }
}

TEST(Random, PoissonFollowsItsProbabilities) {
  for (const double mean : {3.0, 12.0}) {
    Random random(Stream::noise, {3});
    std::vector<int> seen(100, 0);
    for (int i = 0; i < draws; ++i) {
      const double k = random.poisson(mean);
      ASSERT_EQ(k, std::floor(k));
      ASSERT_GE(k, 0);
      ++seen.at(static_cast<std::size_t>(k));
    }
    double probability = std::exp(-mean);
    for (int k = 0; k < 25; ++k) {
      const double expected = draws * probability;
      EXPECT_NEAR(seen[static_cast<std::size_t>(k)], expected, 5 * std::sqrt(expected) + 3)
          << "mean " << mean << ", k " << k;
      probability *= mean / (k + 1);
    }
  }
}

TEST(Random, PoissonOfZeroIsZero) {
  Random random(Stream::noise, {1});
  for (int i = 0; i < 100; ++i) EXPECT_EQ(random.poisson(0), 0);
}

}  // namespace
