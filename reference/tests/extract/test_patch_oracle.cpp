// Whole patches against the long-double oracle: every edge, every kind of masking, every method.

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "reference/extract/decorrelate.hpp"
#include "reference/extract/patch.hpp"
#include "reference/extract/weights.hpp"
#include "reference/model/mask_bits.hpp"
#include "reference/model/milestones.hpp"
#include "reference/tests/extract/oracle.hpp"
#include "reference/tests/support/special_numbers.hpp"
#include "reference/tests/support/synthetic.hpp"

namespace spex {
namespace {

using test::inf;
using test::nan;

struct Case {
  std::string name;
  test::PsfShape shape{};
  double lambda = 995;  // first core bin, Angstrom
  double step = 1;      // of bins, Angstrom
  std::function<void(Preproc&)> spoil = [](Preproc&) {};
  std::function<void(ExtractOptions&)> choose = [](ExtractOptions&) {};
  int nkept = 6;
  bool near_singular = false;  // eigenvalues of N so far apart that the guard speaks
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.name;
}

std::vector<Case> cases() {
  const auto pixel = [](Preproc& p, int x, int y) {
    return static_cast<std::size_t>(y * p.nx + x);
  };
  const auto mask_box = [](int x0, int x1, int y0, int y1) {
    return [=](Preproc& p) {
      for (int y = y0; y < y1; ++y)
        for (int x = x0; x < x1; ++x) p.mask[y * p.nx + x] = 1;
    };
  };
  return {
      {.name = "middle"},
      {.name = "left_edge", .shape = {.x_first = 0}},
      {.name = "right_edge", .shape = {.nx = 22}},
      {.name = "bottom_edge", .shape = {.y_middle = 6}},
      {.name = "top_edge", .shape = {.ny = 36}},
      {.name = "corner", .shape = {.nx = 22, .x_first = 1, .y_middle = 5}},
      {.name = "one_fiber", .shape = {.nfiber = 1}},
      {.name = "one_wavelength", .nkept = 1},
      {.name = "surplus_bins", .nkept = 4},
      {.name = "masked_bins", .spoil = mask_box(0, 40, 26, 34)},
      {.name = "masked_column", .spoil = mask_box(14, 15, 0, 60)},
      {.name = "masked_fiber", .spoil = mask_box(10, 19, 0, 60)},
      // Several bins see light at the rim of the box alone, and the same: no prior holds them.
      {.name = "rim_of_masked_bins",
       .shape = {.hsizey = 3},
       .lambda = 997,
       .step = 0.6,
       .spoil = mask_box(10, 19, 26, 32),
       .near_singular = true},
      {.name = "masked_corner", .spoil = mask_box(0, 12, 0, 30)},
      {.name = "nan_pixel", .spoil = [=](Preproc& p) { p.image.set(pixel(p, 14, 30), nan); }},
      {.name = "infinite_pixel", .spoil = [=](Preproc& p) { p.image.set(pixel(p, 14, 30), -inf); }},
      {.name = "nan_ivar", .spoil = [=](Preproc& p) { p.ivar.set(pixel(p, 14, 30), nan); }},
      {.name = "infinite_ivar", .spoil = [=](Preproc& p) { p.ivar.set(pixel(p, 14, 30), inf); }},
      {.name = "negative_ivar", .spoil = [=](Preproc& p) { p.ivar.set(pixel(p, 14, 30), -1); }},
      {.name = "regularized", .choose = [](ExtractOptions& o) { o.regularize = 0.02; }},
      {.name = "pixpad_0", .choose = [](ExtractOptions& o) { o.pixpad_frac = 0; }},
      {.name = "pixpad_1", .choose = [](ExtractOptions& o) { o.pixpad_frac = 1; }},
      {.name = "noise", .choose = [](ExtractOptions& o) { o.decorrelate = Decorrelate::noise; }},
  };
}

class PatchOracle : public testing::TestWithParam<std::tuple<Case, Method, Milestone>> {};

void expect_close(double value, long double expected, double scale, double tolerance,
                  const std::string& what) {
  EXPECT_NEAR(value, static_cast<double>(expected), tolerance * scale) << what;
}

// Bin w of the core's spectrum is bin j of the truth.
void expect_bin(const PatchResult& result, const test::OracleResult& truth, int w, std::size_t j,
                double tolerance) {
  const std::size_t k = w;
  const std::string bin = "bin " + std::to_string(w);
  const auto sigma = static_cast<double>(1 / std::sqrt(truth.ivar[j]));
  expect_close(result.flux[k], truth.flux[j], sigma, tolerance, "flux " + bin);
  expect_close(result.ivar[k], truth.ivar[j], static_cast<double>(truth.ivar[j]), tolerance,
               "ivar " + bin);
  expect_close(result.pixmask_fraction[k], truth.pixmask_fraction[j], 1, 1e-13, "pixmask " + bin);
  expect_close(result.chi2pix[k], truth.chi2pix[j], static_cast<double>(truth.chi2pix[j]),
               tolerance, "chi2pix " + bin);
}

void expect_no_data(const PatchResult& result, int w, int ndiag) {
  const std::size_t k = w;
  const std::string bin = "bin " + std::to_string(w);
  EXPECT_EQ(result.flux[k], 0) << bin;
  EXPECT_EQ(result.ivar[k], 0) << bin;
  EXPECT_EQ(result.chi2pix[k], 0) << bin;
  EXPECT_EQ(result.pixmask_fraction[k], 1) << bin;
  for (int d = 0; d <= 2 * ndiag; ++d) EXPECT_EQ(result.resolution[d * result.nwave + w], 0) << bin;
}

// The largest pixel of the model.
double expect_model(const PatchResult& result, const test::OracleResult& truth, double tolerance) {
  double largest = 0;
  double largest_f = 0;
  for (const test::Real f : truth.f)
    largest_f = std::max(largest_f, static_cast<double>(std::abs(f)));
  for (int y = result.y0; y < result.y1; ++y)
    for (int x = result.x0; x < result.x1; ++x) {
      const double value = result.model[(y - result.y0) * (result.x1 - result.x0) + x - result.x0];
      const auto expected = truth.model[y][x];
      expect_close(value, expected, largest_f, tolerance, "model");
      largest = std::max(largest, std::abs(value));
    }
  return largest;
}

TEST_P(PatchOracle, Agrees) {
  const auto& [c, method, milestone] = GetParam();
  const Psf psf = test::make_psf(c.shape);
  const Pixels noise = test::make_pixels_of_noise(psf.npix_x, psf.npix_y);
  Preproc preproc;
  preproc.nx = noise.nx;
  preproc.ny = noise.ny;
  preproc.image = noise.value;
  preproc.ivar = noise.weight;
  preproc.mask.assign(noise.value.size(), 0);
  c.spoil(preproc);
  const Pixels pixels = make_pixels(std::move(preproc), ccdmask::rejected);

  // The middle fiber (of three) or the only one is the core.
  Patch patch;
  patch.pad_below = patch.pad_above = psf.nfiber == 3 ? 1 : 0;
  patch.spec_first = patch.pad_below;
  patch.nspec = 1;
  patch.nwave = 6;
  patch.nkept = c.nkept;
  patch.wavepad = 3;
  const Spots spots = evaluate_spots(psf, 0, psf.nfiber,
                                     WaveGrid{c.lambda, c.step, 6}.range(-3, patch.padded_nwave()));
  ExtractOptions options;
  options.method = method;
  options.milestone = milestone;
  options.model = true;
  c.choose(options);
  const double psferr = 0.02;

  StageTimes times;
  const PatchResult result = extract_patch(patch, {&spots, 0, 0, psf.nfiber, patch.padded_nwave()},
                                           {pixels, options, psferr}, times);
  const test::OracleResult truth = test::oracle(patch, spots, pixels, options, psferr);

  // What rounding alone can do: condition number times the spacing of doubles, with room for the
  // length of the sums. Bins beside masked or missing pixels are nearly unconstrained. Roots by
  // one-sided Jacobi keep more: eigenvectors would miss the last tolerance by a factor of hundreds.
  if (c.near_singular) {
    EXPECT_GT(truth.condition, eigh_condition_bound) << "the case tests nothing";
  }
  const double rounding =
      30 * std::numeric_limits<double>::epsilon() * static_cast<double>(truth.condition);
  const double tolerance = c.near_singular ? 1e-7 : std::max(1e-12, rounding);
  EXPECT_LT(tolerance, 1e-3) << "the case tests nothing";

  ASSERT_EQ(result.nwave, c.nkept);
  // Solved by the method asked for, if need be by its way for spectra that share much light.
  EXPECT_TRUE(
      result.status == PatchStatus::ok ||
      ((method == Method::cholesky || c.near_singular) && result.status == PatchStatus::guarded));
  const int m = patch.padded_nwave();
  const int ndiag = psf.hsizey;
  int constrained = 0;
  for (int w = 0; w < c.nkept; ++w) {
    const std::size_t j = patch.pad_below * m + patch.wavepad + w;
    if (truth.q[j] == 0) {
      expect_no_data(result, w, ndiag);
      continue;
    }
    ++constrained;
    expect_bin(result, truth, w, j, tolerance);
    for (int d = 0; d <= 2 * ndiag; ++d) {
      // Stored: rows w - ndiag ... w + ndiag of column w.
      const int row = patch.wavepad + w - ndiag + d;
      const test::Real R = row >= 0 && row < m ? truth.R[patch.pad_below * m + row][j] : 0;
      expect_close(result.resolution[d * c.nkept + w], R, 1, tolerance,
                   "resolution bin " + std::to_string(w) + " diagonal " + std::to_string(d));
    }
  }
  if (c.name != "masked_fiber") {
    EXPECT_GT(constrained, 0) << "the case tests nothing";
  }

  const double largest = expect_model(result, truth, tolerance);
  if (constrained > 0) {
    EXPECT_GT(largest, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(All, PatchOracle,
                         testing::Combine(testing::ValuesIn(cases()),
                                          testing::Values(Method::eigh, Method::cholesky),
                                          testing::ValuesIn(milestones_of(Device::cpu))),
                         [](const auto& parameter) {
                           std::string name = std::get<0>(parameter.param).name + "_" +
                                              to_string(std::get<1>(parameter.param)) + "_" +
                                              to_string(std::get<2>(parameter.param));
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Oracle, InvertsAndTakesRoots) {
  const test::Matrix A{{4, 1, 0}, {1, 3, 1}, {0, 1, 2}};
  const test::Matrix B = test::inverse(A);
  const test::Matrix Q = test::symmetric_function(A, [](test::Real u) { return std::sqrt(u); });
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      test::Real one = 0, square = 0;
      for (std::size_t k = 0; k < 3; ++k) one += A[i][k] * B[k][j], square += Q[i][k] * Q[k][j];
      EXPECT_NEAR(static_cast<double>(one), i == j ? 1 : 0, 1e-17);
      EXPECT_NEAR(static_cast<double>(square), static_cast<double>(A[i][j]), 1e-17);
    }
}

}  // namespace
}  // namespace spex
