// Pixels that the model cannot explain (extraction.md, section 5.3), on images that are A f except
// for a few pixels.

#include <cmath>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/core/count.hpp"
#include "reference/extract/extract_inputs.hpp"
#include "reference/extract/extract_patches.hpp"
#include "reference/extract/projection.hpp"
#include "reference/extract/reject_pixels.hpp"
#include "reference/frame/assemble_frame.hpp"
#include "reference/model/milestones.hpp"
#include "reference/tests/support/fields.hpp"
#include "reference/tests/support/synthetic.hpp"

namespace spex {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr int nx = 80;
constexpr int ny = 60;
constexpr double sigma = 5;  // of a pixel, electron
constexpr int padding = 3;

constexpr std::uint32_t place(int x, int y) {
  return static_cast<std::uint32_t>(y * nx + x);
}

// Two bundles of three fibers, 17 bins; each bin has 200 electrons and 1000 in a line.
class RejectPixels : public testing::Test {
 protected:
  RejectPixels() {
    options.bundlesize = 3;
    options.nsubbundles = 3;
    options.nwavestep = 7;
    options.wavepad = padding;
    options.wavepad_frac = 0;
    options.psferr = 0.01;
    options.reject_pixels = 5;
    options.model = true;
    const int nwave = grid.nwave + 2 * padding;
    const Spots spots = evaluate_spots(psf, 0, psf.nfiber, grid.range(-padding, nwave));
    std::vector<double> f(count_of(psf.nfiber, nwave), 200.0);
    for (int s = 0; s < psf.nfiber; ++s) f[count_of(s, nwave) + 12] = line;
    pixels = {nx, ny, Reals(spex::apply({&spots, 0, 0, psf.nfiber, nwave}, {0, nx, 0, ny}, f)),
              Reals(std::vector<double>(count_of(nx, ny), 1 / (sigma * sigma)))};
  }

  void add(int x, int y, double electrons) {
    pixels.value.set(place(x, y), pixels.value[place(x, y)] + electrons);
  }
  [[nodiscard]] std::vector<Patch> patches() const {
    return make_patches(options, grid, psf.nfiber);
  }
  [[nodiscard]] std::vector<PatchResult> extract(int threads = 1) {
    const ExtractInputs inputs{&psf, &pixels, grid, options};
    return extract_patches(inputs, patches(), threads, times, [](long) {});
  }
  // The same where the pixels at `places` are masked.
  [[nodiscard]] std::vector<PatchResult> extract_masked(const std::vector<std::uint32_t>& places) {
    const Pixels before = pixels;
    const std::optional<double> asked = std::exchange(options.reject_pixels, std::nullopt);
    for (const std::uint32_t i : places) pixels.weight.set(i, 0);
    std::vector<PatchResult> results = extract();
    pixels = before;
    options.reject_pixels = asked;
    return results;
  }
  [[nodiscard]] std::vector<std::uint32_t> rejected() { return rejected_pixels(extract()); }
  // A pixel near the trace of a fiber, `dx` columns from its center, at bin w.
  [[nodiscard]] std::pair<int, int> near(int fiber, int w, int dx = 0, int dy = 0) const {
    const Center center = spot_center(psf, fiber, grid.at(w));
    return {static_cast<int>(std::lround(center.x)) + dx,
            static_cast<int>(std::lround(center.y)) + dy};
  }

  static constexpr double line = 1000;
  const Psf psf = test::make_psf({.nfiber = 6, .nx = nx, .x_spacing = 9});
  const WaveGrid grid = make_wave_grid({990, 1006, 1});
  Pixels pixels;
  ExtractOptions options;
  StageTimes times;
};

void expect_same_spectra(const std::vector<PatchResult>& a, const std::vector<PatchResult>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t p = 0; p < a.size(); ++p) {
    PatchResult one = a[p];
    one.nrejected = b[p].nrejected;
    one.rejected = b[p].rejected;
    one.reject_rounds = b[p].reject_rounds;
    test::expect_equal(one, b[p]);
  }
}

// By every milestone, with both fluxes: not a bit differs from a mask that has the pixel.
TEST_F(RejectPixels, ACosmicPixelIsAsIfMasked) {
  const auto [x, y] = near(1, 6, 1);
  add(x, y, 30 * sigma);
  for (const FluxSolver flux : {FluxSolver::patch, FluxSolver::frame})
    for (const Milestone milestone : milestones_of(Device::cpu)) {
      options.flux = flux;
      options.milestone = milestone;
      const std::vector<PatchResult> results = extract();
      EXPECT_THAT(rejected_pixels(results), ElementsAre(place(x, y)));
      expect_same_spectra(results, extract_masked({place(x, y)}));
      const PatchCounts counts = count_patches(results);
      EXPECT_EQ(counts.rejected_pixels, 1);
      EXPECT_EQ(counts.reject_rounds, 1);
      EXPECT_GT(counts.rejecting, 1) << "patches overlap";
      EXPECT_LT(counts.rejecting, counts.patches) << "the other bundle has no such pixel";
    }
}

TEST_F(RejectPixels, ASoundImageLosesNothing) {
  EXPECT_THAT(rejected(), IsEmpty());
  std::mt19937_64 random(7);
  std::normal_distribution<double> noise(0, sigma);
  for (int i = 0; i < nx * ny; ++i)
    pixels.value.set(count_of(i), pixels.value[count_of(i)] + noise(random));
  const std::vector<PatchResult> results = extract();
  EXPECT_THAT(rejected_pixels(results), IsEmpty());
  expect_same_spectra(results, extract_masked({}));
  EXPECT_EQ(count_patches(results).reject_rounds, 0);
}

TEST_F(RejectPixels, LightThatIsMissingIsNotRejected) {
  const auto [x, y] = near(1, 6, 1);
  add(x, y, -30 * sigma);
  EXPECT_THAT(rejected(), testing::Not(Contains(place(x, y))));
}

TEST_F(RejectPixels, OffByDefault) {
  options.reject_pixels.reset();
  const auto [x, y] = near(1, 6, 1);
  add(x, y, 100 * sigma);
  const std::vector<PatchResult> results = extract();
  EXPECT_THAT(rejected_pixels(results), IsEmpty());
  EXPECT_EQ(count_patches(results).rejected_pixels, 0);
}

// Four sigma are a half of the threshold and more: enough beside a rejected pixel alone.
TEST_F(RejectPixels, NeighborsOfRejectedPixelsNeedHalfOfTheThreshold) {
  const auto [x, y] = near(1, 6, 2);
  add(x, y, 4 * sigma);
  EXPECT_THAT(rejected(), IsEmpty());
  add(x + 1, y, 30 * sigma);
  EXPECT_THAT(rejected(), ElementsAre(place(x, y), place(x + 1, y)));
  EXPECT_EQ(count_patches(extract()).reject_rounds, 2);
}

// A residual of 4% of the line's brightest pixel is below five times an error of 1%.
TEST_F(RejectPixels, TheErrorOfThePsfIsAllowedFor) {
  for (int i = 0; i < nx * ny; ++i) {
    pixels.value.set(count_of(i), 1000 * pixels.value[count_of(i)]);
  }
  const auto [x, y] = near(1, 9, 3);
  const double brightest = pixels.value[place(x - 1, y)];
  add(x, y, 0.04 * brightest);
  EXPECT_THAT(rejected(), IsEmpty());
  options.psferr = 0;
  EXPECT_THAT(rejected(), Contains(place(x, y)));
}

TEST_F(RejectPixels, ThreadsAndOtherFibersDoNotChangeAByte) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int i = 0; i < nx * ny; ++i)
    if (uniform(random) < 0.01) pixels.value.set(count_of(i), pixels.value[count_of(i)] + 300);
  for (const Milestone milestone : milestones_of(Device::cpu)) {
    options.milestone = milestone;
    options.specmin = 0;
    options.nspec.reset();
    const std::vector<PatchResult> all = extract(1);
    EXPECT_GT(count_patches(all).rejected_pixels, 10);
    const std::vector<PatchResult> threaded = extract(4);
    ASSERT_EQ(all.size(), threaded.size());
    for (std::size_t p = 0; p < all.size(); ++p) test::expect_equal(all[p], threaded[p]);
    options.specmin = 4;
    options.nspec = 1;
    const std::vector<Patch> some = patches();
    const std::vector<PatchResult> part = extract(2);
    ExtractOptions whole = options;
    whole.specmin = 0;
    whole.nspec.reset();
    const std::vector<Patch> every = make_patches(whole, grid, psf.nfiber);
    for (std::size_t p = 0; p < some.size(); ++p)
      test::expect_equal(part[p], all[std::ranges::find(every, some[p]) - every.begin()]);
  }
}

// At the ends of the grid, of which the flux of the whole frame sees more rows than any patch.
TEST_F(RejectPixels, PixelsBeyondTheRowsOfAllPatchesCount) {
  options.pixpad_frac = 0;
  const auto [x, y] = near(1, -2, 1);
  options.flux = FluxSolver::frame;
  options.reject_pixels.reset();
  const std::vector<PatchResult> before = extract();
  for (const PatchResult& result : before) ASSERT_LT(y, result.y0);
  add(x, y, 30 * sigma);
  const std::vector<Patch> all = patches();
  const auto of_fiber_1 = std::ranges::find(all, 1, &Patch::spec_first) - all.begin();
  EXPECT_NE(extract()[of_fiber_1].flux, before[of_fiber_1].flux) << "the pixel matters";
  options.reject_pixels = 5;
  for (const FluxSolver flux : {FluxSolver::frame, FluxSolver::patch})
    for (const Milestone milestone : milestones_of(Device::cpu)) {
      options.flux = flux;
      options.milestone = milestone;
      const std::vector<PatchResult> results = extract();
      EXPECT_THAT(rejected_pixels(results), ElementsAre(place(x, y)));
      EXPECT_EQ(count_patches(results).rejected_pixels, 1);
      EXPECT_EQ(count_patches(results).rejecting, 0);
      expect_same_spectra(results, extract_masked({place(x, y)}));
    }
  // A frame of other fibers of the bundle has its flux by the same pixels; one of the other bundle
  // has not.
  options.specmin = 2;
  options.nspec = 1;
  EXPECT_THAT(rejected(), ElementsAre(place(x, y)));
  options.specmin = 3;
  EXPECT_THAT(rejected(), IsEmpty());
}

TEST(RejectedPixels, OfAPatch) {
  // (3, 0), (4, 1), (5, 2) and (7, 2) of 10 columns.
  const RejectedPixels rejected{.places = {3, 14, 25, 27}, .rounds = 2};
  EXPECT_EQ(rejected.count_within({4, 7, 1, 3}, 10), 2);
  EXPECT_EQ(rejected.count_within({0, 0, 0, 0}, 10), 0);
  PatchResult first, second;
  rejected.put_into({.step = 0}, {4, 7, 1, 3}, 10, first);
  rejected.put_into({.step = 1}, {4, 7, 0, 2}, 10, second);
  EXPECT_THAT(first.rejected, ElementsAre(3, 14, 25, 27));
  EXPECT_EQ(first.nrejected, 2);
  EXPECT_EQ(first.reject_rounds, 2);
  EXPECT_THAT(second.rejected, IsEmpty());
  EXPECT_EQ(second.nrejected, 1);
}

}  // namespace
}  // namespace spex
