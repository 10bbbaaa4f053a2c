#include <cmath>
#include <utility>

#include "gpu/psf/spots.hpp"
#include "gpu/tests/gpu_test.hpp"
#include "reference/core/count.hpp"
#include "reference/layout/wavelengths.hpp"
#include "reference/psf/spots.hpp"
#include "reference/tests/support/synthetic.hpp"

namespace spex::gpu {
namespace {

class SpotsTest : public test::GpuTest {
 protected:
  // Computes the spots of fibers [fiber, fiber + nspec).
  std::vector<double> evaluate(const Psf& psf, int fiber, int nspec, const WaveBins& bins) {
    DevicePsf device;
    upload_for(psf, bins, device);
    const DeviceBuffer<double> value =
        poisoned<double>(count_of(nspec, bins.nwave, psf.nx(), psf.ny()));
    evaluate_spots(device, {fiber, nspec, bins}, value.get(), nullptr, stream());
    return to_host(value);
  }
  // Compares the rims with norms of columns.
  void expect_rims_of_spots(const Psf& psf, int fiber, int nspec, const WaveBins& bins) {
    DevicePsf device;
    upload_for(psf, bins, device);
    const std::size_t count = count_of(nspec, bins.nwave);
    const DeviceBuffer<double> value = poisoned<double>(count * count_of(psf.nx(), psf.ny()));
    const DeviceBuffer<float> rims = poisoned<float>(count * rims_of_spot);
    evaluate_spots(device, {fiber, nspec, bins}, value.get(), rims.get(), stream());
    const std::vector<double> spots = to_host(value);
    const std::vector<float> found = to_host(rims);
    for (std::size_t k = 0; k < count; ++k)
      for (const bool left : {true, false}) {
        double squares = 0;
        for (int c = 0; c < rim_columns; ++c) {
          for (int y = 0; y < psf.ny() && c < psf.nx(); ++y) {
            const int x = left ? c : psf.nx() - 1 - c;
            const double pixel = spots[(k * psf.ny() + y) * psf.nx() + x];
            squares += pixel * pixel;
          }
          const double rim = found[k * rims_of_spot + (left ? 0 : rim_columns) + c];
          const double norm = std::sqrt(squares);
          ASSERT_GE(rim, norm * (1 - 1e-12)) << "spot " << k << ", columns " << c + 1;
          ASSERT_LE(rim, norm * (1 + 2e-7) + 1e-40) << "spot " << k << ", columns " << c + 1;
        }
      }
  }
  void upload_for(const Psf& psf, const WaveBins& bins, DevicePsf& device) {
    upload(psf, bins.grid.at(bins.first), bins.grid.at(bins.first + bins.nwave - 1), device,
           stream());
  }
  // Compares the corners with the reference's.
  void expect_corners_of_reference(const Psf& psf, int fiber, int nspec, const WaveBins& bins) {
    const spex::Spots expected =
        spex::evaluate_spots(psf, fiber, nspec, bins.grid.range(bins.first, bins.nwave));
    DevicePsf device;
    upload_for(psf, bins, device);
    SpotCorners corners;
    const DeviceBuffer<int> bad = to_device<int>({0});
    evaluate_corners(device, {fiber, nspec, bins}, corners, bad.get(), stream());
    EXPECT_EQ(to_host(bad)[0], 0);
    // The buffers may be larger.
    const std::size_t count = expected.xc.size();
    EXPECT_EQ(gpu::to_host<int>(corners.xc.get(), count, stream()), expected.xc)
        << "corners are the same, to the pixel";
    EXPECT_EQ(gpu::to_host<int>(corners.yc.get(), count, stream()), expected.yc);
  }
  void expect_spots_of_reference(const Psf& psf, int fiber, int nspec, const WaveBins& bins,
                                 double tolerance = 1e-15) {
    const AlignedDoubles expected =
        spex::evaluate_spots(psf, fiber, nspec, bins.grid.range(bins.first, bins.nwave)).value;
    const std::vector<double> found = evaluate(psf, fiber, nspec, bins);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i)
      ASSERT_NEAR(found[i], expected[i], tolerance) << "number " << i;
  }
};

// Spots of the faster kernel, of the other one, and narrower than a rim.
TEST_F(SpotsTest, HaveRims) {
  const WaveBins bins{make_wave_grid({960, 1035, 0.7}), -3, 75};
  for (const int hsizex : {1, 4, 17}) {
    SCOPED_TRACE(hsizex);
    expect_rims_of_spots(
        spex::test::make_psf({.nfiber = 5, .hsizex = hsizex, .hsizey = 3, .degree = 4}), 1, 3,
        bins);
  }
}

// Odd sizes that are not multiples of a warp or block, and more bins than a block handles.
TEST_F(SpotsTest, AgreeWithTheReference) {
  for (const int degree : {0, 1, 2, 4, 7}) {
    SCOPED_TRACE(degree);
    const Psf psf = spex::test::make_psf({.nfiber = 5, .hsizex = 4, .hsizey = 3, .degree = degree});
    const WaveBins bins{make_wave_grid({960, 1035, 0.7}), -3, 75};
    expect_corners_of_reference(psf, 1, 3, bins);
    expect_spots_of_reference(psf, 1, 3, bins);
  }
}

// Up to 32 columns, 12 rows and degree 7 along x, the faster kernel is used.
TEST_F(SpotsTest, AgreeWithTheReferenceAroundTheFastKernelsLimits) {
  const WaveBins bins{make_wave_grid({990, 1000, 0.9}), 0, 7};
  for (const auto& [hsizex, hsizey] :
       {std::pair{15, 5}, std::pair{16, 5}, std::pair{15, 6}, std::pair{1, 6}, std::pair{16, 1}}) {
    SCOPED_TRACE(testing::Message() << hsizex << " x " << hsizey);
    expect_spots_of_reference(
        spex::test::make_psf({.nfiber = 2, .hsizex = hsizex, .hsizey = hsizey}), 0, 2, bins);
  }
}

// An additional degree with zero coefficients is the same PSF, but degrees beyond 7 use the kernel
// for large spots.
TEST_F(SpotsTest, BothKernelsGiveTheSameBits) {
  const WaveBins bins{make_wave_grid({990, 1030, 0.9}), -2, 41};
  const auto psf_of = [](int degree) {
    return spex::test::make_psf({.nfiber = 4, .hsizex = 8, .hsizey = 5, .degree = degree});
  };
  EXPECT_EQ(evaluate(psf_of(7), 1, 3, bins), evaluate(psf_of(8), 1, 3, bins));
}

// Different degrees along x and y and per series, each with its own wavelength range.
TEST_F(SpotsTest, EverySeriesHasItsOwnDegreeAndRange) {
  Psf psf = spex::test::make_psf({.nfiber = 3, .degree = 0});
  psf.ghdegx = 1;
  psf.ghdegy = 3;
  psf.ncoeff = 4;
  psf.xtrace = {940, 1060, 2, {}};
  psf.ytrace = {930, 1045, 5, {}};
  psf.param.assign(count_of(psf.nparam(), psf.nfiber, psf.ncoeff), 0.0);
  for (int s = 0; s < psf.nfiber; ++s) {
    psf.xtrace.coeff.insert(psf.xtrace.coeff.end(), {8.1 + 6 * s, 0.7});
    psf.ytrace.coeff.insert(psf.ytrace.coeff.end(), {30.2, 71, 0.5, -0.3, 0.1 * s});
    for (int p = 0; p < psf.nparam(); ++p)
      for (int d = 0; d < psf.ncoeff; ++d)
        psf.param[count_of(p * psf.nfiber + s, psf.ncoeff) + static_cast<std::size_t>(d)] =
            (p < 3 ? 1.0 : 0.03) * (d == 0 ? 1.0 : 0.02) + 0.001 * (p + s);
  }
  expect_spots_of_reference(psf, 0, 3, {make_wave_grid({960, 1035, 0.7}), -3, 75});
}

// The largest spots that read_psf accepts: fewer warps per block.
TEST_F(SpotsTest, LargestOfAllAgreeWithTheReference) {
  Psf psf = spex::test::make_psf({.nfiber = 2, .hsizex = 64, .hsizey = 64, .degree = 20});
  for (int fiber = 0; fiber < 2; ++fiber)
    for (int p : {0, 1}) psf.param[(p * 2 + fiber) * psf.ncoeff] = 20;
  const WaveGrid grid = make_wave_grid({990, 1000, 2});
  expect_spots_of_reference(psf, 0, 2, {grid, 0, 5});
}

// Tails of all fibers but one, which depend on wavelength. specter's agree as closely.
TEST_F(SpotsTest, TailsAgreeWithTheReference) {
  const WaveBins bins{make_wave_grid({960, 1035, 0.7}), -3, 75};
  Psf psf = spex::test::make_psf({.nfiber = 4, .hsizex = 8, .hsizey = 5, .degree = 4});
  const std::vector<double> without = evaluate(psf, 0, 4, bins);
  spex::test::add_tails(psf, 2);
  psf.kind = PsfKind::gauss_hermite;
  EXPECT_EQ(evaluate(psf, 0, 4, bins), without) << "by default tails are ignored";
  psf.kind = PsfKind::gauss_hermite_tails;
  EXPECT_NE(evaluate(psf, 0, 4, bins), without);
  expect_corners_of_reference(psf, 1, 3, bins);
  expect_spots_of_reference(psf, 1, 3, bins, 1e-14);
  // A tail that is infinite: the spot has no light.
  psf.tail[1 * psf.ncoeff] = 1e308;
  psf.tail[count_of(4 * psf.nfiber + 1, psf.ncoeff)] = -400;
  expect_spots_of_reference(psf, 1, 1, bins, 1e-14);
}

// Traces that turn within the bins, at another bin for each fiber, or reach as far as they may; a
// width that is not positive off the CCD, and beyond the wavelengths of the PSF.
TEST_F(SpotsTest, BinsWithoutLightAreThoseOfTheReference) {
  Psf psf = spex::test::make_psf({.nfiber = 5, .nx = 60, .ny = 60});
  psf.ytrace.ncoeff = 3;
  psf.ytrace.coeff.clear();
  for (const double turn : {0.3, 0.41, -0.2, 5.0, 0.0})
    psf.ytrace.coeff.insert(psf.ytrace.coeff.end(), {20, 40, turn == 0 ? 0 : -40 / (3 * turn)});
  psf.param[4 * psf.ncoeff] = 0.5;  // GHSIGX of fiber 4: 0.5 - u / 2
  psf.param[4 * psf.ncoeff + 1] = -0.5;
  const WaveBins bins{make_wave_grid({800, 1200, 0.7}), -3, 580};
  const spex::Spots expected =
      spex::evaluate_spots(psf, 0, 5, bins.grid.range(bins.first, bins.nwave));
  for (int s = 0; s < 5; ++s) {
    int lit = 0;
    for (int w = 0; w < bins.nwave; ++w) lit += expected.is_lit(s, w) ? 1 : 0;
    ASSERT_GT(lit, 50);
    ASSERT_LT(lit, 500);
  }
  expect_corners_of_reference(psf, 0, 5, bins);
}

TEST_F(SpotsTest, BrokenSpotsAreReported) {
  Psf psf = spex::test::make_psf({.nfiber = 3});
  psf.param[1 * psf.ncoeff] = -1;  // GHSIGX of fiber 1
  DevicePsf device;
  const WaveBins bins{make_wave_grid({990, 1000, 1}), 0, 11};
  upload_for(psf, bins, device);
  SpotCorners corners;
  DeviceBuffer<int> bad = to_device<int>({0});
  evaluate_corners(device, {0, 3, bins}, corners, bad.get(), stream());
  EXPECT_EQ((to_host(bad)[0] - 1) / 11, 1);
}

}  // namespace
}  // namespace spex::gpu
