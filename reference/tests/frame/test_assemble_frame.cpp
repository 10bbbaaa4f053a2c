#include <algorithm>
#include <limits>
#include <stdexcept>

#include <gtest/gtest.h>

#include "reference/core/median.hpp"
#include "reference/extract/extract_inputs.hpp"
#include "reference/frame/assemble_frame.hpp"
#include "reference/model/mask_bits.hpp"
#include "reference/tests/support/synthetic.hpp"

namespace spex {
namespace {

TEST(Median, AgreesWithNumPy) {
  EXPECT_EQ(median({}), 0);
  EXPECT_EQ(median({3}), 3);
  EXPECT_EQ(median({3, 1}), 2);
  EXPECT_EQ(median({5, 1, 3}), 3);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
}

// Two subbundles of one fiber, two steps of two bins; the grid ends after three bins.
class AssembleFrame : public testing::Test {
 protected:
  AssembleFrame() {
    psf.hsizey = 1;
    for (Trace* trace : {&psf.xtrace, &psf.ytrace}) trace->wavemin = 50, trace->wavemax = 150;
    psf.wavemin = 50, psf.wavemax = 150;
    options.bundlesize = 2;
    options.nsubbundles = 2;
    options.nwavestep = 2;
    for (const Patch& patch : patches()) {
      PatchResult result;
      result.nspec = 1;
      result.nwave = patch.nkept;
      result.ndiagonals = 3;
      for (int w = 0; w < patch.nkept; ++w) {
        const double bin = 10 * patch.spec_first + patch.wave_first + w;
        result.flux.push_back(bin);
        result.ivar.push_back(bin + 1);
        result.chi2pix.push_back(1);
        result.pixmask_fraction.push_back(0);
        result.pulled.push_back(0);
      }
      for (int d = 0; d < 3; ++d)
        for (int w = 0; w < patch.nkept; ++w)
          result.resolution.push_back(100 * d + 10 * patch.spec_first + patch.wave_first + w);
      results.push_back(result);
    }
  }
  [[nodiscard]] std::vector<Patch> patches() const { return make_patches(options, grid, 2); }
  [[nodiscard]] Frame frame() const {
    return assemble_frame({&psf, nullptr, grid, options}, patches(), results);
  }

  Psf psf = test::make_psf({.nfiber = 2});
  ExtractOptions options;
  WaveGrid grid = make_wave_grid({100, 101, 0.5});
  std::vector<PatchResult> results;
};

TEST_F(AssembleFrame, PlacesBinsAndConvertsUnits) {
  const Frame f = frame();
  EXPECT_EQ(f.nspec, 2);
  EXPECT_EQ(f.nwave, 3);
  EXPECT_EQ(f.flux, (std::vector<double>{0, 2, 4, 20, 22, 24}));          // divided by dw
  EXPECT_EQ(f.ivar, (std::vector<double>{.25, .5, .75, 2.75, 3, 3.25}));  // times dw^2
  const std::vector<double> resolution{0,  1,  2,  100, 101, 102, 200, 201, 202,
                                       10, 11, 12, 110, 111, 112, 210, 211, 212};
  EXPECT_EQ(f.resolution, Reals(resolution));
  EXPECT_EQ(f.mask, std::vector<std::uint32_t>(6, 0));
}

// The output of an extractor that returns a whole frame.
TEST_F(AssembleFrame, TakesAWholeFrameAndFlagsIt) {
  results[0].pixmask_fraction = {0.5, 0.51};
  results[3].status = PatchStatus::failed;
  const Frame expected = frame();
  const ExtractInputs inputs{&psf, nullptr, grid, options};
  Extracted extracted;
  extracted.frame = empty_frame(inputs);
  const std::vector<Patch> all = patches();
  for (std::size_t p = 0; p < all.size(); ++p) place_patch(all[p], results[p], *extracted.frame);
  for (PatchResult& result : results) {
    const PatchStatus status = result.status;
    result = {};
    result.status = status;
  }
  extracted.patches = results;
  EXPECT_EQ(fields(static_cast<const Frame&>(take_frame(inputs, all, extracted))),
            fields(expected));
}

TEST_F(AssembleFrame, RefusesResultsOfAnotherNumberOfDiagonals) {
  results[1].ndiagonals += 2;
  results[1].resolution.assign(results[1].resolution.size() * 5 / 3, 0.0);
  EXPECT_THROW(static_cast<void>(frame()), std::logic_error);
}

// Bins 1 and 2 of fiber 0 and bin 0 of fiber 1 are beyond float32 in one quantity each.
TEST_F(AssembleFrame, DropsBinsBeyondFloat32) {
  results[0].flux[1] = -2e38;  // divided by dw
  results[1].ivar[0] = 1e308;
  results[2].chi2pix[0] = std::numeric_limits<double>::infinity();
  results[2].ivar[1] = 3e38;  // times dw^2
  const Frame f = frame();
  constexpr std::uint32_t nodata = specmask::NODATA;
  EXPECT_EQ(f.mask, (std::vector<std::uint32_t>{0, nodata, nodata, nodata, 0, 0}));
  EXPECT_EQ(f.flux, (std::vector<double>{0, 0, 0, 0, 22, 24}));
  EXPECT_EQ(f.ivar, (std::vector<double>{.25, 0, 0, 0, 7.5e37, 3.25}));
  EXPECT_EQ(f.chi2pix, (std::vector<double>{1, 0, 0, 0, 1, 1}));
  const std::vector<double> resolution{0, 0,  0,  100, 0,   0,   200, 0,   0,
                                       0, 11, 12, 0,   111, 112, 0,   211, 212};
  EXPECT_EQ(f.resolution, Reals(resolution));
  EXPECT_EQ(count_patches_and_bins(f, results).overflowed, 3);
}

TEST_F(AssembleFrame, DropsBinsOfAWholeFrame) {
  results[3].ivar[0] = 1e308;
  ExtractInputs inputs{&psf, nullptr, grid, options};
  inputs.wanted = SpectraOf::written_frame;  // R in float
  Extracted extracted;
  extracted.frame = empty_frame(inputs);
  extracted.patches = results;
  const std::vector<Patch> all = patches();
  for (std::size_t p = 0; p < all.size(); ++p) place_patch(all[p], results[p], *extracted.frame);
  Extracted packed = extracted;
  const Frame f = take_frame(inputs, all, extracted);
  EXPECT_EQ(f.mask.back(), specmask::NODATA);
  EXPECT_EQ(f.overflowed, 1);
  EXPECT_EQ(f.resolution[f.resolution_row(1, 0) + 2], 0);
  EXPECT_EQ(f.resolution[f.resolution_row(1, 0) + 1], 11);
  packed.frame->resolution = Reals();
  EXPECT_THROW(static_cast<void>(take_frame(inputs, all, packed)), std::logic_error);
}

TEST_F(AssembleFrame, KeepsTheRequestedFibers) {
  options.specmin = 1;
  results.erase(results.begin(), results.begin() + 2);
  const Frame f = frame();
  EXPECT_EQ(f.nspec, 1);
  EXPECT_EQ(f.flux, (std::vector<double>{20, 22, 24}));
}

TEST_F(AssembleFrame, MasksByPixmaskFraction) {
  results[0].pixmask_fraction = {0.5, 0.51};
  results[1].pixmask_fraction = {1.0};
  results[2].pixmask_fraction = {1 - 1e-6, 1 - 0.9e-6};
  const Frame f = frame();
  const std::uint32_t some = specmask::SOMEBADPIX;
  const std::uint32_t all = some | specmask::ALLBADPIX;
  EXPECT_EQ(f.mask, (std::vector<std::uint32_t>{0, some, all, some, all, 0}));
}

TEST_F(AssembleFrame, FailedPatchIsNoData) {
  results[3].status = PatchStatus::failed;
  results[1].status = PatchStatus::fell_back;
  results[2].status = PatchStatus::guarded;
  const Frame f = frame();
  EXPECT_EQ(f.mask, (std::vector<std::uint32_t>{0, 0, 0, 0, 0, specmask::NODATA}));
  const PatchCounts counts = count_patches(results);
  EXPECT_EQ(counts.patches, 4);
  EXPECT_EQ(counts.failed, 1);
  EXPECT_EQ(counts.fell_back, 1);
  EXPECT_EQ(counts.guarded, 1);
}

TEST_F(AssembleFrame, PulledBinsAreBadFits) {
  results[0].pulled = {0, 1};
  results[3].pulled = {1};
  const Frame f = frame();
  const std::uint32_t bad = specmask::BAD2DFIT;
  EXPECT_EQ(f.mask, (std::vector<std::uint32_t>{0, bad, 0, 0, 0, bad}));
  EXPECT_EQ(count_patches_and_bins(f, results).pulled, 2);
}

// The trace of fiber 1 turns at 100.2 Angstrom, between bins 0 and 1.
TEST_F(AssembleFrame, BinsWithoutLightHaveNoData) {
  psf.ytrace.ncoeff = 3;
  psf.ytrace.coeff = {30, 75, 0, 30, 1, -1 / (3 * 0.004)};
  const Frame f = frame();
  const std::uint32_t none = specmask::NODATA;
  EXPECT_EQ(f.mask, (std::vector<std::uint32_t>{0, 0, 0, 0, none, none}));
  EXPECT_EQ(f.beyond, 2);
  EXPECT_EQ(count_patches_and_bins(f, results).beyond, 2);
}

TEST(ModelImageSum, AddsOverlappingPatches) {
  PatchResult a, b;
  a.x0 = 0, a.x1 = 2, a.y0 = 0, a.y1 = 1, a.model = {1, 2};
  b.x0 = 1, b.x1 = 2, b.y0 = 0, b.y1 = 2, b.model = {10, 20};
  EXPECT_EQ(assemble_model(3, 2, {a, b, PatchResult{}}).value,
            (std::vector<double>{1, 12, 0, 0, 20, 0}));
}

}  // namespace
}  // namespace spex
