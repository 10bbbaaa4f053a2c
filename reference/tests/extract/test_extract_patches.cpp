#include <atomic>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/core/error.hpp"
#include "reference/extract/extract_inputs.hpp"
#include "reference/extract/extract_patches.hpp"
#include "reference/extract/projection.hpp"
#include "reference/frame/assemble_frame.hpp"
#include "reference/frame/patch_extractor.hpp"
#include "reference/model/mask_bits.hpp"
#include "reference/model/milestones.hpp"
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

// One thread evaluates the spots of a bundle in several windows, four threads all at once.
TEST_P(Milestones, NumberOfStepsWithSpotsChangesNoByte) {
  options.nwavestep = 2;
  options.milestone = Milestone::cpu_refactor;
  const Frame one = extract(1);
  EXPECT_GT(one.nwave, 4 * options.nwavestep);
  for (const int threads : {2, 4}) test::expect_equal(one, extract(threads));
}

TEST_P(Milestones, PatchesThatAreInTheFrameKeepNoMemory) {
  ExtractInputs of_frame = inputs();
  of_frame.wanted = SpectraOf::written_frame;
  const std::vector<Patch> patches = make_patches(options, grid, psf.nfiber);
  const Extracted extracted = cpu_extractor(2)(of_frame, patches, times, [](long) {});
  ASSERT_EQ(extracted.patches.size(), patches.size());
  for (const PatchResult& result : extracted.patches) {
    EXPECT_EQ(result.resolution.capacity(), 0U);
    EXPECT_EQ(result.flux.capacity(), 0U);
    EXPECT_EQ(result.pulled.capacity(), 0U);
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

TEST_P(Milestones, AnyNumberOfDiagonalsIsStored) {
  for (const Milestone milestone : milestones_of(Device::cpu)) {
    options.milestone = milestone;
    options.method = traits(milestone).method;
    options.ndiag = 3;
    const Frame wide = extract(2);
    options.ndiag = 1;
    const Frame narrow = extract(2);
    ASSERT_EQ(wide.ndiagonals(), 7);
    ASSERT_EQ(narrow.ndiagonals(), 3);
    int beyond = 0;
    for (int s = 0; s < wide.nspec; ++s)
      for (int w = 0; w < wide.nwave; ++w) {
        for (int d = 0; d < 3; ++d)
          EXPECT_NEAR(narrow.resolution[count_of(s * 3 + d, wide.nwave) + w],
                      wide.resolution[count_of(s * 7 + d + 2, wide.nwave) + w], 1e-12);
        beyond += wide.resolution[count_of(s * 7, wide.nwave) + w] != 0 ? 1 : 0;
      }
    EXPECT_GT(beyond, 0);
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
  const int y = static_cast<int>(spot_center(psf, 4, grid.at(8)).y);
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

// The traces turn on the CCD, at 1010.5 Angstrom, and come back.
TEST_P(Milestones, BinsBeyondTheTracesHaveNoLight) {
  Psf turned = psf;
  turned.ytrace.ncoeff = 3;
  turned.ytrace.coeff.clear();
  for (int s = 0; s < psf.nfiber; ++s)
    turned.ytrace.coeff.insert(turned.ytrace.coeff.end(), {-22 + 0.2 * s, 75, -75 / 0.63});
  const WaveGrid wide = make_wave_grid({989, 1025, 3});
  const int nlit = 8;
  for (const double lambda : {989.0, 1010.0, 1025.0}) {
    ASSERT_GT(spot_center(turned, 0, lambda).y, 5);
    ASSERT_LT(spot_center(turned, 8, lambda).y, 55);
  }
  const std::vector<Patch> patches = make_patches(options, wide, psf.nfiber);
  for (const Milestone milestone : milestones_of(Device::cpu))
    for (const Method method : {Method::eigh, Method::cholesky}) {
      options.milestone = milestone;
      options.method = method;
      const ExtractInputs in{&turned, &pixels, wide, options};
      results = extract_patches(in, patches, 2, times, [](long) {});
      EXPECT_EQ(count_patches(results).failed, 0);
      const Frame frame = assemble_frame(in, patches, results);
      EXPECT_EQ(frame.beyond, 9 * (wide.nwave - nlit));
      for (int s = 0; s < frame.nspec; ++s)
        for (int w = 0; w < frame.nwave; ++w) {
          const std::size_t j = frame.bin(s, w);
          const bool nodata = (frame.mask[j] & specmask::NODATA) != 0;
          EXPECT_EQ(nodata, w >= nlit) << s << ", " << w;
          EXPECT_EQ(frame.ivar[j] > 0, w < nlit) << s << ", " << w;
          if (w < nlit) continue;
          EXPECT_EQ(frame.flux[j], 0);
          EXPECT_EQ(frame.chi2pix[j], 0);
          for (int d = 0; d < frame.ndiagonals(); ++d)
            EXPECT_EQ((*frame.resolution.double_values())[frame.resolution_row(s, d) + w], 0);
        }
    }
}

// One pixel weighs 1e7 times as much as the others. m is that of its patches, so that the prior
// pulls their bins, except those that see the pixel.
TEST_P(Milestones, BinsThatThePriorPullsAreFlagged) {
  Pixels heavy = pixels;
  const Center center = spot_center(psf, 4, grid.at(3));
  const int x = static_cast<int>(std::lround(center.x)),
            y = static_cast<int>(std::lround(center.y));
  heavy.weight.set(static_cast<std::size_t>(y * 70 + x), 1e6);
  // Bins that masked pixels leave to the prior are flagged SOMEBADPIX instead.
  for (int row = y + 4; row < y + 10; ++row)
    for (int column = x - 5; column < x + 5; ++column)
      heavy.weight.set(static_cast<std::size_t>(row * 70 + column), 0);
  const std::vector<Patch> patches = make_patches(options, grid, psf.nfiber);
  std::vector<std::uint8_t> first;
  for (const Milestone milestone : milestones_of(Device::cpu))
    for (const Method method : {Method::eigh, Method::cholesky}) {
      options.milestone = milestone;
      options.method = method;
      const ExtractInputs sound{&psf, &pixels, grid, options};
      const Frame plain =
          assemble_frame(sound, patches, extract_patches(sound, patches, 2, times, [](long) {}));
      EXPECT_THAT(plain.pulled, testing::Each(0));
      const ExtractInputs in{&psf, &heavy, grid, options};
      results = extract_patches(in, patches, 2, times, [](long) {});
      const Frame frame = assemble_frame(in, patches, results);
      int pulled = 0, masked = 0;
      for (std::size_t j = 0; j < frame.nbins(); ++j) {
        masked += (frame.mask[j] & specmask::SOMEBADPIX) != 0 ? 1 : 0;
        if (frame.pulled[j] == 0) continue;
        ++pulled;
        EXPECT_FALSE(frame.mask[j] & specmask::SOMEBADPIX);
        EXPECT_TRUE(frame.mask[j] & specmask::BAD2DFIT);
        EXPECT_GT(frame.ivar[j], 1.5 * plain.ivar[j]) << "the prior decides";
      }
      EXPECT_GT(pulled, 10);
      EXPECT_GT(masked, 0);
      EXPECT_EQ(count_patches_and_bins(frame, results).pulled, pulled);
      if (first.empty()) first = frame.pulled;
      EXPECT_EQ(frame.pulled, first) << "not a matter of the method";
    }
}

INSTANTIATE_TEST_SUITE_P(Flux, Milestones, testing::Values(FluxSolver::patch, FluxSolver::frame),
                         [](const auto& parameter) { return to_string(parameter.param); });

}  // namespace
}  // namespace spex
