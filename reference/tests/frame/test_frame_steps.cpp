// Checks of a frame's files before the extraction.

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/core/count.hpp"
#include "reference/core/error.hpp"
#include "reference/fits/write/atomic_write.hpp"
#include "reference/frame/frame_job.hpp"
#include "reference/frame/frame_steps.hpp"
#include "reference/model/milestones.hpp"
#include "reference/tests/fits/fits_edit.hpp"
#include "reference/tests/support/change_fits.hpp"
#include "reference/tests/support/fields.hpp"
#include "reference/tests/support/scratch.hpp"
#include "reference/tests/support/zlib_inflater.hpp"
#include "spex_test_paths.hpp"

namespace spex {
namespace {

const std::string golden = SPEX_SOURCE_DIR "/golden/tiny-b/";

// Ten fibers, and a FIBERMAP of ten rows.
class ReadFrameInputs : public testing::Test {
 protected:
  ReadFrameInputs() {
    job.files.input = scratch.copy_of(golden + "preproc.fits", "preproc.fits");
    job.files.psf = golden + "psf.fits";
    job.files.output = scratch.file("frame.fits");
    job.settings.options.wavelength = WaveRange{3620, 3636, 0.8};
    job.settings.options.bundlesize = 5;
  }
  FrameInputs read() {
    StageTimes times;
    return read_frame_inputs(job, times);
  }
  // The error of reading.
  std::string refused(ErrorKind kind) {
    try {
      static_cast<void>(read());
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind);
      return error.what();
    }
    return "no error";
  }

  const test::ScratchFolder scratch;
  FrameJob job;
};

// The image as .gz, and the pixels and message with an inflater beside those without.
class InflatedImage : public ReadFrameInputs {
 protected:
  void use(const std::vector<char>& image) {
    job.files.input = scratch.file("packed.fits.gz");
    atomic_write(job.files.input, image);
  }
  void expect_same(test::Inflates what) {
    test::ZlibInflater inflater(what);
    const FrameInputs alone = read();
    job.settings.inflater = &inflater;
    const FrameInputs inflated = read();
    test::expect_equal(inflated.pixels, alone.pixels);
    EXPECT_EQ(inflated.preproc.cards, alone.preproc.cards);
    EXPECT_EQ(inflated.preproc.fibermap.fits, alone.preproc.fibermap.fits);
    EXPECT_EQ(inflater.asked, 1);
    job.settings.inflater = nullptr;
  }
};

TEST_F(InflatedImage, SamePixels) {
  use(test::read_bytes(golden + "preproc.fits"));
  for (const test::Inflates what :
       {test::Inflates::by_zlib, test::Inflates::nothing, test::Inflates::wrong_bytes})
    expect_same(what);
}

TEST_F(InflatedImage, ADeviceErrorIsOne) {
  use(test::read_bytes(golden + "preproc.fits"));
  test::ZlibInflater inflater(test::Inflates::device_error);
  job.settings.inflater = &inflater;
  EXPECT_EQ(refused(ErrorKind::device), "GPU 0: it failed");
}

// Wrong checksums are known before the pixels are converted without an inflater, and after the
// first of them with one.
TEST_F(InflatedImage, OneMessageOfSeveralFaults) {
  test::FitsEdit edit(golden + "preproc.fits");
  for (const char* hdu : {"IMAGE", "IVAR", "MASK"}) {
    const std::string once = edit.hdu(hdu).data.substr(0, std::size_t{4} * 130 * 300);
    edit.hdu(hdu).data = once + once;
    edit.hdu(hdu).data.resize((2 * once.size() + 2879) / 2880 * 2880, '\0');
    edit.set(hdu, "NAXIS2", "600");
  }
  test::FitsEdit wide = test::with_wide_mask(edit.save(scratch.file("tall.fits")), 78000);
  wide.hdu("MASK").data[0] = 1;
  wide.hdu("IVAR").data[std::size_t{4} * 78000 - 1] ^= 1;
  use(wide.with_old_sums().bytes());
  const std::string alone = refused(ErrorKind::data);
  EXPECT_NE(alone.find("checksum"), std::string::npos) << alone;
  test::ZlibInflater inflater;
  job.settings.inflater = &inflater;
  EXPECT_EQ(refused(ErrorKind::data), alone);
  EXPECT_EQ(inflater.inflated, 1);
}

// The grid of a camera that is not DESI's is the PSF's, in production's steps.
TEST_F(ReadFrameInputs, CamerasOfOtherInstruments) {
  for (const char* name : {"x0", "blue", "b"}) {
    test::set_keyword(job.files.input, "IMAGE", "CAMERA", name);
    job.settings.options.wavelength = WaveRange{3620, 3636, 0.8};
    EXPECT_EQ(read().grid.nwave, 21);
    EXPECT_EQ(read().preproc.camera, name);
    job.settings.options.wavelength.reset();
    const WaveRange range = read().wavelength;
    EXPECT_EQ(range.wmin, 3580);
    EXPECT_EQ(range.wmax, 3780);
    EXPECT_EQ(range.dw, 0.8);
  }
  // Where such a step is too short for the PSF, the grid must be given.
  FrameInputs inputs = read();
  Psf long_rows = inputs.psf;
  for (double& c : long_rows.ytrace.coeff) c /= 4;
  try {
    static_cast<void>(
        make_frame_inputs(job, long_rows, Preproc(inputs.preproc), Pixels(inputs.pixels)));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::MatchesRegex("--wavelength: is missing, and the default "
                                                    "step of 0.8 Angstrom is 0\\.[0-9]+ rows of "
                                                    "this PSF .expected wmin,wmax,dw.*"));
  }
}

// The image of no camera is of the PSF's.
TEST_F(ReadFrameInputs, AnImageWithoutACamera) {
  test::rename_keyword(job.files.input, "IMAGE", "CAMERA", "CAMERO");
  job.files.psf = scratch.copy_of(job.files.psf, "psf.fits");
  test::set_keyword(job.files.psf, "PSF", "CAMERA", "b0");
  EXPECT_EQ(read().preproc.camera, "b0");
  job.files.camera = "b1";
  EXPECT_THAT(refused(ErrorKind::data), testing::HasSubstr("CAMERA is b0 (expected b1)"));
  test::rename_keyword(job.files.psf, "PSF", "CAMERA", "CAMERO");
  EXPECT_THAT(refused(ErrorKind::data), testing::HasSubstr("has no CAMERA (expected b1)"));
  job.files.camera = "";
  job.settings.options.wavelength.reset();
  EXPECT_EQ(read().wavelength.wmin, 3580);
}

// A fiber without a row.
TEST_F(ReadFrameInputs, FibermapWithTooFewRows) {
  test::delete_rows(job.files.input, "FIBERMAP", 7, 3);
  EXPECT_EQ(refused(ErrorKind::data),
            job.files.input +
                ": FIBERMAP has no row of fiber 7 (expected one row for each of "
                "fibers 0 to 9, in any order; or --fibermap-by-row)");
  job.settings.fibermap_by_row = true;
  EXPECT_EQ(refused(ErrorKind::data),
            job.files.input + ": FIBERMAP has 7 rows (expected at least 10)");
  job.settings.fibermap_by_row = false;
  job.settings.options.specmin = 2;
  job.settings.options.nspec = 5;
  EXPECT_EQ(read().preproc.fibermap.fiber, (std::vector<std::int64_t>{2, 3, 4, 5, 6}));
  job.settings.options.nspec = 20;  // beyond the PSF: a usage error
  EXPECT_THAT(refused(ErrorKind::usage), testing::StartsWith("--nspec"));
}

// The golden fibers are 0 to 9, of petal 0.
TEST_F(ReadFrameInputs, FibermapOfAnotherPetal) {
  test::set_keyword(job.files.input, "IMAGE", "CAMERA", "b3");
  EXPECT_THAT(refused(ErrorKind::data),
              testing::StartsWith(job.files.input + ": FIBERMAP has no row of fiber 1500 "));
  job.settings.fibermap_by_row = true;
  job.settings.options.specmin = 4;
  const FrameInputs inputs = read();
  EXPECT_EQ(inputs.preproc.fibermap.fiber, (std::vector<std::int64_t>{4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(other_fibers(inputs, job.settings.options), 6);
}

// Rows of all fibers, the wanted ones at the end in descending order.
TEST_F(ReadFrameInputs, FibermapOfAllFibersInAnyOrder) {
  test::set_keyword(job.files.input, "IMAGE", "CAMERA", "b9");
  std::vector<long long> fibers(5000);
  std::iota(fibers.rbegin(), fibers.rend(), 0);
  std::rotate(fibers.begin(), fibers.begin() + 600, fibers.end());
  test::write_fibers(job.files.input, fibers);
  job.settings.options.specmin = 3;
  job.settings.options.nspec = 4;
  const FrameInputs inputs = read();
  EXPECT_EQ(inputs.preproc.fibermap.fiber, (std::vector<std::int64_t>{4503, 4504, 4505, 4506}));
  EXPECT_EQ(first_fiber_of(inputs, job.settings.options), 4503);
}

// The PSF counts the fibers of a camera that is not DESI's.
TEST_F(ReadFrameInputs, FibermapOfAnotherInstrument) {
  job.files.psf = scratch.copy_of(job.files.psf, "psf.fits");
  test::set_keyword(job.files.input, "IMAGE", "CAMERA", "x0");
  test::set_number(job.files.psf, "XTRACE", "FIBERMIN", 40);
  EXPECT_THAT(refused(ErrorKind::data), testing::HasSubstr("no row of fiber 40 "));
  test::write_fibers(job.files.input, {49, 48, 47, 46, 45, 44, 43, 42, 41, 40});
  EXPECT_EQ(read().preproc.fibermap.fiber.front(), 40);
}

TEST_F(ReadFrameInputs, ImageWithoutMask) {
  test::rename_keyword(job.files.input, "MASK", "EXTNAME", "OLDNAME");
  EXPECT_EQ(refused(ErrorKind::data),
            job.files.input +
                ": has no HDU MASK (expected one; or --no-mask, which takes all pixels as good)");
  job.settings.no_mask = true;
  EXPECT_FALSE(read().preproc.has_mask);
}

// The GPU has kernels for one kind.
TEST_F(ReadFrameInputs, OtherKindsOfPsfAreForTheCpu) {
  FrameInputs inputs = read();
  Psf other = inputs.psf;
  other.kind = PsfKind::gauss_hermite2;
  other.second.param.assign(count_of(other.second.nparam(), other.nfiber, other.ncoeff), 0.0);
  for (int p : {0, 1})
    for (int s = 0; s < other.nfiber; ++s)
      other.second.param[count_of(p * other.nfiber + s, other.ncoeff)] = 1.0;
  const auto make = [&] {
    return make_frame_inputs(job, other, Preproc(inputs.preproc), Pixels(inputs.pixels));
  };
  EXPECT_EQ(make().psf.kind, PsfKind::gauss_hermite2);
  job.settings.options.milestone = Milestone::direct;
  try {
    static_cast<void>(make());
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), job.files.psf +
                                ": is of the PSFTYPE GAUSS-HERMITE2 (expected GAUSS-HERMITE on a "
                                "GPU; spex-cpu extracts the other kinds)");
  }
}

TEST_F(ReadFrameInputs, SeparateFibermapFileIsNamed) {
  job.files.fibermap = scratch.copy_of(golden + "preproc.fits", "fibermap.fits");
  test::delete_rows(*job.files.fibermap, "FIBERMAP", 0, 9);
  EXPECT_EQ(refused(ErrorKind::data),
            *job.files.fibermap +
                ": FIBERMAP has no row of fiber 0 (expected one row for each of "
                "fibers 0 to 9, in any order; or --fibermap-by-row)");
}

}  // namespace
}  // namespace spex
