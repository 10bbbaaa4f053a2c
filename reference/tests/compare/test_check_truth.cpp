#include <algorithm>
#include <cmath>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/compare/check_truth.hpp"
#include "reference/core/error.hpp"
#include "reference/tests/compare/frames.hpp"

namespace spex::check_truth_test {
namespace {

using test::values;

constexpr int nfiber = 60;  // in the truth; the frame has 50 from fiber 5 on
constexpr int nspec = 50;
constexpr int nwave = 1000;
constexpr int ndiag = 2;
constexpr int ndiagonals = 2 * ndiag + 1;
constexpr int specmin = 5;
constexpr int before = 7;  // bins of the truth before the frame's first

std::size_t at(int s, int w) {
  return static_cast<std::size_t>(s) * nwave + static_cast<std::size_t>(w);
}

// Spectra of narrow lines, so that a shift by one bin far exceeds the noise.
TruthFile make_truth() {
  TruthFile truth;
  truth.path = "truth.fits";
  truth.nfiber = nfiber;
  truth.nwave = nwave + 20;
  for (long long w = 0; w < truth.nwave; ++w)
    truth.wave.push_back(6000 + 0.8 * static_cast<double>(w - before));
  for (int s = 0; s < nfiber; ++s)
    for (long long w = 0; w < truth.nwave; ++w)
      truth.flux.push_back(100 + 3 * s + ((w + s) % 9 == 0 ? 400.0 : 0.0));
  return truth;
}

std::vector<double> unit_normal(double scale = 1, double bias = 0) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal(bias, scale);
  std::vector<double> noise(static_cast<std::size_t>(nspec) * nwave);
  std::generate(noise.begin(), noise.end(), [&] { return normal(random); });
  return noise;
}

// A frame with flux R truth + noise / sqrt(ivar), where R is a full matrix.
FrameFile make_frame(const TruthFile& truth, const std::vector<double>& noise) {
  FrameFile frame;
  frame.path = "frame.fits";
  frame.specmin = specmin;
  const auto bins = [](const char* name) {
    return FrameImage{name, {nspec, nwave}, false, std::vector<double>(at(nspec, 0))};
  };
  FrameImage wave{"WAVELENGTH", {nwave}, false, {}};
  for (int w = 0; w < nwave; ++w) wave.value.push_back(6000 + 0.8 * w);
  FrameImage R{"RESOLUTION", {nspec, ndiagonals, nwave}, false, {}};
  FrameImage flux = bins("FLUX"), ivar = bins("IVAR"), mask = bins("MASK");
  // R[j - ndiag + d][j], asymmetric and varying along the diagonal.
  const auto element = [](int s, int d, int j) {
    return std::vector{0.02, 0.15, 0.6, 0.2, 0.03}[static_cast<std::size_t>(d)] *
           (1 + 0.001 * s + 0.1 * std::sin(0.1 * j));
  };
  for (int s = 0; s < nspec; ++s) {
    for (int d = 0; d < ndiagonals; ++d)
      for (int w = 0; w < nwave; ++w) R.value.push_back(element(s, d, w));
    const double* f = truth.flux.data() + (specmin + s) * truth.nwave + before;
    for (int w = 0; w < nwave; ++w) {
      double expected = 0;
      for (int j = std::max(0, w - ndiag); j <= std::min(nwave - 1, w + ndiag); ++j)
        expected += element(s, w - j + ndiag, j) * f[j];
      ivar.value[at(s, w)] = 0.01 + 0.005 * std::sin(0.01 * w + s);
      flux.value[at(s, w)] = expected + noise[at(s, w)] / std::sqrt(ivar.value[at(s, w)]);
    }
  }
  frame.images = {flux, ivar, mask, wave, R};
  return frame;
}

const TruthFile& truth() {
  static const TruthFile made = make_truth();
  return made;
}

const FrameFile& good_frame() {
  static const FrameFile made = make_frame(truth(), unit_normal());
  return made;
}

// The names of the failed checks.
std::vector<std::string> failures(const TruthCheck& check) {
  std::vector<std::string> what;
  for (const Check& one : check.checks)
    if (!one.ok()) what.push_back(one.what);
  return what;
}

std::vector<std::string> failures(const FrameFile& frame) {
  return failures(check_truth(frame, truth()));
}

using List = std::vector<std::string>;

TEST(ApplyResolution, UsesTheColumnsOfR) {
  // R = [[1, 4, 0], [2, 5, 7], [0, 6, 8]]; stored[d][j] = R[j - 1 + d][j], 99 outside R.
  const std::vector<double> stored{99, 4, 7, 1, 5, 8, 2, 6, 99};
  const std::vector<double> f{1, 10, 100};
  EXPECT_EQ(apply_resolution(stored.data(), 3, f.data(), 3), (std::vector<double>{41, 752, 860}));
}

TEST(CheckTruth, UnitNormalPullsPass) {
  const TruthCheck check = check_truth(good_frame(), truth());
  EXPECT_EQ(failures(check), List{});
  EXPECT_EQ(check.pulls.bins, nspec * (nwave - 2 * ndiag));
  EXPECT_NEAR(check.pulls.mean, 0, 0.02);
  EXPECT_NEAR(check.pulls.std, 1, 0.02);
}

TEST(CheckTruth, StatisticsByHand) {
  // Five used bins with pulls 0, 1, 2, 3, 10; the pairs are (0, 1), (1, 2), (2, 3), (3, 10).
  FrameFile frame = make_frame(truth(), std::vector<double>(at(nspec, 0), 0.0));
  std::fill(values(frame, "MASK").begin(), values(frame, "MASK").end(), 1.0);
  const std::vector<double> pulls{0, 1, 2, 3, 10};
  for (int k = 0; k < 5; ++k) {
    const std::size_t j = at(3, 500 + k);
    values(frame, "MASK")[j] = 0;
    values(frame, "FLUX")[j] +=
        pulls[static_cast<std::size_t>(k)] / std::sqrt(values(frame, "IVAR")[j]);
  }
  const PullStatistics statistics = check_truth(frame, truth()).pulls;
  EXPECT_EQ(statistics.bins, 5);
  EXPECT_NEAR(statistics.mean, 3.2, 1e-9);
  EXPECT_NEAR(statistics.std, std::sqrt(12.56), 1e-9);
  // Percentile p is at 4 p / 100: 0.6346, and 3.3654 between 3 and 10.
  EXPECT_NEAR(statistics.half_width, (3 + 0.3654 * 7 - 0.6346) / 2, 1e-9);
  // x = 0, 1, 2, 3 and y = 1, 2, 3, 10 minus their means 1.5 and 4.
  const double xy = -1.5 * -3 + -0.5 * -2 + 0.5 * -1 + 1.5 * 6;
  EXPECT_NEAR(statistics.correlation, xy / std::sqrt(5.0 * 50.0), 1e-9);
}

TEST(CheckTruth, BiasFails) {
  EXPECT_EQ(failures(make_frame(truth(), unit_normal(1, 0.1))), List{"|mean pull|"});
}

TEST(CheckTruth, WrongIvarFails) {
  for (const double scale : {1.05, 0.95})
    EXPECT_EQ(failures(make_frame(truth(), unit_normal(scale))),
              (List{"|std of pull - 1|", "|68% half-width of pull - 1|"}));
  FrameFile frame = good_frame();  // half of the 5 % above
  for (double& ivar : values(frame, "IVAR")) ivar *= 1.05;
  EXPECT_FALSE(failures(frame).empty());
}

TEST(CheckTruth, CorrelatedNeighborsFail) {
  std::vector<double> noise = unit_normal();
  const double rho = 0.1;
  for (std::size_t j = 1; j < noise.size(); ++j)
    noise[j] = rho * noise[j - 1] + std::sqrt(1 - rho * rho) * noise[j];
  EXPECT_EQ(failures(make_frame(truth(), noise)), List{"|correlation of neighbors|"});
}

TEST(CheckTruth, HeavyTailsFail) {
  // A standard deviation of 1 from a narrow core and a few outliers.
  std::vector<double> noise = unit_normal(0.9);
  for (std::size_t j = 0; j < noise.size(); j += 100) noise[j] = j % 200 == 0 ? 4.36 : -4.36;
  EXPECT_EQ(failures(make_frame(truth(), noise)), List{"|68% half-width of pull - 1|"});
}

TEST(CheckTruth, ShiftByOneBinOrOneFiberFails) {
  for (const long long shift : {1LL, static_cast<long long>(nwave)}) {
    FrameFile frame = good_frame();
    std::rotate(values(frame, "FLUX").begin(), values(frame, "FLUX").begin() + shift,
                values(frame, "FLUX").end());
    EXPECT_FALSE(failures(frame).empty()) << shift;
  }
}

TEST(CheckTruth, TransposedResolutionFails) {
  FrameFile frame = good_frame();
  std::vector<double>& R = values(frame, "RESOLUTION");
  const std::vector<double> old = R;
  for (int s = 0; s < nspec; ++s)
    for (int d = 0; d < ndiagonals; ++d)
      std::copy_n(old.begin() + (s * ndiagonals + ndiagonals - 1 - d) * nwave, nwave,
                  R.begin() + (s * ndiagonals + d) * nwave);
  EXPECT_FALSE(failures(frame).empty());
}

TEST(CheckTruth, MaskedBinsAndTheEndsOfTheGridAreIgnored) {
  FrameFile frame = good_frame();
  for (int s = 0; s < nspec; ++s) {
    for (const int w : {0, 1, nwave - 2, nwave - 1}) values(frame, "FLUX")[at(s, w)] = 1e9;
    values(frame, "FLUX")[at(s, 100)] = 1e9;
    values(frame, "MASK")[at(s, 100)] = 1;
    values(frame, "FLUX")[at(s, 200)] = 1e9;
    values(frame, "IVAR")[at(s, 200)] = 0;
  }
  const TruthCheck check = check_truth(frame, truth());
  EXPECT_EQ(failures(check), List{});
  EXPECT_EQ(check.pulls.bins, nspec * (nwave - 2 * ndiag - 2));
  values(frame, "FLUX")[at(0, 2)] = 1e9;
  EXPECT_FALSE(failures(frame).empty());
}

TEST(CheckTruth, NanFailsEvenIfMasked) {
  FrameFile frame = good_frame();
  values(frame, "FLUX")[at(1, 2)] = std::nan("");
  values(frame, "MASK")[at(1, 2)] = 1;
  EXPECT_EQ(failures(frame), List{"not finite, or ivar < 0"});
}

TEST(CheckTruth, TooFewBinsFail) {
  FrameFile frame = good_frame();
  std::vector<double>& mask = values(frame, "MASK");
  std::fill(mask.begin() + static_cast<std::ptrdiff_t>(at(1, ndiag + 4)), mask.end(), 1.0);
  const TruthCheck check = check_truth(frame, truth());
  EXPECT_EQ(check.pulls.bins, 1000);
  EXPECT_TRUE(check.checks.at(2).ok());
  mask[at(0, 500)] = 1;
  EXPECT_EQ(failures(frame).at(0), "too few unmasked bins");
  std::fill(mask.begin(), mask.end(), 1.0);
  EXPECT_EQ(failures(frame).size(), 6U);
}

TEST(CheckTruth, MissingFibersFail) {
  FrameFile frame = good_frame();
  for (int s = 0; s < nspec; s += 2)
    for (int w = 0; w < nwave; ++w) {
      values(frame, "IVAR")[at(s, w)] = 0;
      values(frame, "MASK")[at(s, w)] = 1;
    }
  const TruthCheck check = check_truth(frame, truth());
  EXPECT_EQ(failures(check), List{"fibers with too few unmasked bins"});
  const auto& coverage = *std::find_if(check.checks.begin(), check.checks.end(),
                                       [](const Check& one) { return !one.ok(); });
  EXPECT_EQ(coverage.bad, nspec / 2);
  EXPECT_EQ(coverage.first_bad->fiber, specmin);
}

TEST(CheckTruth, OneWrongFiberFails) {
  FrameFile frame = good_frame();
  for (int w = 0; w < nwave; ++w)
    values(frame, "FLUX")[at(7, w)] += 0.3 / std::sqrt(values(frame, "IVAR")[at(7, w)]);
  EXPECT_EQ(failures(frame), List{"|mean pull| of a fiber, sigmas"});
}

// Errors at the edges of patches, in proportion to the flux, widen the pulls of a bright fiber.
TEST(CheckTruth, SeamsOfABrightFiberPass) {
  constexpr int fiber = 7;
  TruthFile bright = truth();
  for (long long w = 0; w < bright.nwave; ++w)  // S/N 300 per bin
    bright.flux[static_cast<std::size_t>((specmin + fiber) * bright.nwave + w)] *= 20;
  const auto failures_of = [&](double error, const char* solver) {
    FrameFile frame = make_frame(bright, unit_normal());
    frame.flux_solver = solver;
    frame.nwavestep = 50;
    for (int w = 0; w < nwave; ++w)
      if (w % 50 < 5 || w % 50 >= 45)
        values(frame, "FLUX")[at(fiber, w)] *= 1 + (w % 4 < 2 ? error : -error);
    return failures(check_truth(frame, bright));
  };
  const std::string too_wide = "|std of pull - 1| of a fiber, sigmas";
  EXPECT_EQ(failures_of(0.006, "patch"), List{});
  EXPECT_THAT(failures_of(0.006, "frame"), testing::Contains(too_wide));
  EXPECT_THAT(failures_of(0.0095, "patch"), testing::Contains(too_wide));
}

// For 1.4 million bins of a full frame a deviation of a tenth of sigma is detected; for 50,000 it
// is not.
TEST(CheckTruth, LimitsDependOnTheNumberOfBins) {
  const PullLimits few = pull_limits(50'000, 50'000);
  const PullLimits many = pull_limits(1'400'000, 1'400'000);
  EXPECT_NEAR(few.std, 6 / std::sqrt(2 * 50'000.0), 1e-5);
  EXPECT_NEAR(many.mean, 0.005 + 6 / std::sqrt(1.4e6), 1e-9);
  EXPECT_NEAR(many.correlation, 6 / std::sqrt(1.4e6), 1e-9);
  const double with_noise = std::sqrt(1 + 0.1 * 0.1) - 1;
  EXPECT_GT(with_noise, many.std);
  EXPECT_LT(with_noise, few.std);
}

TEST(CheckTruth, FramesTogether) {
  // Values 0, 2 and 1, 1, 4: mean 8/5, mean square 22/5.
  const std::vector<Check> checks = check_together(
      {{.bins = 2, .mean = 1, .std = 1}, {.bins = 3, .mean = 2, .std = std::sqrt(2)}});
  EXPECT_NEAR(checks.at(0).largest, 1.6, 1e-12);
  EXPECT_NEAR(checks.at(1).largest, std::sqrt(22.0 / 5 - 1.6 * 1.6) - 1, 1e-12);
  // Each of 30 frames is within its limit, but all together are not.
  const PullStatistics frame{.bins = 1'400'000, .mean = 0, .std = 1.002};
  EXPECT_LT(std::abs(frame.std - 1), pull_limits(frame.bins, frame.bins).std);
  EXPECT_FALSE(check_together(std::vector<PullStatistics>(30, frame)).at(1).ok());
  EXPECT_TRUE(check_together({frame}).at(1).ok());
}

TEST(CheckTruth, MissingHduFails) {
  for (const char* hdu : {"FLUX", "IVAR", "MASK", "WAVELENGTH", "RESOLUTION"}) {
    FrameFile frame = good_frame();
    std::erase_if(frame.images, [&](const FrameImage& image) { return image.name == hdu; });
    EXPECT_EQ(failures(frame), List{"HDUs missing or misshaped"}) << hdu;
  }
}

TEST(CheckTruth, TruthOfAnotherGridOrOtherFibersIsAnError) {
  TruthFile shifted = truth();
  for (double& wave : shifted.wave) wave += 0.4;
  EXPECT_THROW((void)check_truth(good_frame(), shifted), Error);
  TruthFile wider = truth();
  for (std::size_t w = 0; w < wider.wave.size(); ++w)
    wider.wave[w] = truth().wave[0] + 0.8001 * static_cast<double>(w);
  EXPECT_THROW((void)check_truth(good_frame(), wider), Error);
  FrameFile late = good_frame();
  for (double& wave : values(late, "WAVELENGTH")) wave += 0.8 * 20;
  EXPECT_THROW((void)check_truth(late, truth()), Error);
  FrameFile beyond = good_frame();
  beyond.specmin = nfiber - nspec + 1;
  EXPECT_THROW((void)check_truth(beyond, truth()), Error);
}

}  // namespace
}  // namespace spex::check_truth_test
