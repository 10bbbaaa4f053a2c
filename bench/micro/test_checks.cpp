// The checks of micro-benchmarks detect wrong results.
#include <cmath>
#include <stdexcept>

#include <gtest/gtest.h>

#include "bench/micro/checks.hpp"

namespace spex::bench {
namespace {

TEST(Checks, NumbersThatAreOffOrMissing) {
  EXPECT_NO_THROW(require_close("x", {1, 2}, {1, 2.001}, 0.01));
  EXPECT_THROW(require_close("x", {1, 2}, {1, 2.1}, 0.01), std::runtime_error);
  EXPECT_THROW(require_close("x", {1, std::nan("")}, {1, 2}, 0.01), std::runtime_error);
  EXPECT_THROW(require_close("x", {1}, {1, 2}, 0.01), std::runtime_error);
}

// [[2, 1], [1, 2]] has the eigenvalues 1 and 3.
TEST(Checks, Decompositions) {
  const std::vector<double> A{2, 1, 1, 2};
  const double h = std::sqrt(0.5);
  EXPECT_NO_THROW(require_decomposition("x", A, 2, {h, -h, h, h}, {1, 3}));
  EXPECT_THROW(require_decomposition("x", A, 2, {h, -h, h, h}, {1, 3.1}), std::runtime_error);
}

}  // namespace
}  // namespace spex::bench
