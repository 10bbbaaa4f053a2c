#include "gpu/psf/spots.hpp"
#include "gpu/tests/gpu_test.hpp"
#include "reference/layout/wavelengths.hpp"
#include "reference/psf/spots.hpp"
#include "reference/tests/support/synthetic.hpp"

namespace spex::gpu {
namespace {

using Spots = test::GpuTest;

// Odd sizes: not a warp, not a block.
TEST_F(Spots, AgreeWithTheReference) {
  for (const int degree : {0, 1, 2, 4}) {
    const Psf psf = spex::test::make_psf({.nfiber = 5, .hsizex = 4, .hsizey = 3, .degree = degree});
    const WaveGrid grid = make_wave_grid({960, 1035, 0.7});
    const WaveBins bins{grid, -3, 29};
    const spex::Spots expected =
        spex::evaluate_spots(psf, 1, 3, grid.range(bins.first, bins.nwave));

    DevicePsf device;
    upload(psf, device, stream());
    SpotCorners corners;
    DeviceBuffer<int> bad = to_device<int>({0});
    evaluate_corners(device, 1, 3, bins, corners, bad.get(), stream());
    const DeviceBuffer<double> value = poisoned<double>(expected.value.size());
    evaluate_spots(device, 1, 3, bins, value.get(), stream());

    EXPECT_EQ(to_host(bad)[0], 0);
    EXPECT_EQ(to_host(corners.xc), expected.xc) << "corners are the same, to the pixel";
    EXPECT_EQ(to_host(corners.yc), expected.yc);
    const std::vector<double> spots = to_host(value);
    for (std::size_t i = 0; i < spots.size(); ++i)
      ASSERT_NEAR(spots[i], expected.value[i], 1e-15) << "degree " << degree << ", number " << i;
  }
}

// The largest that the reader of PSFs lets in: fewer warps share a block.
TEST_F(Spots, LargestOfAllAgreeWithTheReference) {
  Psf psf = spex::test::make_psf({.nfiber = 2, .hsizex = 64, .hsizey = 64, .degree = 20});
  for (int fiber = 0; fiber < 2; ++fiber)
    for (int p : {0, 1}) psf.param[(p * 2 + fiber) * psf.ncoeff] = 20;
  const WaveGrid grid = make_wave_grid({990, 1000, 2});
  const WaveBins bins{grid, 0, 5};
  const spex::Spots expected = spex::evaluate_spots(psf, 0, 2, grid.range(0, bins.nwave));
  DevicePsf device;
  upload(psf, device, stream());
  const DeviceBuffer<double> value = poisoned<double>(expected.value.size());
  evaluate_spots(device, 0, 2, bins, value.get(), stream());
  const std::vector<double> spots = to_host(value);
  for (std::size_t i = 0; i < spots.size(); ++i)
    ASSERT_NEAR(spots[i], expected.value[i], 1e-15) << "number " << i;
}

TEST_F(Spots, BrokenOnesAreFound) {
  Psf psf = spex::test::make_psf({.nfiber = 3});
  psf.param[1 * psf.ncoeff] = -1;  // GHSIGX of fiber 1
  DevicePsf device;
  upload(psf, device, stream());
  SpotCorners corners;
  DeviceBuffer<int> bad = to_device<int>({0});
  const WaveBins bins{make_wave_grid({990, 1000, 1}), 0, 11};
  evaluate_corners(device, 0, 3, bins, corners, bad.get(), stream());
  EXPECT_EQ((to_host(bad)[0] - 1) / 11, 1);
}

}  // namespace
}  // namespace spex::gpu
