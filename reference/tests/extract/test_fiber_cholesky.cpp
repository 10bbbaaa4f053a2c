// The way spectrum by spectrum, against the definition in long double, and what its guard refuses.

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "reference/extract/fiber_cholesky.hpp"
#include "reference/tests/extract/oracle.hpp"

namespace spex {
namespace {

// Spectra of bins whose spots are a row of pixels each, as wide as a Gaussian of `sigma` bins;
// neighbors see `leak` of them, and those two apart `far` of them. Of the light of the padding, the
// pixels see `padding`.
struct Shape {
  int nspec = 4;
  int nwave = 24;
  double sigma = 1.1;
  double leak = 1e-4;
  double far = 0;
  int wavepad = 0;
  double padding = 1;
};

constexpr int half_width = 4;  // of a spot, in bins

class PatchOfFibers {
 public:
  explicit PatchOfFibers(const Shape& shape) : shape_(shape) {
    const int n = shape.nspec * shape.nwave;
    equations.n = n;
    equations.N.assign(n * n, 0.0);
    equations.q.assign(n, 1.0);
    for (int j = 0; j < n; ++j)
      equations.y.push_back(seen(j % shape.nwave) * (1 + 0.5 * std::sin(0.7 * j)));
    for (int s = 0; s < shape.nspec; ++s)
      for (int t = 0; t <= s; ++t)
        for (int w = 0; w < shape.nwave; ++w)
          for (int v = 0; v < shape.nwave; ++v) {
            const int apart = s - t;
            if (apart == 0 && v > w) continue;
            const double share = apart == 0   ? 1
                                 : apart == 1 ? shape.leak
                                 : apart == 2 ? shape.far
                                              : 0;
            at(s, w, t, v) = share * seen(w) * seen(v) * overlap(s, w, t, v);
          }
  }
  // Element of the lower triangle: s > t, or s = t and w >= v.
  double& at(int s, int w, int t, int v) {
    return equations.N[(t * shape_.nwave + v) * equations.n + s * shape_.nwave + w];
  }
  [[nodiscard]] BlockRange core() const {
    return {1,
            shape_.nspec - 2,
            shape_.nwave,
            std::min(5, shape_.nwave - 1),
            shape_.wavepad,
            shape_.nwave - 2 * shape_.wavepad};
  }
  [[nodiscard]] FiberGuard solve(Decorrelated& result) const {
    StageTimes times;
    return decorrelate_fibers(by_spectra(equations, shape_.nwave), core(), result, times);
  }
  NormalEquations equations;

 private:
  // The part of a bin's light that the pixels see.
  [[nodiscard]] double seen(int w) const {
    const bool kept = w >= shape_.wavepad && w < shape_.nwave - shape_.wavepad;
    return kept ? 1 : shape_.padding;
  }
  [[nodiscard]] double spot(int s, int w, int pixel) const {
    const double d = (pixel - w) / (shape_.sigma * (1 + 0.05 * s));
    return std::abs(pixel - w) <= half_width ? std::exp(-0.5 * d * d) : 0.0;
  }
  // Pixels of unequal weight.
  [[nodiscard]] double overlap(int s, int w, int t, int v) const {
    double sum = 0;
    for (int pixel = -half_width; pixel < shape_.nwave + half_width; ++pixel)
      sum += spot(s, w, pixel) * spot(t, v, pixel) * (2 + std::cos(0.3 * pixel));
    return sum;
  }
  Shape shape_;
};

// The definition for the core of a patch, in long double.
struct Truth {
  std::vector<long double> f, flux, ivar;
  std::vector<test::Matrix> R;
};
Truth define(const NormalEquations& e, const BlockRange& blocks) {
  const std::size_t n = e.n;
  const std::size_t m = blocks.nwave;
  test::Matrix N(n, std::vector<test::Real>(n));
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = j; i < n; ++i) N[i][j] = N[j][i] = e.N[j * n + i];
  const test::Matrix C = test::inverse(N);
  Truth truth;
  truth.f.assign(n, 0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) truth.f[i] += C[i][j] * e.y[j];
  for (int s = blocks.spec_first; s < blocks.spec_first + blocks.nspec; ++s) {
    const std::size_t first = static_cast<std::size_t>(s) * m;
    test::Matrix block(m, std::vector<test::Real>(m));
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < m; ++j) block[i][j] = C[first + i][first + j];
    test::Matrix Q = test::symmetric_function(block, [](test::Real u) { return 1 / std::sqrt(u); });
    for (std::size_t i = 0; i < m; ++i) {
      test::Real r = 0, Qf = 0;
      for (std::size_t j = 0; j < m; ++j) r += Q[i][j], Qf += Q[i][j] * truth.f[first + j];
      truth.ivar.push_back(r * r);
      truth.flux.push_back(Qf / r);
      for (test::Real& q : Q[i]) q /= r;
    }
    truth.R.push_back(std::move(Q));
  }
  return truth;
}

// Largest pull of flux, relative error of ivar and error of R, of the bins that become output.
void expect_agreement(const PatchOfFibers& patch, const Decorrelated& result, double tolerance) {
  const BlockRange blocks = patch.core();
  const Truth truth = define(patch.equations, blocks);
  ASSERT_EQ(result.flux.size(), truth.flux.size());
  const std::size_t m = blocks.nwave;
  for (std::size_t k = 0; k < truth.flux.size(); ++k) {
    const std::size_t row = k % m;
    const int of_output = static_cast<int>(row) - blocks.wavepad;
    if (of_output < 0 || of_output >= blocks.nkept) continue;
    const auto sigma = static_cast<double>(1 / std::sqrt(truth.ivar[k]));
    EXPECT_NEAR(result.flux[k], static_cast<double>(truth.flux[k]), tolerance * sigma) << k;
    EXPECT_NEAR(result.ivar[k] / static_cast<double>(truth.ivar[k]), 1, tolerance) << k;
    for (std::size_t column = 0; column < m; ++column) {
      if (std::abs(static_cast<int>(row) - static_cast<int>(column)) > blocks.ndiag) continue;
      EXPECT_NEAR(result.R[k / m][column * m + row],
                  static_cast<double>(truth.R[k / m][row][column]), tolerance);
    }
  }
}

TEST(FiberCholesky, AgreesWithTheDefinition) {
  for (const Shape& shape :
       {Shape{}, Shape{.nspec = 3, .nwave = 7}, Shape{.nspec = 6, .leak = 1e-3},
        Shape{.sigma = 0.4}, Shape{.leak = 0}, Shape{.nspec = 3, .nwave = 1}}) {
    const PatchOfFibers patch(shape);
    Decorrelated result;
    ASSERT_EQ(patch.solve(result), FiberGuard::none);
    expect_agreement(patch, result, 1e-10);
  }
}

TEST(FiberCholesky, TheNextMoveFollowsFromTheLastTwo) {
  // rho = 0.01: moves of 100, 1, 1e-4, 1e-8.
  EXPECT_DOUBLE_EQ(fiber_sweeps::next_move(2, 100, 1), 1e-4);
  EXPECT_DOUBLE_EQ(fiber_sweeps::next_move(3, 1, 1e-4), 1e-8);
  EXPECT_EQ(fiber_sweeps::next_move(2, 0, 0), 0);
}

// From spectra that share nothing to those that share almost as much as the guard permits.
TEST(FiberCholesky, SweepsEndAtTheSolution) {
  for (const double leak : {0.0, 1e-5, 1e-3, 8e-3}) {
    const PatchOfFibers patch({.nspec = 5, .sigma = 0.9, .leak = leak});
    Decorrelated result;
    ASSERT_EQ(patch.solve(result), FiberGuard::none) << leak;
    const Truth truth = define(patch.equations, patch.core());
    const int n = patch.equations.n;
    for (int j = 0; j < n; ++j)
      EXPECT_NEAR(result.f[j], static_cast<double>(truth.f[j]),
                  2e-11 / std::sqrt(patch.equations.N[j * n + j]))
          << leak << ", bin " << j;
  }
}

TEST(FiberCholesky, ABinWithoutLightIsHeldByItsPrior) {
  PatchOfFibers patch({});
  for (int s = 0; s < 4; ++s)
    for (int w = 0; w < 24; ++w)
      for (int k = 0; k < 24; ++k)
        for (const int t : {1, 2}) {
          const bool dark = (s == 1 && w == 10) || (t == 1 && k == 10);
          if (dark && (s > t || (s == t && w >= k))) patch.at(s, w, t, k) = 0;
        }
  patch.at(1, 10, 1, 10) = 1e-7;
  for (int v = 0; v < 24; ++v) patch.at(1, 10, 0, v) = 0;
  patch.equations.y[24 + 10] = 0;
  Decorrelated result;
  ASSERT_EQ(patch.solve(result), FiberGuard::none);
  expect_agreement(patch, result, 1e-9);
}

TEST(FiberCholesky, DarkPaddingCostsNoDigits) {
  for (const double padding : {1e-3, 2e-4}) {  // condition numbers of 1e10 and 4e11
    const PatchOfFibers patch({.nwave = 30, .wavepad = 3, .padding = padding});
    Decorrelated result;
    ASSERT_EQ(patch.solve(result), FiberGuard::none);
    expect_agreement(patch, result, 1e-9);
  }
  Decorrelated result;
  const PatchOfFibers darker({.nwave = 30, .wavepad = 3, .padding = 1e-7});
  EXPECT_EQ(darker.solve(result), FiberGuard::condition);
}

TEST(FiberCholesky, GuardSeesEachCause) {
  Decorrelated result;
  EXPECT_EQ(PatchOfFibers({.far = 1e-9}).solve(result), FiberGuard::far_spectra);
  EXPECT_EQ(PatchOfFibers({.far = 1e-15}).solve(result), FiberGuard::none);
  EXPECT_EQ(PatchOfFibers({.leak = 0.1}).solve(result), FiberGuard::coupling);
  PatchOfFibers indefinite({});
  indefinite.at(1, 3, 1, 3) = -1;
  EXPECT_EQ(indefinite.solve(result), FiberGuard::not_positive);
  PatchOfFibers singular({});
  singular.at(2, 5, 2, 5) = 3e5;  // a condition of 1e9 to 1e10
  EXPECT_EQ(singular.solve(result), FiberGuard::condition);
  PatchOfFibers not_finite({});
  not_finite.equations.y[30] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(not_finite.solve(result), FiberGuard::not_positive);
  // Neighbors that share light in three bins far apart: small, but far from P's diagonal.
  PatchOfFibers scattered({.nwave = 40, .sigma = 0.8, .leak = 0});
  for (const int w : {8, 17, 26}) scattered.at(2, w, 1, w) = 2.5e-3;
  EXPECT_EQ(scattered.solve(result), FiberGuard::outside_the_band);
}

TEST(FiberCholesky, WhatTheGuardRefusesIsSolvedAsAWhole) {
  for (const Shape& shape : {Shape{.far = 1e-9}, Shape{.leak = 0.1}}) {
    const PatchOfFibers patch(shape);
    Decorrelated result;
    StageTimes times;
    EXPECT_EQ(decorrelate_cholesky(by_spectra(patch.equations, patch.core().nwave),
                                   Decorrelate::signal, patch.core(), result, times),
              CholeskyOutcome::whole_patch);
    const Truth truth = define(patch.equations, patch.core());
    for (std::size_t k = 0; k < truth.flux.size(); ++k)
      EXPECT_NEAR(result.flux[k], static_cast<double>(truth.flux[k]),
                  1e-10 / static_cast<double>(std::sqrt(truth.ivar[k])));
  }
}

}  // namespace
}  // namespace spex
