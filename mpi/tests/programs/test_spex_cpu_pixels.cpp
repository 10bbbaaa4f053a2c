// Images with invalid pixels: frames stay finite, and affected bins are flagged and reported.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mpi/tests/programs/spex_cpu_runs.hpp"
#include "reference/io/read_psf.hpp"
#include "reference/model/mask_bits.hpp"
#include "reference/psf/spots.hpp"
#include "reference/tests/support/change_fits.hpp"

namespace spex::test {
namespace {

constexpr double huge = 1e300;
const double infinity = std::numeric_limits<double>::infinity();
const double nan = std::numeric_limits<double>::quiet_NaN();

class OddPixels : public testing::TestWithParam<const char*> {
 protected:
  Finished run(const std::string& output) {
    return run_spex_cpu(with(tiny_z(output), {{"-i", image}, {"--method", GetParam()}}));
  }
  // Sets `count` pixels of each of the rows [100, 104) from column `x` on.
  void set_block(const char* hdu, long long x, double value, std::size_t count = 4) {
    const long long nx = read_image(image, hdu).axes.at(0);
    for (long long y = 100; y < 104; ++y)
      set_pixels(image, hdu, y * nx + x, std::vector<double>(count, value));
  }
  static void expect_finite(const std::string& path) {
    FitsReader file(path);
    for (const char* hdu : {"FLUX", "IVAR", "CHI2PIX", "PIXMASK_FRACTION", "RESOLUTION"}) {
      if (!file.find_hdu(hdu)) continue;
      const std::vector<double> values = read_image(path, hdu).value;
      for (const double value : values) ASSERT_TRUE(std::isfinite(value)) << hdu;
    }
  }

  const ScratchFolder scratch;
  const std::string image = scratch.copy_of(golden + "tiny-z/preproc.fits", "preproc.fits");
  const std::string frame = scratch.file("frame.fits");
};

TEST_P(OddPixels, HaveNoWeight) {
  // A non-finite good pixel counts like a pixel that MASK rejects.
  set_block("MASK", 60, 1, 12);
  ASSERT_EQ(run(scratch.file("masked.fits")).status, 0);
  set_block("MASK", 60, 0, 12);
  set_block("IVAR", 60, nan, 2);
  set_block("IVAR", 62, infinity, 2);
  set_block("IVAR", 64, -1, 2);
  set_block("IVAR", 66, 0, 2);
  set_block("IMAGE", 68, nan, 2);
  set_block("IMAGE", 70, -infinity, 2);
  ASSERT_EQ(run(frame).status, 0);
  expect_finite(frame);
  for (const char* hdu : {"FLUX", "IVAR", "CHI2PIX", "PIXMASK_FRACTION", "RESOLUTION"})
    EXPECT_EQ(read_image(frame, hdu).value, read_image(scratch.file("masked.fits"), hdu).value)
        << hdu;
}

TEST_P(OddPixels, MaskedPixelsMayHaveAnyValue) {
  set_block("MASK", 60, 4, 6);
  ASSERT_EQ(run(scratch.file("masked.fits")).status, 0);
  as_doubles(image, "IVAR");
  set_block("IVAR", 60, huge, 2);
  set_block("IVAR", 62, infinity, 2);
  set_block("IVAR", 64, nan, 2);
  ASSERT_EQ(run(frame).status, 0);
  EXPECT_EQ(read_image(frame, "FLUX").value, read_image(scratch.file("masked.fits"), "FLUX").value);
}

TEST_P(OddPixels, NoUsablePixel) {
  const std::size_t npixel = read_image(image, "MASK").value.size();
  set_pixels(image, "MASK", 0, std::vector<double>(npixel, 1));
  const Finished finished = run_spex_cpu(
      with(tiny_z(frame), {{"-i", image}, {"--method", GetParam()}, {"--loglevel", "warn"}}));
  ASSERT_EQ(finished.status, 0);
  EXPECT_THAT(finished.err, testing::HasSubstr("100% of "));
  EXPECT_THAT(finished.err, testing::HasSubstr(" bins have no usable pixel"));
  EXPECT_EQ(FitsReader(frame).get_integer("NDARK"),
            static_cast<long long>(read_image(frame, "FLUX").value.size()));
  for (const char* hdu : {"FLUX", "IVAR", "CHI2PIX", "RESOLUTION"})
    EXPECT_THAT(read_image(frame, hdu).value, testing::Each(0.0)) << hdu;
  constexpr double all_bad = specmask::SOMEBADPIX | specmask::ALLBADPIX;
  EXPECT_THAT(read_image(frame, "MASK").value, testing::Each(all_bad));
}

TEST_P(OddPixels, ChecksumsCanBeIgnored) {
  std::string bytes = read_file(image);
  bytes.at(bytes.find("IVAR") + 40000) ^= 0x10;
  write_file(image, bytes);
  const Options options = with(tiny_z(frame), {{"-i", image}, {"--method", GetParam()}});
  EXPECT_EQ(run_spex_cpu(options).status, 1);
  EXPECT_FALSE(std::filesystem::exists(frame));
  EXPECT_EQ(run_spex_cpu(with(options, {{"--no-checksums", ""}})).status, 0);
  expect_finite(frame);
}

// Weights of 1e300 overflow N: no method can solve the patches with such a pixel.
TEST_P(OddPixels, UnsolvablePatchIsFlaggedAndCounted) {
  ASSERT_EQ(run(scratch.file("sound.fits")).status, 0);
  as_doubles(image, "IVAR");
  set_block("IVAR", 20, huge, 4);  // only fibers 0 to 4
  const Finished finished = run_spex_cpu(
      with(tiny_z(frame), {{"-i", image}, {"--method", GetParam()}, {"--loglevel", "warn"}}));
  ASSERT_EQ(finished.status, 0) << finished.err;
  EXPECT_THAT(finished.err, testing::HasSubstr("1 of 5 patches could not be solved"));
  EXPECT_EQ(FitsReader(frame).get_integer("NFAILED"), 1);
  EXPECT_EQ(FitsReader(frame).get_integer("NGUARD"), 0);
  EXPECT_EQ(FitsReader(frame).get_integer("NFALLBCK"), 0);
  expect_finite(frame);

  const HduImage mask = read_image(frame, "MASK");
  const HduImage flux = read_image(frame, "FLUX");
  const HduImage ivar = read_image(frame, "IVAR");
  const HduImage sound = read_image(scratch.file("sound.fits"), "FLUX");
  const std::size_t nwave = mask.axes.front();
  for (std::size_t i = 0; i < mask.value.size(); ++i) {
    const bool nodata = (static_cast<unsigned>(mask.value[i]) & specmask::NODATA) != 0;
    ASSERT_EQ(nodata, i / nwave < 5) << i;  // the first subbundle
    if (nodata) {
      ASSERT_EQ(flux.value[i], 0);
      ASSERT_EQ(ivar.value[i], 0);
    } else {
      ASSERT_EQ(flux.value[i], sound.value[i]) << i;
    }
  }
}

// A weight of 3e38, and a pixel of 1e25 that the model misses: ivar and chi2pix are finite as
// float64, not as float32.
TEST_P(OddPixels, BinsBeyondFloat32AreFlaggedAndCounted) {
  ASSERT_EQ(run(scratch.file("sound.fits")).status, 0);
  for (const auto& [hdu, value] : {std::pair{"IVAR", 3e38}, std::pair{"IMAGE", 1e25}}) {
    const std::string odd = scratch.copy_of(image, std::string("odd-") + hdu + ".fits");
    const long long nx = read_image(odd, hdu).axes.at(0);
    set_pixels(odd, hdu, 100 * nx + 20, {value});
    for (const bool full : {false, true}) {
      Options options = with(tiny_z(frame), {{"-i", odd},
                                             {"--method", GetParam()},
                                             {"--loglevel", "warn"},
                                             {"--psferr", "0"},
                                             {"-m", scratch.file("model.fits")}});
      if (!full) options.erase("--full-precision");
      const Finished finished = run_spex_cpu(options);
      ASSERT_EQ(finished.status, 0) << finished.err;
      expect_finite(frame);
      for (const double pixel : read_image(scratch.file("model.fits"), "MODEL").value)
        ASSERT_TRUE(std::isfinite(pixel));
      const std::vector<double> mask = read_image(frame, "MASK").value;
      long long nodata = 0;
      const std::vector<double> flux = read_image(frame, "FLUX").value;
      const std::vector<double> ivar = read_image(frame, "IVAR").value;
      for (std::size_t i = 0; i < mask.size(); ++i) {
        if ((static_cast<unsigned>(mask[i]) & specmask::NODATA) == 0) continue;
        ++nodata;
        EXPECT_EQ(flux[i], 0);
        EXPECT_EQ(ivar[i], 0);
      }
      EXPECT_GT(nodata, 0);
      EXPECT_LT(nodata, 200);
      EXPECT_EQ(FitsReader(frame).get_integer("NOVERFLW"), nodata);
      EXPECT_EQ(FitsReader(frame).get_integer("NFAILED"), 0);
      EXPECT_THAT(finished.err, testing::HasSubstr(" bins are beyond the range of float32"));
    }
  }
  EXPECT_FALSE(FitsReader(scratch.file("sound.fits")).find_integer("NOVERFLW").has_value());
}

// One pixel of 1e6 times the usual weight decides m of its patches.
TEST_P(OddPixels, BinsThatThePriorPullsAreFlaggedAndCounted) {
  ASSERT_EQ(run(scratch.file("sound.fits")).status, 0);
  EXPECT_FALSE(FitsReader(scratch.file("sound.fits")).find_integer("NPULLED"));
  const long long nx = read_image(image, "IVAR").axes.at(0);
  const Center center = spot_center(read_psf(golden + "tiny-z/psf.fits"), 7, 9750);
  set_pixels(image, "IVAR", std::llround(center.y) * nx + std::llround(center.x), {1e5});
  const Options heavy =
      with(tiny_z(frame), {{"-i", image}, {"--method", GetParam()}, {"--loglevel", "warn"}});
  const Finished finished = run_spex_cpu(heavy);
  ASSERT_EQ(finished.status, 0) << finished.err;
  const HduImage mask = read_image(frame, "MASK");
  const auto flagged = std::ranges::count_if(mask.value, [](double bits) {
    return (static_cast<unsigned>(bits) & specmask::BAD2DFIT) != 0;
  });
  const long long pulled = FitsReader(frame).get_integer("NPULLED");
  EXPECT_GT(pulled, 50);
  EXPECT_GE(flagged, pulled);
  EXPECT_THAT(finished.err, testing::HasSubstr("the prior pulls the flux of " +
                                               std::to_string(pulled) + " bins"));
  // No other bin has lost its flux.
  const HduImage flux = read_image(frame, "FLUX");
  const HduImage sound = read_image(scratch.file("sound.fits"), "FLUX");
  int lost = 0;
  for (std::size_t j = 0; j < flux.value.size(); ++j) {
    const bool bad = (static_cast<unsigned>(mask.value[j]) & specmask::BAD2DFIT) != 0;
    if (mask.value[j] == 0 || bad) {
      const bool loses = sound.value[j] > 20 && flux.value[j] < 0.5 * sound.value[j];
      lost += loses ? 1 : 0;
      EXPECT_TRUE(bad || !loses) << j;
    }
  }
  EXPECT_GT(lost, 20);
  const std::string alone = read_file(frame);
  ASSERT_EQ(run_spex_cpu(heavy, mpirun(2)).status, 0);
  EXPECT_TRUE(read_file(frame) == alone);
}

// A cosmic ray without a mask, and one beyond the rows of all patches, which the flux of the whole
// frame depends on: the frame is the very frame of an image whose MASK has what --rejected-pixels
// says.
TEST_P(OddPixels, RejectedPixelsAreAsIfMasked) {
  const std::string ray = scratch.copy_of(image, "ray.fits");
  const long long nx = read_image(ray, "IMAGE").axes.at(0);
  const Psf psf = read_psf(golden + "tiny-z/psf.fits");
  std::vector<std::size_t> places;
  for (const auto& [fiber, wave] : {std::pair{7, 9750.0}, std::pair{12, 9734.0}}) {
    const Center center = spot_center(psf, fiber, wave);
    const long long place = std::llround(center.y) * nx + std::llround(center.x) + 1;
    set_pixels(ray, "IMAGE", place, {3000});
    places.push_back(static_cast<std::size_t>(place));
  }
  const std::string mask_file = scratch.file("rejected.fits");
  const Options rejecting = with(tiny_z(frame), {{"-i", ray},
                                                 {"--method", GetParam()},
                                                 {"--flux", "frame"},
                                                 {"--pixpad-frac", "0"},
                                                 {"--reject-pixels", "6"},
                                                 {"--rejected-pixels", mask_file}});
  const Finished finished = run_spex_cpu(rejecting);
  ASSERT_EQ(finished.status, 0) << finished.err;

  FitsReader header(frame);
  EXPECT_EQ(header.find_double("REJSIGMA"), 6);
  EXPECT_GE(header.get_integer("NREJPAT"), 1);
  EXPECT_GE(header.get_integer("NREJRND"), 1);
  const HduImage rejected = read_image(mask_file, "MASK");
  EXPECT_EQ(rejected.axes, read_image(ray, "IMAGE").axes);
  EXPECT_THAT(rejected.value, testing::Each(testing::AnyOf(0, ccdmask::COSMIC)));
  for (const std::size_t place : places) EXPECT_EQ(rejected.value[place], ccdmask::COSMIC);
  EXPECT_EQ(std::ranges::count(rejected.value, ccdmask::COSMIC), header.get_integer("NREJPIX"));

  for (std::size_t i = 0; i < rejected.value.size(); ++i)
    if (rejected.value[i] != 0) set_pixels(ray, "MASK", static_cast<long long>(i), {16});
  const std::string masked = scratch.file("masked.fits");
  ASSERT_EQ(run_spex_cpu(with(tiny_z(masked), {{"-i", ray},
                                               {"--method", GetParam()},
                                               {"--flux", "frame"},
                                               {"--pixpad-frac", "0"}}))
                .status,
            0);
  EXPECT_FALSE(FitsReader(masked).find_integer("NREJPIX"));
  for (const char* hdu : {"FLUX", "IVAR", "MASK", "RESOLUTION", "CHI2PIX", "PIXMASK_FRACTION"})
    EXPECT_EQ(read_image(frame, hdu).value, read_image(masked, hdu).value) << hdu;
}

INSTANTIATE_TEST_SUITE_P(SpexCpu, OddPixels, testing::Values("eigh", "cholesky"));

}  // namespace
}  // namespace spex::test
