#include <cstdlib>

#include "gpu/layout/patches.hpp"
#include "gpu/tests/gpu_test.hpp"
#include "reference/core/count.hpp"
#include "reference/model/extract_options.hpp"
#include "reference/tests/support/synthetic.hpp"

namespace spex::gpu {
namespace {

class Patches : public test::GpuTest {
 protected:
  // Compares the patches of this PSF with the reference's, and their reach with all pairs of spots.
  void expect_patches_of_reference(const Psf& psf);
};

void Patches::expect_patches_of_reference(const Psf& psf) {
  const WaveGrid grid = make_wave_grid({975, 1025, 0.8});
  ExtractOptions options;
  options.bundlesize = 4;
  options.nsubbundles = 2;
  options.nwavestep = 11;
  options.wavepad = 4;
  // Fractions that are sensitive to rounding.
  for (const double pixpad_frac : {0.0, 0.3, 0.8, 1.0}) {
    options.pixpad_frac = pixpad_frac;
    const std::vector<Patch> patches = make_patches(options, grid, psf.nfiber);
    const int first = -patches[0].wavepad;
    const WaveBins bins{grid, first, grid.nwave + 2 * patches[0].wavepad + options.nwavestep};
    const spex::Spots spots =
        spex::evaluate_spots(psf, 0, psf.nfiber, grid.range(first, bins.nwave));
    const DeviceBuffer<int> xc = to_device(spots.xc);
    const DeviceBuffer<int> yc = to_device(spots.yc);
    std::vector<PatchGeometry> geometry;
    for (const Patch& patch : patches) geometry.push_back(make_geometry(patch, 0, first));
    const DeviceBuffer<PatchGeometry> device = to_device(geometry);
    const DeviceBuffer<int> reach = to_device<int>({0});
    const SpotsView view{0, 0, bins.nwave, psf.nx(), psf.ny(), nullptr, xc.get(), yc.get()};
    find_used_pixels(
        {device.get(), static_cast<int>(patches.size()), view, pixpad_frac, 40, 60, reach.get()},
        stream());

    geometry = to_host(device);
    int expected_reach = 0;
    for (std::size_t k = 0; k < patches.size(); ++k) {
      const Patch& patch = patches[k];
      const PatchSpots of_patch{&spots, patch.padded_spec_first(),
                                patch.padded_wave_first() - first, patch.padded_nspec(),
                                patch.padded_nwave()};
      const PixelRange expected = used_pixels(of_patch, patch.wavepad, pixpad_frac, 40, 60);
      EXPECT_EQ(geometry[k].x0, expected.x0);
      EXPECT_EQ(geometry[k].x1, expected.x1);
      EXPECT_EQ(geometry[k].y0, expected.y0);
      EXPECT_EQ(geometry[k].y1, expected.y1);
      for (int i = 0; i < of_patch.n(); ++i)
        for (int j = 0; j < of_patch.n(); ++j)
          if (of_patch.xc(i) != dark_corner &&
              std::abs(of_patch.yc(i) - of_patch.yc(j)) < psf.ny() &&
              std::abs(of_patch.xc(i) - of_patch.xc(j)) < psf.nx())
            expected_reach =
                std::max(expected_reach, std::abs(i % of_patch.nwave - j % of_patch.nwave));
    }
    EXPECT_EQ(to_host(reach)[0], expected_reach);
  }
}

// Light falls off all four edges of the CCD.
Psf make_psf(double y_per_bin) {
  return spex::test::make_psf(
      {.nfiber = 7, .nx = 40, .ny = 60, .x_first = -3, .y_per_bin = y_per_bin});
}

TEST_F(Patches, UsedPixelsAgreeWithTheReference) {
  expect_patches_of_reference(make_psf(1.5));
}

TEST_F(Patches, WorksForDescendingRows) {
  expect_patches_of_reference(make_psf(-1.5));
}

// The rows of two fibers ascend and then descend within a patch, y = y_0 - 450 (u + 0.06)^2: bins
// before the turn have no light. The traces of a third are dark in all bins.
TEST_F(Patches, LeavesOutBinsWithoutLight) {
  Psf psf = make_psf(1.5);
  std::vector<double> coeff;
  for (int s = 0; s < psf.nfiber; ++s) {
    const double y = psf.ytrace.coeff[count_of(2 * s)];
    if (s == 2 || s == 5)
      coeff.insert(coeff.end(), {y - 151.62, -54, -300});
    else if (s == 4)
      coeff.insert(coeff.end(), {y, 0, 0});
    else
      coeff.insert(coeff.end(), {y, 75, 0});
  }
  psf.ytrace.ncoeff = 3;
  psf.ytrace.coeff = coeff;
  expect_patches_of_reference(psf);
}

}  // namespace
}  // namespace spex::gpu
