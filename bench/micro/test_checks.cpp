// A benchmark whose result is wrong ends with an error: the checks see what they are for.
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

// [[2, 1], [1, 2]] has the eigenvalues 1 and 3, and its root is told by theirs.
TEST(Checks, DecompositionsAndRoots) {
  const std::vector<double> A{2, 1, 1, 2};
  const double h = std::sqrt(0.5);
  EXPECT_NO_THROW(require_decomposition("x", A, 2, {h, -h, h, h}, {1, 3}));
  EXPECT_THROW(require_decomposition("x", A, 2, {h, -h, h, h}, {1, 3.1}), std::runtime_error);
  const double a = (1 + 1 / std::sqrt(3.0)) / 2;
  const double b = (1 / std::sqrt(3.0) - 1) / 2;
  EXPECT_NO_THROW(require_inverse_root("x", A, 2, {a, b, b, a}, 1e-12));
  EXPECT_THROW(require_inverse_root("x", A, 2, {a, b, b, a + 1e-6}, 1e-12), std::runtime_error);
}

TEST(Checks, LowerTriangles) {
  const std::vector<double> A{1, 2, 3, 4, 5, 6, 7, 8, 9};
  EXPECT_EQ(lower_triangle(A.data(), 3), (std::vector<double>{1, 2, 3, 5, 6, 9}));
}

}  // namespace
}  // namespace spex::bench
