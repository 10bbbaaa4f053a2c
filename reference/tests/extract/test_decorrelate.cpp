#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "reference/extract/decorrelate.hpp"

namespace spex {
namespace {

NormalEquations equations(int n, std::vector<double> N, std::vector<double> y) {
  NormalEquations e;
  e.n = n;
  e.N = std::move(N);
  e.y = std::move(y);
  e.q.assign(n, 1.0);
  return e;
}

using Solver = bool (*)(const NormalEquations&, Decorrelate, const BlockRange&, Decorrelated&,
                        StageTimes&, const ReplaceF&);

class Decorrelation : public testing::TestWithParam<Solver> {
 protected:
  Decorrelated solve(const NormalEquations& e, Decorrelate decorrelate, const BlockRange& blocks,
                     const ReplaceF& replace_f = {}) {
    Decorrelated result;
    StageTimes times;
    EXPECT_TRUE(GetParam()(e, decorrelate, blocks, result, times, replace_f));
    return result;
  }
};

TEST_P(Decorrelation, DiagonalMatrixByHand) {
  // Two spectra of two bins, N = diag(4, 9, 16, 25): f = y / N, R = 1, ivar = N.
  const NormalEquations e =
      equations(4, {4, 0, 0, 0, 0, 9, 0, 0, 0, 0, 16, 0, 0, 0, 0, 25}, {4, 18, 48, 100});
  for (const Decorrelate decorrelate : {Decorrelate::signal, Decorrelate::noise}) {
    const Decorrelated result = solve(e, decorrelate, {1, 1, 2, 1});
    EXPECT_NEAR(result.f[0], 1, 1e-14);
    EXPECT_NEAR(result.f[3], 4, 1e-14);
    ASSERT_EQ(result.flux.size(), 2U);
    EXPECT_NEAR(result.flux[0], 3, 1e-14);
    EXPECT_NEAR(result.flux[1], 4, 1e-14);
    EXPECT_NEAR(result.ivar[0], 16, 1e-13);
    EXPECT_NEAR(result.ivar[1], 25, 1e-13);
    EXPECT_NEAR(result.R[0][0], 1, 1e-14);
    EXPECT_NEAR(result.R[0][1], 0, 1e-14);
  }
}

TEST_P(Decorrelation, SignalOfOneSpectrumByHand) {
  // N = [[2, 1], [1, 2]]: C^(-1/2) = N^(1/2) = [[a, b], [b, a]], a, b = (sqrt 3 +- 1) / 2.
  const NormalEquations e = equations(2, {2, 1, 1, 2}, {3, 0});  // f = (2, -1)
  const double a = (std::sqrt(3) + 1) / 2, b = (std::sqrt(3) - 1) / 2;
  for (const Decorrelate decorrelate : {Decorrelate::signal, Decorrelate::noise}) {
    const Decorrelated result = solve(e, decorrelate, {0, 1, 2, 1});
    EXPECT_NEAR(result.ivar[0], 3, 1e-14);
    EXPECT_NEAR(result.flux[0], (2 * a - b) / std::sqrt(3), 1e-14);
    EXPECT_NEAR(result.flux[1], (2 * b - a) / std::sqrt(3), 1e-14);
    EXPECT_NEAR(result.R[0][0], a / std::sqrt(3), 1e-14);
    EXPECT_NEAR(result.R[0][1], b / std::sqrt(3), 1e-14);
  }
}

TEST_P(Decorrelation, NoiseSumsOverAllSpectra) {
  // Two spectra of one bin each: signal sees 1x1 blocks of C, noise the whole N^(1/2).
  const NormalEquations e = equations(2, {2, 1, 1, 2}, {3, 0});
  const Decorrelated signal = solve(e, Decorrelate::signal, {0, 2, 1});
  EXPECT_NEAR(signal.flux[0], 2, 1e-14);
  EXPECT_NEAR(signal.ivar[0], 1.5, 1e-14);  // 1 / C_00 = 3/2
  const Decorrelated noise = solve(e, Decorrelate::noise, {0, 2, 1});
  const double a = (std::sqrt(3) + 1) / 2, b = (std::sqrt(3) - 1) / 2;
  EXPECT_NEAR(noise.ivar[0], 3, 1e-14);
  EXPECT_NEAR(noise.flux[0], (2 * a - b) / std::sqrt(3), 1e-14);
  EXPECT_NEAR(noise.R[0][0], a / std::sqrt(3), 1e-14);
}

TEST_P(Decorrelation, RowsOfRSumToOne) {
  const NormalEquations e = equations(3, {4, 1, 0.5, 1, 3, 1, 0.5, 1, 2}, {1, 2, 3});
  const Decorrelated result = solve(e, Decorrelate::signal, {0, 1, 3, 2});
  for (std::size_t row = 0; row < 3; ++row)
    EXPECT_NEAR(result.R[0][row] + result.R[0][3 + row] + result.R[0][6 + row], 1, 1e-14);
  // R's rows are divided by different sums, so R is not symmetric although Q is.
  EXPECT_GT(std::abs(result.R[0][1] - result.R[0][3]), 1e-3);
}

TEST_P(Decorrelation, FluxIsMadeOfTheFThatIsGiven) {
  const NormalEquations e = equations(3, {4, 1, 0.5, 1, 3, 1, 0.5, 1, 2}, {1, 2, 3});
  const Decorrelated own = solve(e, Decorrelate::signal, {0, 1, 3, 2});
  const Decorrelated given =
      solve(e, Decorrelate::signal, {0, 1, 3, 2}, [](std::vector<double>& f) {
        f = {5, -2, f[2]};
      });
  EXPECT_EQ(given.f, (std::vector<double>{5, -2, own.f[2]}));
  EXPECT_EQ(given.ivar, own.ivar);
  EXPECT_EQ(given.R, own.R);
  for (std::size_t row = 0; row < 3; ++row) {
    double flux = 0;  // R f
    for (std::size_t k = 0; k < 3; ++k) flux += own.R[0][3 * k + row] * given.f[k];
    EXPECT_NEAR(given.flux[row], flux, 1e-13);
  }
}

TEST_P(Decorrelation, NotFiniteIsAFailure) {
  const double not_a_number = std::numeric_limits<double>::quiet_NaN();
  Decorrelated result;
  StageTimes times;
  EXPECT_FALSE(GetParam()(equations(2, {1, 0, 0, not_a_number}, {1, 1}), Decorrelate::signal,
                          {0, 1, 2}, result, times, {}));
  EXPECT_FALSE(GetParam()(equations(2, {1, 0, 0, 1}, {not_a_number, 1}), Decorrelate::signal,
                          {0, 1, 2}, result, times, {}));
}

// As a method that can fail, however it does a patch.
bool cholesky(const NormalEquations& e, Decorrelate decorrelate, const BlockRange& blocks,
              Decorrelated& result, StageTimes& times, const ReplaceF& replace_f) {
  return decorrelate_cholesky(by_spectra(e, blocks.nwave), decorrelate, blocks, result, times,
                              replace_f) != CholeskyOutcome::failed;
}

template <EighRoutine routine>
bool eigh_by(const NormalEquations& e, Decorrelate decorrelate, const BlockRange& blocks,
             Decorrelated& result, StageTimes& times, const ReplaceF& replace_f) {
  return decorrelate_eigh(e, decorrelate, blocks, result, times, {replace_f, routine});
}

INSTANTIATE_TEST_SUITE_P(Methods, Decorrelation,
                         testing::Values(&eigh_by<EighRoutine::dsyevd>,
                                         &eigh_by<EighRoutine::dsyevr>, &decorrelate_whole_patch,
                                         &cholesky));

TEST(EighRoutines, MustBeLapacks) {
  Decorrelated result;
  StageTimes times;
  EXPECT_THROW(
      static_cast<void>(decorrelate_eigh(equations(1, {1}, {1}), Decorrelate::signal, {0, 1, 1},
                                         result, times, {{}, EighRoutine::syevj})),
      std::logic_error);
}

TEST(CholeskyFallback, RefusesWhatItCannotDo) {
  Decorrelated result;
  StageTimes times;
  const BlockRange blocks{0, 1, 2};
  const NormalEquations indefinite = equations(2, {1, 2, 2, 1}, {1, 1});
  EXPECT_EQ(
      decorrelate_cholesky(by_spectra(indefinite, 2), Decorrelate::signal, blocks, result, times),
      CholeskyOutcome::failed);
  // Beyond the bound eigh clips: the second eigenvalue becomes 1e-14.
  const NormalEquations near_singular = equations(2, {1, 0, 0, 1e-15}, {1, 1});
  EXPECT_EQ(decorrelate_cholesky(by_spectra(near_singular, 2), Decorrelate::signal, blocks, result,
                                 times),
            CholeskyOutcome::failed);
  EXPECT_TRUE(decorrelate_eigh(near_singular, Decorrelate::signal, blocks, result, times));
  EXPECT_NEAR(result.ivar[1] * 1e14, 1, 1e-12);
}

// Short of where eigh clips, and far beyond what the guard of spectra takes.
TEST(CholeskyFallback, IsSparedAPatchThatItsFactorCanDo) {
  Decorrelated result;
  StageTimes times;
  const NormalEquations poor = equations(2, {1, 0, 0, 2e-14}, {1, 1});
  EXPECT_EQ(
      decorrelate_cholesky(by_spectra(poor, 2), Decorrelate::signal, {0, 1, 2}, result, times),
      CholeskyOutcome::whole_patch);
  EXPECT_NEAR(result.flux[1] * 2e-14, 1, 1e-12);
}

TEST(EighDefinition, EigenvaluesAreClipped) {
  // N = diag(1, 1e-20): the second becomes 1e-14.
  Decorrelated result;
  StageTimes times;
  ASSERT_TRUE(decorrelate_eigh(equations(2, {1, 0, 0, 1e-20}, {1, 1}), Decorrelate::signal,
                               {0, 1, 2}, result, times));
  EXPECT_NEAR(result.f[1] * 1e-14, 1, 1e-12);
}

}  // namespace
}  // namespace spex
