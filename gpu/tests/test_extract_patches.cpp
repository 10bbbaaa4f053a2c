// Compares every engine with the CPU reference, at odd sizes and with odd pixels.
#include <algorithm>
#include <array>
#include <cmath>
#include <thread>

#include <gmock/gmock.h>

#include "gpu/tests/extractor_test.hpp"
#include "reference/core/error.hpp"
#include "reference/frame/assemble_frame.hpp"
#include "reference/model/milestones.hpp"

namespace spex::gpu {
namespace {

using test::expect_close;
using test::ExtractorTest;

// Milestones with the same engine differ only in their schedules.
const std::vector<Milestone> rungs = milestones_of(Device::gpu);

TEST_F(ExtractorTest, EnginesAgreeWithTheReference) {
  // A bad column, a masked block that covers whole bins, and light off three edges.
  for (int y = 0; y < 60; ++y) pixels.weight.set(static_cast<std::size_t>(y * 70 + 33), 0);
  for (int y = 20; y < 40; ++y)
    for (int x = 10; x < 24; ++x) pixels.weight.set(static_cast<std::size_t>(y * 70 + x), 0);
  for (const Decorrelate decorrelate : {Decorrelate::signal, Decorrelate::noise}) {
    options.decorrelate = decorrelate;
    options.regularize = decorrelate == Decorrelate::noise ? 0.01 : 0;
    const std::vector<PatchResult> expected = precisely(patches());
    for (const Milestone rung : rungs) {
      SCOPED_TRACE(to_string(rung));
      expect_close(on_gpu(patches(), rung), expected);
    }
  }
}

// The traces turn on the CCD, at 1010.5 Angstrom; fiber 3 has no trace at all.
TEST_F(ExtractorTest, BinsWithoutLightAgreeWithTheReference) {
  psf.ytrace.ncoeff = 3;
  psf.ytrace.coeff.clear();
  for (int s = 0; s < psf.nfiber; ++s)
    if (s == 3)
      psf.ytrace.coeff.insert(psf.ytrace.coeff.end(), {0, 0, 0});
    else
      psf.ytrace.coeff.insert(psf.ytrace.coeff.end(), {-22 + 0.2 * s, 75, -75 / 0.63});
  grid = make_wave_grid({989, 1025, 3});
  options.nwavestep = 7;
  for (const Decorrelate decorrelate : {Decorrelate::signal, Decorrelate::noise}) {
    options.decorrelate = decorrelate;
    const std::vector<PatchResult> expected = precisely(patches());
    for (const Milestone rung : rungs) {
      SCOPED_TRACE(to_string(rung));
      const std::vector<PatchResult> results = on_gpu(patches(), rung);
      expect_close(results, expected);
      const Frame frame = assemble_frame(inputs(), patches(), results);
      EXPECT_EQ(frame.beyond, 10 * 5 + 13);
    }
  }
}

// One pixel weighs 1e7 times as much as the others: the prior pulls the bins of its patches.
TEST_F(ExtractorTest, PulledBinsAreThoseOfTheReference) {
  const Center center = spot_center(psf, 4, grid.at(3));
  pixels.weight.set(static_cast<std::size_t>(std::lround(center.y) * 70 + std::lround(center.x)),
                    1e6);
  const std::vector<PatchResult> expected = on_cpu(patches());
  const auto pulled_of = [](const std::vector<PatchResult>& results) {
    std::vector<std::uint8_t> pulled;
    for (const PatchResult& result : results)
      pulled.insert(pulled.end(), result.pulled.begin(), result.pulled.end());
    return pulled;
  };
  ASSERT_THAT(pulled_of(expected), testing::Contains(1));
  ASSERT_THAT(pulled_of(expected), testing::Contains(0));
  for (const Milestone rung : rungs) {
    SCOPED_TRACE(to_string(rung));
    EXPECT_EQ(pulled_of(on_gpu(patches(), rung)), pulled_of(expected));
    // The same in the form of a whole frame.
    Extractor extractor({.device = 0, .poison = true});
    StageTimes times;
    ExtractInputs whole = inputs();
    whole.wanted = SpectraOf::frame;
    Extracted extracted = extractor.extract_patches(whole, patches(), times, [](long) {});
    ASSERT_TRUE(extracted.frame.has_value());
    EXPECT_EQ(extracted.frame->pulled, assemble_frame(inputs(), patches(), expected).pulled);
  }
}

// Two consecutive patches, and every third as a rank has that shares bundles.
TEST_F(ExtractorTest, ResultsDoNotDependOnOtherPatches) {
  const std::vector<Patch> all = patches();
  std::vector<std::size_t> every_third;
  for (std::size_t k = 1; k < all.size(); k += 3) every_third.push_back(k);
  for (const Milestone rung : rungs) {
    if (traits(rung).eigh.batch_patches()) continue;  // whole bundles: tested below
    SCOPED_TRACE(to_string(rung));
    const std::vector<PatchResult> of_all = on_gpu(all, rung);
    for (const std::vector<std::size_t>& chosen : {std::vector<std::size_t>{3, 4}, every_third}) {
      std::vector<Patch> some;
      for (const std::size_t k : chosen) some.push_back(all[k]);
      const std::vector<PatchResult> of_some = on_gpu(some, rung);
      for (std::size_t k = 0; k < some.size(); ++k) {
        EXPECT_EQ(of_some[k].status, of_all[chosen[k]].status);
        EXPECT_EQ(of_some[k].flux, of_all[chosen[k]].flux);
        EXPECT_EQ(of_some[k].ivar, of_all[chosen[k]].ivar);
        EXPECT_EQ(of_some[k].resolution, of_all[chosen[k]].resolution);
      }
    }
  }
}

TEST_F(ExtractorTest, ResultsDoNotDependOnOtherBundles) {
  const std::vector<Patch> all = patches();
  const auto second =
      std::find_if(all.begin(), all.end(), [](const Patch& p) { return p.bundle == 1; });
  const std::vector<Patch> some(second, all.end());
  const std::size_t first = all.size() - some.size();
  for (const Milestone rung : rungs) {
    SCOPED_TRACE(to_string(rung));
    const std::vector<PatchResult> of_all = on_gpu(all, rung);
    const std::vector<PatchResult> of_some = on_gpu(some, rung);
    for (std::size_t k = 0; k < some.size(); ++k) {
      EXPECT_EQ(of_some[k].flux, of_all[k + first].flux);
      EXPECT_EQ(of_some[k].ivar, of_all[k + first].ivar);
      EXPECT_EQ(of_some[k].resolution, of_all[k + first].resolution);
    }
  }
}

TEST_F(ExtractorTest, ModelImageAgrees) {
  options.model = true;
  const std::vector<PatchResult> expected = on_cpu(patches());
  for (const Milestone rung : rungs) {
    const std::vector<PatchResult> results = on_gpu(patches(), rung);
    const ModelImage a = assemble_model(70, 60, results);
    const ModelImage b = assemble_model(70, 60, expected);
    for (std::size_t i = 0; i < a.value.size(); ++i)
      ASSERT_NEAR(a.value[i], b.value[i], 1e-6) << i;  // of noise of 3 and more
  }
}

// Bundles of 6 and 5 fibers, far enough apart to be independent: solved on the GPU.
TEST_F(ExtractorTest, FluxOfTheFrameAgreesWithTheReference) {
  psf = spex::test::make_psf({.nfiber = 11, .nx = 90, .ny = 60, .x_first = 2});
  for (int s = 6; s < 11; ++s) psf.xtrace.coeff[s * psf.xtrace.ncoeff] += 15;
  pixels = spex::test::make_pixels_of_noise(90, 60);
  for (int y = 0; y < 60; ++y) pixels.weight.set(static_cast<std::size_t>(y * 90 + 33), 0);
  for (int y = 20; y < 40; ++y)
    for (int x = 10; x < 24; ++x) pixels.weight.set(static_cast<std::size_t>(y * 90 + x), 0);
  options.flux = FluxSolver::frame;
  options.method = Method::cholesky;
  options.model = true;
  const std::vector<PatchResult> expected = on_cpu(patches());
  options.flux = FluxSolver::patch;
  const std::vector<PatchResult> of_patches = on_cpu(patches());
  options.flux = FluxSolver::frame;
  for (const Milestone rung : {Milestone::direct, Milestone::pipeline}) {
    const std::vector<PatchResult> results = on_gpu(patches(), rung);
    ASSERT_EQ(results.size(), expected.size());
    double apart = 0;
    for (std::size_t k = 0; k < results.size(); ++k) {
      SCOPED_TRACE(k);
      EXPECT_EQ(results[k].frame, expected[k].frame);
      expect_close(results[k], expected[k]);
      for (std::size_t j = 0; j < results[k].flux.size(); ++j)
        apart = std::max(apart, std::abs(results[k].flux[j] - of_patches[k].flux[j]) *
                                    std::sqrt(of_patches[k].ivar[j]));
    }
    EXPECT_GT(apart, 1e-3) << "the case tests nothing";
    const ModelImage a = assemble_model(90, 60, results);
    const ModelImage b = assemble_model(90, 60, expected);
    for (std::size_t i = 0; i < a.value.size(); ++i) ASSERT_NEAR(a.value[i], b.value[i], 1e-5) << i;
  }
}

// Touching bundles, and fibers that share much light, are solved by the reference.
TEST_F(ExtractorTest, FluxOfTheFrameOfGuardedBundles) {
  options.flux = FluxSolver::frame;
  options.method = Method::cholesky;
  for (const double spacing : {6.0, 3.0}) {
    SCOPED_TRACE(spacing);
    psf = spex::test::make_psf(
        {.nfiber = 11, .nx = 70, .ny = 60, .x_first = 2, .x_spacing = spacing});
    const std::vector<PatchResult> expected = on_cpu(patches());
    const std::vector<PatchResult> results = on_gpu(patches(), Milestone::direct);
    ASSERT_EQ(results.size(), expected.size());
    for (std::size_t k = 0; k < results.size(); ++k) {
      SCOPED_TRACE(k);
      EXPECT_EQ(results[k].frame, expected[k].frame);
      expect_close(results[k], expected[k]);
    }
  }
}

TEST_F(ExtractorTest, FluxOfTheFrameDoesNotDependOnTheRequestedPatches) {
  options.flux = FluxSolver::frame;
  options.method = Method::cholesky;
  const std::vector<Patch> all = patches();
  const std::vector<Patch> some(all.begin() + 3, all.begin() + 5);
  const std::vector<PatchResult> of_all = on_gpu(all, Milestone::direct);
  const std::vector<PatchResult> of_some = on_gpu(some, Milestone::direct);
  ASSERT_EQ(of_some.size(), some.size());
  for (std::size_t k = 0; k < some.size(); ++k) {
    EXPECT_EQ(of_some[k].flux, of_all[k + 3].flux);
    EXPECT_EQ(of_some[k].ivar, of_all[k + 3].ivar);
    EXPECT_EQ(of_some[k].chi2pix, of_all[k + 3].chi2pix);
  }
}

// A whole frame equals the frame assembled from patches, and R in float equals a file's R.
TEST_F(ExtractorTest, WholeFrameEqualsItsAssembledPatches) {
  options.specmin = 1;
  options.nspec = 9;
  for (const Milestone rung : {Milestone::batch_subbundle, Milestone::direct}) {
    Extractor extractor({.device = 0, .poison = true});
    options.milestone = rung;
    const std::vector<Patch> all = patches();
    const auto extract = [&](SpectraOf wanted) {
      ExtractInputs in = inputs();
      in.wanted = wanted;
      StageTimes times;
      Extracted extracted = extractor.extract_patches(in, all, times, [](long) {});
      EXPECT_EQ(extracted.frame.has_value(), wanted != SpectraOf::patches);
      EXPECT_EQ(extracted.patches.size(), all.size());
      return take_frame(in, all, extracted);
    };
    const Frame expected = extract(SpectraOf::patches);
    const Frame whole = extract(SpectraOf::frame);
    EXPECT_EQ(fields(whole), fields(expected));
    Frame written = extract(SpectraOf::written_frame);
    const std::vector<double>& R = *expected.resolution.double_values();
    EXPECT_EQ(written.resolution, Reals(std::vector<float>(R.begin(), R.end())));
    written.resolution = expected.resolution;
    EXPECT_EQ(fields(written), fields(expected));
    // For rows this short, block headers cost more than the code saves.
    Frame packed = extract(SpectraOf::packed_frame);
    EXPECT_EQ(packed.resolution, Reals(std::vector<float>(R.begin(), R.end())));
    packed.resolution = expected.resolution;
    EXPECT_EQ(fields(packed), fields(expected));
  }
}

TEST_F(ExtractorTest, ModelImageGivesPatches) {
  options.model = true;
  Extractor extractor({});
  ExtractInputs in = inputs();
  in.options.milestone = Milestone::direct;
  in.wanted = SpectraOf::written_frame;
  StageTimes times;
  const Extracted extracted = extractor.extract_patches(in, patches(), times, [](long) {});
  EXPECT_FALSE(extracted.frame.has_value());
  EXPECT_FALSE(extracted.patches.front().model.empty());
}

TEST_F(ExtractorTest, FluxOfTheFrameIsRejectedIfUnsupported) {
  options.flux = FluxSolver::frame;
  options.decorrelate = Decorrelate::noise;
  EXPECT_THROW(static_cast<void>(on_gpu(patches(), Milestone::direct)), Error);
  options.decorrelate = Decorrelate::signal;
  EXPECT_THROW(static_cast<void>(on_gpu(patches(), Milestone::batch_eigh)), Error);
}

// Kernel attributes set for one frame must not affect another thread's frame.
TEST_F(ExtractorTest, ThreadsWithFramesOfDifferentShapes) {
  const Psf wide =
      spex::test::make_psf({.nfiber = 11, .nx = 70, .ny = 60, .hsizey = 5, .x_first = 2});
  options.milestone = Milestone::multi_gpu;
  const std::array<const Psf*, 2> psfs{&psf, &wide};
  const auto extract = [&](std::size_t which) {
    Extractor extractor({});
    StageTimes times;
    const ExtractInputs in{psfs[which], &pixels, grid, options};
    return extractor
        .extract_patches(in, make_patches(options, grid, psfs[which]->nfiber), times, [](long) {})
        .patches;
  };
  std::array<std::vector<PatchResult>, 2> alone{extract(0), extract(1)};
  std::array<int, 2> wrong{};
  {
    std::vector<std::jthread> threads;
    for (std::size_t which = 0; which < 2; ++which)
      threads.emplace_back([&, which] {
        try {
          for (int repeat = 0; repeat < 50; ++repeat) {
            const std::vector<PatchResult> again = extract(which);
            for (std::size_t k = 0; k < again.size(); ++k)
              wrong[which] += again[k].flux == alone[which][k].flux ? 0 : 1;
          }
        } catch (const Error&) {
          ++wrong[which];
        }
      });
  }
  EXPECT_EQ(wrong, (std::array<int, 2>{}));
}

TEST_F(ExtractorTest, ZeroWeightsGiveZeros) {
  pixels.weight = Reals(std::vector<double>(pixels.weight.size(), 0.0));
  for (const Milestone rung : rungs)
    for (const PatchResult& result : on_gpu(patches(), rung)) {
      EXPECT_THAT(result.flux, testing::Each(0.0));
      EXPECT_THAT(result.ivar, testing::Each(0.0));
      EXPECT_THAT(result.resolution, testing::Each(0.0));
      EXPECT_THAT(result.pixmask_fraction, testing::Each(1.0));
    }
}

TEST_F(ExtractorTest, UnsolvablePatchesAreReported) {
  pixels.weight = Reals(std::vector<double>(pixels.weight.size(), 1e308));
  for (const Milestone rung : rungs)
    for (const PatchResult& result : on_gpu(patches(), rung)) {
      EXPECT_EQ(result.status, PatchStatus::failed);
      EXPECT_THAT(result.flux, testing::Each(0.0));
      EXPECT_THAT(result.ivar, testing::Each(0.0));
    }
}

// Cholesky can factor N, but eigh clips (test_condition.cpp): the patches must fall back to eigh
// and be counted.
TEST_F(ExtractorTest, IllConditionedPatchesFallBack) {
  pixels = spex::test::make_pixels_of_noise(70, 60, 1, 4);
  grid = make_wave_grid({990, 1000, 0.15});
  options.bundlesize = 3;
  options.nsubbundles = 1;
  options.nwavestep = 30;
  options.wavepad_frac = 0;
  for (const PatchResult& result : on_gpu(patches(), Milestone::direct))
    EXPECT_EQ(result.status, PatchStatus::fell_back);
}

// Spots of this size exceed a block's shared memory: eigh must extract the whole frame.
TEST_F(ExtractorTest, SpotsTooLargeForABlockFallBack) {
  psf = spex::test::make_psf(
      {.nfiber = 11, .nx = 70, .ny = 60, .hsizex = 50, .hsizey = 50, .x_first = 2});
  options.nwavestep = 3;
  options.wavepad = 1;
  const std::vector<PatchResult> expected = on_cpu(patches());
  const std::vector<PatchResult> results = on_gpu(patches(), Milestone::direct);
  for (std::size_t k = 0; k < results.size(); ++k) {
    EXPECT_EQ(results[k].status, PatchStatus::fell_back) << k;
    for (std::size_t j = 0; j < expected[k].flux.size(); ++j)
      EXPECT_NEAR(results[k].flux[j], expected[k].flux[j], 1e-6 / std::sqrt(expected[k].ivar[j]));
  }
}

// A bundle with more patches than a grid's second dimension allows.
TEST_F(ExtractorTest, MorePatchesThanALaunchCounts) {
  options.bundlesize = 1;
  options.nsubbundles = 1;
  options.specmin = 4;
  options.nspec = 1;
  options.nwavestep = 1;
  options.wavepad = 0;
  grid = make_wave_grid({983, 1017, 0.0005});
  const std::vector<Patch> all = patches();
  ASSERT_GT(all.size(), 65535U);
  const std::vector<PatchResult> expected = on_cpu(all);
  for (const Milestone rung : {Milestone::direct, Milestone::batch_subbundle}) {
    const std::vector<PatchResult> results = on_gpu(all, rung);
    ASSERT_EQ(results.size(), expected.size());
    for (std::size_t k = 0; k < results.size(); ++k) {
      ASSERT_EQ(results[k].status, PatchStatus::ok) << k;
      ASSERT_NEAR(results[k].flux[0], expected[k].flux[0], 1e-9) << k;
      ASSERT_NEAR(results[k].ivar[0], expected[k].ivar[0], 1e-12) << k;
    }
  }
}

TEST_F(ExtractorTest, OneFiberOneWavelength) {
  options.bundlesize = 1;
  options.nsubbundles = 1;
  options.specmin = 4;
  options.nspec = 1;
  grid = make_wave_grid({1000, 1000, 0.8});
  const std::vector<PatchResult> expected = on_cpu(patches());
  for (const Milestone rung : rungs) expect_close(on_gpu(patches(), rung)[0], expected[0]);
}

TEST_F(ExtractorTest, BrokenPsfGivesTheReferencesError) {
  psf.param[4 * psf.ncoeff] = -1;  // GHSIGX of fiber 4
  try {
    static_cast<void>(on_gpu(patches(), Milestone::direct));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("fiber 4"));
  }
}

TEST_F(ExtractorTest, NoSuchDevice) {
  EXPECT_THROW(Extractor({.device = 1000}), Error);
}

}  // namespace
}  // namespace spex::gpu
