// The flux of the whole frame against a dense solution of the whole CCD in long double, and what
// patches make of it.

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "reference/core/count.hpp"
#include "reference/extract/extract_inputs.hpp"
#include "reference/extract/frame_flux.hpp"
#include "reference/extract/normal_equations.hpp"
#include "reference/extract/prior.hpp"
#include "reference/extract/projection.hpp"
#include "reference/tests/extract/oracle.hpp"
#include "reference/tests/support/synthetic.hpp"

namespace spex {
namespace {

constexpr int wavepad = 3;

struct FluxCase {
  std::string name;
  test::PsfShape shape{.nfiber = 7, .nx = 60};
  std::function<void(Pixels&)> spoil = [](Pixels&) {};
  FrameSolution solution = FrameSolution::sweeps;
  double regularize = 0;
  double wmin = 990;
};

std::ostream& operator<<(std::ostream& out, const FluxCase& c) {
  return out << c.name;
}

std::vector<FluxCase> flux_cases() {
  const auto mask_box = [](int x0, int x1, int y0, int y1) {
    return [=](Pixels& p) {
      for (int y = y0; y < y1; ++y)
        for (int x = x0; x < x1; ++x) p.weight.set(static_cast<std::size_t>(y * p.nx + x), 0);
    };
  };
  return {
      {.name = "apart"},
      // Spots of 7 columns: fibers two apart overlap as well.
      {.name = "close", .shape = {.nfiber = 7, .nx = 60, .x_spacing = 3}},
      {.name = "very_close",
       .shape = {.nfiber = 7, .nx = 60, .x_spacing = 0.9},
       .solution = FrameSolution::direct},
      {.name = "masked_bins", .spoil = mask_box(0, 60, 28, 36)},
      {.name = "masked_block", .spoil = mask_box(10, 32, 25, 31)},
      {.name = "dead_column", .spoil = mask_box(26, 27, 0, 60)},
      {.name = "masked_fiber", .spoil = mask_box(22, 32, 0, 60)},
      {.name = "nothing", .spoil = mask_box(0, 60, 0, 60)},
      {.name = "bottom_edge", .shape = {.nfiber = 7, .nx = 60, .y_middle = 12}},
      {.name = "off_the_ccd", .shape = {.nfiber = 7, .nx = 60, .y_middle = -500}},
      {.name = "right_edge", .shape = {.nfiber = 7, .nx = 44}},
      {.name = "regularized", .regularize = 0.02},
  };
}

// N f = y of all fibers of the PSF at the bins of the extended grid, dense, in long double.
struct Whole {
  test::Matrix N;
  std::vector<test::Real> y, f;
  test::Real condition = 1;
};

Whole solve_whole(const ExtractInputs& inputs) {
  const Psf& psf = *inputs.psf;
  const Pixels& pixels = *inputs.pixels;
  const int m = inputs.grid.nwave + 2 * wavepad;
  const std::size_t n = count_of(psf.nfiber, m);
  const Spots spots = evaluate_spots(psf, 0, psf.nfiber, inputs.grid.range(-wavepad, m + 10));
  const auto A = [&](std::size_t j, int x, int y) -> test::Real {
    const int s = static_cast<int>(j) / m, w = static_cast<int>(j) % m;
    const int dx = x - spots.xc[spots.index(s, w)], dy = y - spots.yc[spots.index(s, w)];
    if (dx < 0 || dx >= spots.nx || dy < 0 || dy >= spots.ny) return 0;
    return spots.spot(s, w)[dy * spots.nx + dx];
  };
  Whole whole;
  whole.N.assign(n, std::vector<test::Real>(n, 0));
  whole.y.assign(n, 0);
  std::vector<test::Real> q(n, 0);
  for (int y = 0; y < pixels.ny; ++y)
    for (int x = 0; x < pixels.nx; ++x) {
      const std::size_t i = count_of(y, pixels.nx) + count_of(x);
      std::vector<std::pair<std::size_t, test::Real>> row;
      for (std::size_t j = 0; j < n; ++j)
        if (const test::Real a = A(j, x, y); a != 0) row.emplace_back(j, a);
      for (const auto& [j, a] : row) {
        whole.y[j] += a * pixels.weight[i] * pixels.value[i];
        q[j] += a * pixels.weight[i];
        for (const auto& [k, b] : row) whole.N[j][k] += a * b * pixels.weight[i];
      }
    }
  // The prior of each bin from the patch in whose core it lies, or else the nearest.
  ExtractOptions all = inputs.options;
  all.specmin = 0;
  all.nspec.reset();
  for (const Patch& patch : make_patches(all, inputs.grid, psf.nfiber)) {
    const PatchSpots cut{&spots, patch.padded_spec_first(), patch.padded_wave_first() + wavepad,
                         patch.padded_nspec(), patch.padded_nwave()};
    const PixelRange range = used_pixels(cut, wavepad, all.pixpad_frac, pixels.nx, pixels.ny);
    const bool empty = range.nx() == 0 || range.ny() == 0;
    const double scale =
        empty ? 0 : prior_scale(apply_transpose(cut, range, cut_pixels(pixels, range).W));
    for (int s = 0; s < patch.nspec; ++s)
      for (int w = -wavepad; w < inputs.grid.nwave + wavepad; ++w) {
        const int nearest = std::clamp(w, 0, inputs.grid.nwave - 1);
        if (nearest / patch.nwave != patch.step) continue;
        const std::size_t j = count_of(patch.spec_first + s, m) + count_of(w + wavepad);
        whole.N[j][j] += prior(static_cast<double>(q[j]), scale, all.regularize);
      }
  }
  const test::Matrix C = test::inverse(whole.N);
  whole.f.assign(n, 0);
  test::Real norm = 0, inverse_norm = 0;
  for (std::size_t j = 0; j < n; ++j) {
    test::Real row = 0, inverse_row = 0;
    for (std::size_t k = 0; k < n; ++k) {
      whole.f[j] += C[j][k] * whole.y[k];
      row += std::abs(whole.N[j][k]), inverse_row += std::abs(C[j][k]);
    }
    norm = std::max(norm, row), inverse_norm = std::max(inverse_norm, inverse_row);
  }
  whole.condition = norm * inverse_norm;
  return whole;
}

class FrameFluxOracle : public testing::TestWithParam<FluxCase> {};

TEST_P(FrameFluxOracle, EveryBundleAgrees) {
  const FluxCase& c = GetParam();
  const Psf psf = test::make_psf(c.shape);
  Pixels pixels = test::make_pixels_of_noise(psf.npix_x, psf.npix_y);
  c.spoil(pixels);
  ExtractOptions options;
  options.bundlesize = 3;  // bundles of 3, 3 and 1: their edges are no gaps
  options.nsubbundles = 3;
  options.nwavestep = 6;
  options.wavepad = wavepad;
  options.wavepad_frac = 0;
  options.regularize = c.regularize;
  const ExtractInputs inputs{&psf, &pixels, WaveGrid{c.wmin, 1, 10}, options};
  const Whole whole = solve_whole(inputs);
  const int m = 10 + 2 * wavepad;
  // Rounding alone, as in test_patch_oracle.cpp; above what a bin may move after it has settled.
  const double tolerance = std::max(
      1e-9, 30 * std::numeric_limits<double>::epsilon() * static_cast<double>(whole.condition));
  for (int bundle = 0; bundle < 3; ++bundle) {
    const BundleFibers fibers = fibers_of_bundle(inputs, bundle);
    const Spots spots = evaluate_spots(psf, fibers.begin, fibers.end - fibers.begin,
                                       inputs.grid.range(-wavepad, 12 + 2 * wavepad));
    StageTimes times;
    const FrameFlux flux = solve_frame(inputs, {bundle, spots}, 1, times);
    EXPECT_EQ(flux.solution, c.solution);
    ASSERT_EQ(flux.f.size(), count_of(fibers.end - fibers.begin, m));
    for (std::size_t k = 0; k < flux.f.size(); ++k) {
      const std::size_t j = count_of(fibers.begin, m) + k;
      const auto root = static_cast<double>(std::sqrt(whole.N[j][j]));
      EXPECT_NEAR(flux.f[k] * root, static_cast<double>(whole.f[j]) * root, tolerance)
          << "bundle " << bundle << " bin " << k;
    }
    EXPECT_EQ(flux.f, solve_frame(inputs, {bundle, spots}, 3, times).f) << "threads";
  }
}

INSTANTIATE_TEST_SUITE_P(All, FrameFluxOracle, testing::ValuesIn(flux_cases()),
                         [](const auto& parameter) { return parameter.param.name; });

TEST(FrameFlux, FibersOnTopOfEachOtherGiveNumbers) {
  const Psf psf = test::make_psf({.nfiber = 2, .x_spacing = 0});
  Psf same = psf;
  for (int p = 0; p < same.nparam(); ++p)
    for (int d = 0; d < same.ncoeff; ++d)
      same.param[(p * 2 + 1) * same.ncoeff + d] = same.param[p * 2 * same.ncoeff + d];
  std::copy_n(same.ytrace.coeff.begin(), same.ytrace.ncoeff,
              same.ytrace.coeff.begin() + same.ytrace.ncoeff);
  const Pixels pixels = test::make_pixels_of_noise(psf.npix_x, psf.npix_y);
  ExtractOptions options;
  options.bundlesize = 2;
  options.nsubbundles = 1;
  options.wavepad = wavepad;
  options.wavepad_frac = 0;
  const ExtractInputs inputs{&same, &pixels, WaveGrid{990, 1, 10}, options};
  const Spots spots = evaluate_spots(same, 0, 2, inputs.grid.range(-wavepad, 50 + 2 * wavepad));
  StageTimes times;
  const FrameFlux flux = solve_frame(inputs, {0, spots}, 1, times);
  EXPECT_NE(flux.solution, FrameSolution::failed);
  for (const double f : flux.f) EXPECT_TRUE(std::isfinite(f));
}

// Where bundles are apart, f of each is its own fibers', to the last bit, and takes no time more.
TEST(FrameFlux, FibersThatShareNothingAreLeftOut) {
  ExtractOptions options;
  options.bundlesize = 3;
  options.nsubbundles = 3;
  options.wavepad = wavepad;
  options.wavepad_frac = 0;
  for (const double spacing : {8.0, 6.0}) {  // spots have 7 columns
    const Psf psf = test::make_psf({.nfiber = 9, .nx = 90, .x_spacing = spacing});
    const Pixels pixels = test::make_pixels_of_noise(psf.npix_x, psf.npix_y);
    const ExtractInputs inputs{&psf, &pixels, WaveGrid{990, 1, 10}, options};
    const Spots spots = evaluate_spots(psf, 3, 3, inputs.grid.range(-wavepad, 50 + 2 * wavepad));
    StageTimes times;
    const FrameFlux flux = solve_frame(inputs, {1, spots}, 1, times);
    EXPECT_EQ(flux.solution, FrameSolution::sweeps);
    EXPECT_EQ(flux.beyond > 0, spacing < 7) << flux.beyond;
  }
}

TEST(FrameFlux, BinsBeyondTheExtendedGridKeepThePatchsOwn) {
  FrameFlux flux;
  flux.spec_first = 4;
  flux.nspec = 2;
  flux.grid = {-1, 5};  // bins -1 ... 3
  flux.f = {10, 11, 12, 13, 14, 20, 21, 22, 23, 24};
  Patch patch;
  patch.spec_first = 5;
  patch.nspec = 1;
  patch.wave_first = 2;
  patch.nwave = 3;
  patch.wavepad = 1;  // bins 1 ... 5
  std::vector<double> f{1, 2, 3, 4, 5};
  flux.put_into(patch, f);
  EXPECT_EQ(f, (std::vector<double>{22, 23, 24, 4, 5}));
}

// Moves of sweeps as they were seen: of most bundles, beside a masked block where rounding is left,
// and of fibers that share so much that sweeps come slowly to an end.
TEST(FrameBounds, SweepsEndWhereTheyMoveNothingOrRoundingAlone) {
  const double first = std::numeric_limits<double>::infinity();
  const auto ended = [](double before, double now) {
    return frame_bounds::ended(before, now, frame_bounds::foreseen);
  };
  EXPECT_FALSE(ended(first, 2.3e+2));
  EXPECT_FALSE(ended(7.9e-1, 4.5e-4));
  EXPECT_TRUE(ended(1.6e-5, 1.2e-8));
  EXPECT_TRUE(ended(2.8e-10, 5.5e-10));
  EXPECT_TRUE(ended(2.4e-7, 0.9e-10));
  EXPECT_TRUE(ended(first, 0));
  EXPECT_FALSE(ended(2e-8, 1.8e-8));
  EXPECT_FALSE(ended(1, std::numeric_limits<double>::quiet_NaN()));
}

TEST(FrameBounds, SweepsEndWhereTheNextWouldMoveNothing) {
  const double first = std::numeric_limits<double>::infinity();
  EXPECT_DOUBLE_EQ(frame_bounds::next_move(1e-1, 1e-4), 1e-7);
  EXPECT_EQ(frame_bounds::next_move(first, 1e-9), 1e-9);
  EXPECT_EQ(frame_bounds::next_move(1e-4, 1e-1), 1e-1);
  EXPECT_TRUE(frame_bounds::ended(1.4e-1, 1.1e-5, frame_bounds::foreseen));
  EXPECT_FALSE(frame_bounds::ended(1.4e-1, 1.3e-5, frame_bounds::foreseen));
  EXPECT_FALSE(frame_bounds::ended(first, 1.1e-9, frame_bounds::foreseen));
  EXPECT_TRUE(frame_bounds::ended(7.9e-1, 4.5e-4, frame_bounds::foreseen_of_test));
  EXPECT_FALSE(frame_bounds::ended(2.3e+2, 7.9e-1, frame_bounds::foreseen_of_test));
}

}  // namespace
}  // namespace spex
