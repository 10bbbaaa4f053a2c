// Rejected pixels by the GPU against the CPU reference, on images that are A f except for noise and
// cosmic rays.
#include <algorithm>
#include <random>
#include <utility>

#include <gmock/gmock.h>

#include "gpu/tests/extractor_test.hpp"
#include "reference/core/count.hpp"
#include "reference/core/error.hpp"
#include "reference/extract/projection.hpp"
#include "reference/frame/assemble_frame.hpp"
#include "reference/model/milestones.hpp"
#include "reference/tests/support/fields.hpp"

namespace spex::gpu {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr int nx = 120;
constexpr int ny = 160;
constexpr double sigma = 5;  // of a pixel, electron

constexpr std::uint32_t place(int x, int y) {
  return static_cast<std::uint32_t>(y * nx + x);
}

// 11 fibers in bundles of 6 and 5, which share no pixel, on a CCD that holds all their spots.
class RejectPixels : public test::ExtractorTest {
 protected:
  RejectPixels() {
    options.psferr = 0.01;
    options.reject_pixels = 6;
    options.method = Method::cholesky;
    make_image(8, 15);
  }

  // Fibers `spacing` columns apart, and `gap` more between the bundles. Each bin has 200 electrons,
  // and one in ten a line.
  void make_image(double spacing, double gap) {
    psf = spex::test::make_psf(
        {.nfiber = 11, .nx = nx, .ny = ny, .x_first = 6, .x_spacing = spacing, .y_middle = 80});
    for (int s = 6; s < 11; ++s) psf.xtrace.coeff[count_of(s, psf.xtrace.ncoeff)] += gap;
    constexpr int pad = 30;
    const int nwave = grid.nwave + 2 * pad;
    const Spots spots = evaluate_spots(psf, 0, psf.nfiber, grid.range(-pad, nwave));
    std::vector<double> f(count_of(psf.nfiber, nwave), 200.0);
    for (std::size_t j = 3; j < f.size(); j += 10) f[j] = 3000;
    std::vector<double> value = spex::apply({&spots, 0, 0, psf.nfiber, nwave}, {0, nx, 0, ny}, f);
    std::mt19937_64 random(11);
    std::normal_distribution<double> noise(0, sigma);
    for (double& p : value) p += noise(random);
    pixels = {nx, ny, Reals(std::move(value)),
              Reals(std::vector<double>(count_of(nx, ny), 1 / (sigma * sigma)))};
  }

  void add(int x, int y, double electrons) {
    pixels.value.set(place(x, y), pixels.value[place(x, y)] + electrons);
  }
  // Rays of one to four pixels; a few pixels are masked.
  void add_rays(int count) {
    std::mt19937_64 random(5);
    std::uniform_int_distribution<int> column(0, nx - 5), row(0, ny - 5), length(1, 4);
    std::uniform_real_distribution<double> electrons(3 * sigma, 60 * sigma);
    for (int ray = 0; ray < count; ++ray) {
      const int x = column(random), y = row(random), pixels_of_ray = length(random);
      for (int k = 0; k < pixels_of_ray; ++k) add(x + k, y + k / 2, electrons(random));
      pixels.weight.set(place(column(random), row(random)), 0);
    }
  }
  // A pixel near the trace of a fiber, `dx` columns from its center, at bin w.
  [[nodiscard]] std::pair<int, int> near(int fiber, int w, int dx = 0) const {
    const Center center = spot_center(psf, fiber, grid.at(w));
    return {static_cast<int>(std::lround(center.x)) + dx, static_cast<int>(std::lround(center.y))};
  }
  // The same where the pixels at `places` are masked.
  [[nodiscard]] std::vector<PatchResult> on_gpu_masked(const std::vector<std::uint32_t>& places,
                                                       Milestone milestone) {
    const Pixels before = pixels;
    const std::optional<double> asked = std::exchange(options.reject_pixels, std::nullopt);
    for (const std::uint32_t i : places) pixels.weight.set(i, 0);
    std::vector<PatchResult> results = on_gpu(patches(), milestone);
    pixels = before;
    options.reject_pixels = asked;
    return results;
  }
  // The same pixels, in as many rounds, and close spectra. Returns the number of pixels.
  long expect_as_on_cpu(Milestone milestone) {
    const std::vector<PatchResult> expected = on_cpu(patches());
    const std::vector<PatchResult> results = on_gpu(patches(), milestone);
    EXPECT_EQ(results.size(), expected.size());
    for (std::size_t k = 0; k < expected.size(); ++k) {
      SCOPED_TRACE(k);
      EXPECT_EQ(results[k].nrejected, expected[k].nrejected);
      EXPECT_EQ(results[k].rejected, expected[k].rejected);
      EXPECT_EQ(results[k].reject_rounds, expected[k].reject_rounds);
      EXPECT_EQ(results[k].frame, expected[k].frame);
      test::expect_close(results[k], expected[k]);
    }
    return count_patches(results).rejected_pixels;
  }
};

void expect_same_spectra(const std::vector<PatchResult>& a, const std::vector<PatchResult>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t p = 0; p < a.size(); ++p) {
    SCOPED_TRACE(p);
    PatchResult one = a[p];
    one.nrejected = b[p].nrejected;
    one.rejected = b[p].rejected;
    one.reject_rounds = b[p].reject_rounds;
    spex::test::expect_equal(one, b[p]);
  }
}

// Not a bit differs from a mask that has the pixel.
TEST_F(RejectPixels, ACosmicPixelIsAsIfMasked) {
  const auto [x, y] = near(1, 6, 1);
  add(x, y, 60 * sigma);
  for (const FluxSolver flux : {FluxSolver::patch, FluxSolver::frame})
    for (const Milestone milestone : {Milestone::direct, Milestone::pipeline}) {
      SCOPED_TRACE(to_string(milestone));
      options.flux = flux;
      const std::vector<PatchResult> results = on_gpu(patches(), milestone);
      EXPECT_THAT(rejected_pixels(results), ElementsAre(place(x, y)));
      expect_same_spectra(results, on_gpu_masked({place(x, y)}, milestone));
      const PatchCounts counts = count_patches(results);
      EXPECT_EQ(counts.reject_rounds, 1);
      EXPECT_GT(counts.rejecting, 0);
      EXPECT_LT(counts.rejecting, counts.patches) << "the other bundle has no such pixel";
    }
}

TEST_F(RejectPixels, ASoundImageLosesNothing) {
  const std::vector<PatchResult> results = on_gpu(patches(), Milestone::direct);
  EXPECT_THAT(rejected_pixels(results), IsEmpty());
  EXPECT_EQ(count_patches(results).reject_rounds, 0);
  expect_same_spectra(results, on_gpu_masked({}, Milestone::direct));
}

TEST_F(RejectPixels, AgreesWithTheReference) {
  add_rays(150);
  for (const FluxSolver flux : {FluxSolver::patch, FluxSolver::frame})
    for (const double threshold : {4.0, 6.0}) {
      SCOPED_TRACE(threshold);
      options.flux = flux;
      options.reject_pixels = threshold;
      EXPECT_GT(expect_as_on_cpu(Milestone::direct), 100);
      const std::vector<PatchResult> results = on_gpu(patches(), Milestone::pipeline);
      EXPECT_GT(count_patches(results).reject_rounds, 1);
      expect_same_spectra(results, on_gpu_masked(rejected_pixels(results), Milestone::pipeline));
    }
}

// At the ends of the grid, of which the flux of the whole frame sees more rows than any patch.
TEST_F(RejectPixels, PixelsBeyondTheRowsOfAllPatchesCount) {
  options.pixpad_frac = 0;
  options.model = true;
  const auto [x, y] = near(1, -3, 1);
  add(x, y, 60 * sigma);
  for (const FluxSolver flux : {FluxSolver::patch, FluxSolver::frame}) {
    options.flux = flux;
    const std::vector<PatchResult> results = on_gpu(patches(), Milestone::direct);
    for (const PatchResult& result : results) ASSERT_LT(y, result.y0);
    EXPECT_THAT(rejected_pixels(results), Contains(place(x, y)));
    EXPECT_EQ(count_patches(results).rejecting, 0);
    expect_same_spectra(results, on_gpu_masked(rejected_pixels(results), Milestone::direct));
    EXPECT_GT(expect_as_on_cpu(Milestone::direct), 0);
  }
}

// Traces off the edges of the CCD, and tails of the spots.
TEST_F(RejectPixels, AgreesWithTheReferenceAtTheEdges) {
  add_rays(60);
  for (int s = 0; s < psf.nfiber; ++s) {
    psf.xtrace.coeff[count_of(s, psf.xtrace.ncoeff)] -= 5;
    psf.ytrace.coeff[count_of(s, psf.ytrace.ncoeff)] -= 62;
  }
  options.reject_pixels = 30;  // the image is that of other traces
  EXPECT_GT(expect_as_on_cpu(Milestone::direct), 10);
}

// The error of the PSF is allowed for, as far as the model of neighbors is bright.
TEST_F(RejectPixels, TheErrorOfThePsfIsAllowedFor) {
  for (int i = 0; i < nx * ny; ++i) pixels.value.set(count_of(i), 1000 * pixels.value[count_of(i)]);
  add_rays(20);
  for (const double psferr : {0.01, 0.2, 3.0}) {
    SCOPED_TRACE(psferr);
    options.psferr = psferr;
    expect_as_on_cpu(Milestone::direct);
  }
}

// Bundles that share pixels have rejected pixels of their own; light that bundles share, and fibers
// that share much light, are the reference's.
TEST_F(RejectPixels, BundlesThatTouchAgreeWithTheReference) {
  for (const auto& [spacing, gap] :
       {std::pair{8.0, -2.0}, std::pair{8.0, -1.0}, std::pair{6.0, 0.0}, std::pair{4.0, 0.0},
        std::pair{4.0, 20.0}}) {
    SCOPED_TRACE(testing::Message() << spacing << " " << gap);
    make_image(spacing, gap);
    add_rays(100);
    for (const FluxSolver flux : {FluxSolver::patch, FluxSolver::frame}) {
      options.flux = flux;
      EXPECT_GT(expect_as_on_cpu(Milestone::direct), 50);
    }
  }
}

// A rank's patches, and bundles in other batches.
TEST_F(RejectPixels, ResultsDoNotDependOnTheRequestedPatches) {
  add_rays(100);
  const std::vector<Patch> all = patches();
  for (const FluxSolver flux : {FluxSolver::patch, FluxSolver::frame}) {
    options.flux = flux;
    const std::vector<PatchResult> of_all = on_gpu(all, Milestone::direct);
    std::vector<Patch> some;
    for (std::size_t k = 1; k < all.size(); k += 3) some.push_back(all[k]);
    const std::vector<PatchResult> of_some = on_gpu(some, Milestone::direct);
    ASSERT_EQ(of_some.size(), some.size());
    for (std::size_t k = 0; k < some.size(); ++k)
      spex::test::expect_equal(of_some[k], of_all[1 + 3 * k]);
  }
}

// An extractor that is used again, for a frame without the option, too; and the forms of a frame.
TEST_F(RejectPixels, AnExtractorIsUsedAgain) {
  add_rays(100);
  Extractor extractor({.device = 0, .poison = true});
  options.milestone = Milestone::direct;
  const auto extract = [&](SpectraOf wanted) {
    ExtractInputs in = inputs();
    in.wanted = wanted;
    StageTimes times;
    return extractor.extract_patches(in, patches(), times, [](long) {});
  };
  const Extracted first = extract(SpectraOf::patches);
  const std::optional<double> asked = std::exchange(options.reject_pixels, std::nullopt);
  const Extracted without = extract(SpectraOf::patches);
  EXPECT_THAT(rejected_pixels(without.patches), IsEmpty());
  expect_same_spectra(without.patches, on_gpu(patches(), Milestone::direct));
  options.reject_pixels = asked;
  Extracted whole = extract(SpectraOf::frame);
  ASSERT_TRUE(whole.frame.has_value());
  for (std::size_t k = 0; k < first.patches.size(); ++k)
    EXPECT_EQ(whole.patches[k].rejected, first.patches[k].rejected);
  const Frame expected = assemble_frame(inputs(), patches(), first.patches);
  const Frame found = take_frame(inputs(), patches(), whole);
  EXPECT_EQ(fields(found), fields(expected));
}

TEST_F(RejectPixels, WhatIsNotSupportedIsRefused) {
  options.decorrelate = Decorrelate::noise;
  EXPECT_THROW(static_cast<void>(on_gpu(patches(), Milestone::direct)), Error);
  options.decorrelate = Decorrelate::signal;
  EXPECT_THROW(static_cast<void>(on_gpu(patches(), Milestone::band)), Error);
}

}  // namespace
}  // namespace spex::gpu
