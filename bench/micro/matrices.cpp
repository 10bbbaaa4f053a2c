#include "bench/micro/matrices.hpp"

#include <cmath>
#include <random>

namespace spex::bench {

std::vector<double> random_matrix(int n) {
  std::mt19937_64 random(static_cast<std::uint64_t>(n));
  // Wigner's: off-diagonal elements of variance 1/3 give eigenvalues within +-2 sqrt(n / 3).
  std::uniform_real_distribution<double> uniform(-1, 1);
  const std::size_t order = n;
  std::vector<double> A(order * order);
  for (std::size_t column = 0; column < order; ++column)
    for (std::size_t row = column; row < order; ++row)
      A[column * order + row] = A[row * order + column] =
          uniform(random) + (row == column ? 2 * std::sqrt(n) : 0);
  return A;
}

}  // namespace spex::bench
