#include <atomic>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/core/error.hpp"
#include "reference/extract/extract_patches.hpp"
#include "reference/extract/projection.hpp"
#include "reference/frame/assemble_frame.hpp"
#include "reference/tests/support/fields.hpp"
#include "reference/tests/support/synthetic.hpp"

namespace spex {
namespace {

class Milestones : public testing::TestWithParam<FluxSolver> {
 protected:
  Milestones() {
    options.bundlesize = 6;
    options.nsubbundles = 3;
    options.nwavestep = 7;
    options.wavepad = 3;
    options.model = true;
    options.flux = GetParam();
  }
  Frame extract(int threads) {
    const std::vector<Patch> patches = make_patches(options, grid, psf.nfiber);
    done = 0;
    results = extract_patches(inputs(), patches, threads, times, [&](long n) { done += n; });
    return assemble_frame(inputs(), patches, results);
  }
  [[nodiscard]] ExtractInputs inputs() const { return {&psf, &pixels, grid, options}; }

  const Psf psf = test::make_psf({.nfiber = 9, .nx = 70});
  const Pixels pixels = test::make_pixels_of_noise(70, 60);
  const WaveGrid grid = make_wave_grid({985, 1001, 1});
  ExtractOptions options;
  StageTimes times;
  std::atomic<long> done = 0;
  std::vector<PatchResult> results;
};

TEST_P(Milestones, ThreadsDoNotChangeAByte) {
  for (const Milestone milestone : milestones_of(Device::cpu)) {
    options.milestone = milestone;
    const Frame one = extract(1);
    const ModelImage model = assemble_model(70, 60, results);
    EXPECT_EQ(done, static_cast<long>(results.size()));
    EXPECT_THAT(one.ivar, testing::Contains(testing::Gt(0)));
    for (const int threads : {0, 2, 4}) {
      test::expect_equal(one, extract(threads));
      EXPECT_EQ(model.value, assemble_model(70, 60, results).value);
    }
  }
}

TEST_P(Milestones, AgreeWithEachOther) {
  options.milestone = Milestone::cpu_refactor;
  const Frame refactored = extract(2);
  options.milestone = Milestone::baseline;
  const Frame baseline = extract(2);
  for (std::size_t k = 0; k < refactored.flux.size(); ++k) {
    EXPECT_NEAR(refactored.flux[k] * std::sqrt(refactored.ivar[k]),
                baseline.flux[k] * std::sqrt(refactored.ivar[k]), 1e-8);
    EXPECT_NEAR(refactored.ivar[k], baseline.ivar[k], 1e-9 * baseline.ivar[k]);
  }
}

TEST_P(Milestones, PartOfTheFibersGivesTheSameRows) {
  const Frame all = extract(2);
  options.specmin = 3;
  options.nspec = 5;  // from the middle of bundle 0 into bundle 1
  const Frame part = extract(2);
  ASSERT_EQ(part.nspec, 5);
  const std::ptrdiff_t first = 3L * all.nwave;
  EXPECT_TRUE(std::equal(part.flux.begin(), part.flux.end(), all.flux.begin() + first));
  EXPECT_TRUE(std::equal(part.ivar.begin(), part.ivar.end(), all.ivar.begin() + first));
  const std::vector<double>& of_part = *part.resolution.double_values();
  EXPECT_TRUE(std::equal(of_part.begin(), of_part.end(),
                         all.resolution.double_values()->begin() + first * all.ndiagonals()));
}

TEST_P(Milestones, ModelResemblesTheImage) {
  // On an image that the model can make, the model image is that image, within the core's rows.
  Pixels perfect = pixels;
  const Spots spots = evaluate_spots(psf, 0, psf.nfiber, grid.range(-3, grid.nwave + 6));
  const PatchSpots whole{&spots, 0, 0, psf.nfiber, spots.nwave};
  perfect.value =
      Reals(spex::apply(whole, PixelRange{0, 70, 0, 60},
                        std::vector<double>(static_cast<std::size_t>(whole.n()), 50.0)));
  options.bundlesize = 9;
  options.nsubbundles = 1;
  options.nwavestep = grid.nwave;
  const std::vector<Patch> patches = make_patches(options, grid, psf.nfiber);
  const ExtractInputs in{&psf, &perfect, grid, options};
  results = extract_patches(in, patches, 1, times, [](long) {});
  const ModelImage model = assemble_model(70, 60, results);
  const int y = static_cast<int>(spot_centre(psf, 4, grid.at(8)).y);
  for (int x = 10; x < 50; ++x)
    EXPECT_NEAR(model.value[y * 70 + x], perfect.value[y * 70 + x], 1e-6);
}

TEST_P(Milestones, BrokenPsfIsAnErrorFromAnyThread) {
  Psf broken = psf;
  broken.param[4 * broken.ncoeff] = -1;  // GHSIGX of fiber 4
  const ExtractInputs in{&broken, &pixels, grid, options};
  for (const Milestone milestone : milestones_of(Device::cpu)) {
    options.milestone = milestone;
    EXPECT_THROW(static_cast<void>(
                     extract_patches(in, make_patches(options, grid, 9), 3, times, [](long) {})),
                 Error);
  }
}

TEST_P(Milestones, HopelessPatchIsAValue) {
  Pixels huge = pixels;
  huge.weight = Reals(std::vector<double>(huge.weight.size(), 1e308));
  const std::vector<Patch> patches = make_patches(options, grid, psf.nfiber);
  for (const Method method : {Method::eigh, Method::cholesky}) {
    options.method = method;
    const ExtractInputs in{&psf, &huge, grid, options};
    results = extract_patches(in, patches, 2, times, [](long) {});
    const PatchCounts counts = count_patches(results);
    EXPECT_EQ(counts.failed, counts.patches);
    const Frame frame = assemble_frame(in, patches, results);
    EXPECT_THAT(frame.flux, testing::Each(0.0));
    EXPECT_THAT(frame.ivar, testing::Each(0.0));
    EXPECT_TRUE(frame.mask[0] & specmask::NODATA);
  }
}

TEST_P(Milestones, FallbackIsCounted) {
  // Bins of a sixth of a pixel: neighboring columns of A are nearly the same, and the condition
  // estimate is above the bound.
  const WaveGrid fine = make_wave_grid({985, 990, 0.1});
  options.method = Method::cholesky;
  const std::vector<Patch> patches = make_patches(options, fine, psf.nfiber);
  results = extract_patches({&psf, &pixels, fine, options}, patches, 1, times, [](long) {});
  const PatchCounts counts = count_patches(results);
  EXPECT_GT(counts.fell_back, 0);
  EXPECT_EQ(counts.failed, 0);
}

INSTANTIATE_TEST_SUITE_P(Flux, Milestones, testing::Values(FluxSolver::patch, FluxSolver::frame),
                         [](const auto& parameter) { return to_string(parameter.param); });

}  // namespace
}  // namespace spex
