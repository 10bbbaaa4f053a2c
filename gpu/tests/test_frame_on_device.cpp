#include <cmath>

#include <gmock/gmock.h>

#include "gpu/tests/stage_test.hpp"
#include "reference/tests/support/pack_image.hpp"

namespace spex::gpu {
namespace {

using spex::test::pack_image;
using testing::Each;
using FrameOnDeviceTest = test::StageTest;

std::vector<double> numbers(const Reals& values) {
  std::vector<double> all;
  for (std::size_t i = 0; i < values.size(); ++i) all.push_back(values[i]);
  return all;
}

// More than two pieces of a transfer, in float and in double.
TEST_F(FrameOnDeviceTest, PixelsArriveUnchanged) {
  pixels.nx = 1501;
  pixels.ny = 2003;
  const std::size_t count = count_of(pixels.nx, pixels.ny);
  std::vector<float> value;
  std::vector<double> weight;
  for (std::size_t i = 0; i < count; ++i) {
    value.push_back(0.3F * static_cast<float>(i % 10007));
    weight.push_back(1.0 / static_cast<double>(i + 3));
  }
  pixels.value = Reals(std::move(value));
  pixels.weight = Reals(std::move(weight));
  load();
  const PixelsView view = frame->pixels();
  EXPECT_EQ(view.nx, pixels.nx);
  EXPECT_EQ(view.ny, pixels.ny);
  EXPECT_EQ(gpu::to_host(view.p, count, stream()), numbers(pixels.value));
  EXPECT_EQ(gpu::to_host(view.W, count, stream()), numbers(pixels.weight));
}

TEST_F(FrameOnDeviceTest, PatchesUseTheReferencesPixels) {
  load();
  ASSERT_EQ(frame->geometry().size(), patches.size());
  for (std::size_t k = 0; k < patches.size(); ++k) {
    const test::ReferencePatch patch(inputs(), patches[k]);
    const PatchGeometry& found = frame->geometry()[k];
    const PixelRange& range = patch.pixels().range;
    EXPECT_EQ(found.n(), patch.n());
    EXPECT_EQ((std::vector<int>{found.x0, found.x1, found.y0, found.y1}),
              (std::vector<int>{range.x0, range.x1, range.y0, range.y1}))
        << k;
  }
}

// Properties of the whole frame must not depend on the rank's patches.
TEST_F(FrameOnDeviceTest, ReachIsOfTheWholeFrame) {
  load();
  const int reach = frame->reach(), max_fibers = frame->max_fibers();
  const std::vector<Patch> some(patches.begin() + 4, patches.begin() + 6);
  frame->load(inputs(), some);
  EXPECT_EQ(frame->reach(), reach);
  EXPECT_EQ(frame->max_fibers(), max_fibers);
}

TEST_F(FrameOnDeviceTest, SpotsAreOfTheRequestedFibers) {
  load();
  const int first = 4, last = 6;  // in the second subbundle and the next
  const SpotsView view = frame->evaluate_spots(first, last);
  const int begin = patches.front().padded_wave_first();
  EXPECT_EQ(view.first_spec, patches[first].padded_spec_first());
  const spex::Spots expected =
      spex::evaluate_spots(psf, view.first_spec, view.nspec, grid.range(begin, view.nwave));
  const std::vector<double> found = gpu::to_host(view.value, expected.value.size(), stream());
  for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], expected.value[i], 1e-15);
}

TEST_F(FrameOnDeviceTest, ALoadedFrameIsEmpty) {
  load();
  for (const PatchResult& result : frame->download()) {
    EXPECT_THAT(result.flux, Each(0.0));
    EXPECT_THAT(result.ivar, Each(0.0));
    EXPECT_THAT(result.chi2pix, Each(0.0));
    EXPECT_THAT(result.pixmask_fraction, Each(1.0));
    EXPECT_THAT(result.pulled, Each(0));
    EXPECT_THAT(result.resolution, Each(0.0));
  }
  EXPECT_EQ(gpu::to_host<int>(frame->status(), patches.size(), stream()),
            std::vector<int>(patches.size(), 0));
}

// Each number encodes its position; the spectra are larger than a piece of a transfer.
TEST_F(FrameOnDeviceTest, DownloadCopiesEveryPatch) {
  grid = make_wave_grid({982, 1016, 0.002});
  options.nwavestep = 4500;
  load();
  const SpectraView spectra = frame->spectra();
  ASSERT_EQ(spectra.nwave, grid.nwave);
  const std::size_t size = spectra_size(spectra.nspec, spectra.nwave, spectra.ndiag);
  ASSERT_GT(size * sizeof(double), std::size_t{8} << 20);
  std::vector<double> values(size);
  for (std::size_t i = 0; i < size; ++i) values[i] = static_cast<double>(i);
  SPEX_GPU_CHECK(cudaMemcpyAsync(spectra.flux, values.data(), size * sizeof(double),
                                 cudaMemcpyHostToDevice, stream()));
  const std::size_t nbins = count_of(spectra.nspec, spectra.nwave);
  std::vector<std::uint8_t> bytes(nbins);
  for (std::size_t i = 0; i < nbins; ++i) bytes[i] = static_cast<std::uint8_t>(i % 251);
  SPEX_GPU_CHECK(
      cudaMemcpyAsync(spectra.pulled, bytes.data(), nbins, cudaMemcpyHostToDevice, stream()));
  const std::vector<PatchResult> results = frame->download();
  ASSERT_EQ(results.size(), patches.size());
  for (std::size_t k = 0; k < patches.size(); ++k) {
    const Patch& patch = patches[k];
    const PatchResult& result = results[k];
    ASSERT_EQ(result.nspec, patch.nspec);
    ASSERT_EQ(result.nwave, patch.nkept);
    for (int s = 0; s < patch.nspec; ++s)
      for (int w = 0; w < patch.nkept; ++w) {
        const std::size_t at = count_of(s, patch.nkept) + w;
        const int fiber = patch.spec_first + s, bin = patch.wave_first + w;
        const auto place = static_cast<double>(count_of(fiber, grid.nwave) + bin);
        ASSERT_EQ(result.flux[at], place);
        ASSERT_EQ(result.ivar[at], place + static_cast<double>(nbins));
        ASSERT_EQ(result.chi2pix[at], place + static_cast<double>(2 * nbins));
        ASSERT_EQ(result.pixmask_fraction[at], place + static_cast<double>(3 * nbins));
        ASSERT_EQ(result.pulled[at], (count_of(fiber, grid.nwave) + bin) % 251);
        for (int d = 0; d < result.ndiagonals; ++d) {
          const std::size_t row = count_of(fiber * result.ndiagonals + d);
          ASSERT_EQ(result.resolution[count_of(s * result.ndiagonals + d, patch.nkept) + w],
                    static_cast<double>(4 * nbins + row * count_of(grid.nwave) + bin));
        }
      }
  }
}

// All arrays except RESOLUTION are equal in both forms.
TEST_F(FrameOnDeviceTest, PackedFrameHasTheSameResolution) {
  grid = make_wave_grid({982, 1016, 0.01});
  options.nwavestep = 1000;
  options.specmin = 1;
  options.nspec = 9;
  load();
  const SpectraView spectra = frame->spectra();
  const std::size_t size = spectra_size(spectra.nspec, spectra.nwave, spectra.ndiag);
  std::vector<double> values(size);
  for (std::size_t i = 0; i < size; ++i) values[i] = 0.3 + 0.1 * std::sin(static_cast<double>(i));
  SPEX_GPU_CHECK(cudaMemcpyAsync(spectra.flux, values.data(), size * sizeof(double),
                                 cudaMemcpyHostToDevice, stream()));
  Extracted written, packed;
  written.frame = frame->frame_to_fill(inputs(), SpectraOf::written_frame);
  frame->download_frame(SpectraOf::written_frame, written);
  packed.frame = frame->frame_to_fill(inputs(), SpectraOf::packed_frame);
  frame->download_frame(SpectraOf::packed_frame, packed);
  EXPECT_FALSE(written.resolution.has_value());
  ASSERT_TRUE(packed.resolution.has_value());
  const std::vector<float> R = *written.frame->resolution.single_values();
  const int length = grid.nwave;
  const PackedImage expected = pack_image(R, count_of(length), count_of(spectra.ndiagonals()),
                                          count_of(numbers_of_block(length)));
  EXPECT_EQ(packed.resolution->deflated, expected.deflated);
  EXPECT_EQ(packed.resolution->size, 4 * R.size());
  EXPECT_EQ(packed.resolution->crc, expected.crc);
  EXPECT_EQ(packed.resolution->datasum, expected.datasum);
  EXPECT_EQ(packed.frame->resolution.size(), 0U);
  written.frame->resolution = {};
  EXPECT_EQ(fields(*packed.frame), fields(*written.frame));
}

// R comes unpacked, because such a bin loses its column.
TEST_F(FrameOnDeviceTest, FrameWithABinBeyondFloat32IsNotPacked) {
  grid = make_wave_grid({982, 1016, 0.01});
  options.nwavestep = 1000;
  load();
  const SpectraView spectra = frame->spectra();
  std::vector<double> values(spectra_size(spectra.nspec, spectra.nwave, spectra.ndiag), 0.5);
  values[count_of(spectra.nspec, spectra.nwave) + 1] = 1e45;  // an ivar, times dw^2 = 1e-4
  SPEX_GPU_CHECK(cudaMemcpyAsync(spectra.flux, values.data(), values.size() * sizeof(double),
                                 cudaMemcpyHostToDevice, stream()));
  Extracted packed;
  packed.frame = frame->frame_to_fill(inputs(), SpectraOf::packed_frame);
  frame->download_frame(SpectraOf::packed_frame, packed);
  EXPECT_FALSE(packed.resolution.has_value());
  ASSERT_NE(packed.frame->resolution.single_values(), nullptr);
  EXPECT_EQ(packed.frame->resolution[1], 0.5);
}

}  // namespace
}  // namespace spex::gpu
