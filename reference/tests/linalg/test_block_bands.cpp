#include <gtest/gtest.h>

#include "reference/linalg/block_bands.hpp"

namespace spex {
namespace {

TEST(BlockBands, HoldsTheMatrixThatItIsMadeOf) {
  // Three spectra of four bins: neighbors share light as far as two bins, own bins three.
  const int m = 4, n = 12;
  std::vector<double> N(n * n, 0.0);
  for (int j = 0; j < n; ++j)
    for (int i = j; i < n; ++i) {
      const int apart = i / m - j / m;
      const int bins = std::abs(i % m - j % m);
      if ((apart == 0 && bins <= 1) || (apart == 1 && bins <= 2)) N[j * n + i] = 100 * i + j + 1;
    }
  const BlockBands bands(N, n, m);
  EXPECT_EQ(bands.nspec(), 3);
  EXPECT_EQ(bands.n(), n);
  EXPECT_EQ(bands.reach(), 2);
  EXPECT_EQ(bands.apart(), 1);
  EXPECT_EQ(bands.dense(), N);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i)
      EXPECT_EQ(bands.at(i / m, i % m, j / m, j % m), N[std::min(i, j) * n + std::max(i, j)]);
  EXPECT_EQ(BlockBands(N, n, m, 9).reach(), 3) << "no farther than there are bins";
}

}  // namespace
}  // namespace spex
