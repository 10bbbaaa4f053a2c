// Checks of a frame's files before the extraction.

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/core/error.hpp"
#include "reference/frame/frame_steps.hpp"
#include "reference/tests/support/change_fits.hpp"
#include "reference/tests/support/scratch.hpp"
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

TEST_F(ReadFrameInputs, UnusualCameraNeedsAGrid) {
  test::set_keyword(job.files.input, "IMAGE", "CAMERA", "x0");
  EXPECT_EQ(read().grid.nwave, 21);
  EXPECT_EQ(read().preproc.camera, "x0");
  job.settings.options.wavelength.reset();
  EXPECT_THAT(refused(ErrorKind::data), testing::StartsWith(job.files.input + ": CAMERA 'x0'"));
}

TEST_F(ReadFrameInputs, FibermapWithTooFewRows) {
  test::delete_rows(job.files.input, "FIBERMAP", 7, 3);
  EXPECT_EQ(refused(ErrorKind::data),
            job.files.input + ": FIBERMAP has 7 rows (expected at least 10)");
  job.settings.options.specmin = 2;
  job.settings.options.nspec = 5;
  EXPECT_EQ(read().preproc.fibermap.fiber.size(), 7U);
  job.settings.options.nspec = 20;  // beyond the PSF: a usage error
  EXPECT_THAT(refused(ErrorKind::usage), testing::StartsWith("--nspec"));
}

TEST_F(ReadFrameInputs, SeparateFibermapFileIsNamed) {
  job.files.fibermap = scratch.copy_of(golden + "preproc.fits", "fibermap.fits");
  test::delete_rows(*job.files.fibermap, "FIBERMAP", 0, 9);
  EXPECT_EQ(refused(ErrorKind::data),
            *job.files.fibermap + ": FIBERMAP has 1 rows (expected at least 10)");
}

}  // namespace
}  // namespace spex
