// Finding the frames of an exposure in its folders, and skipping frames.

#include <cstdlib>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mpi/run/exposure_folders.hpp"
#include "reference/core/error.hpp"
#include "reference/tests/support/scratch.hpp"

namespace spex::mpi {
namespace {

using testing::HasSubstr;

class Folders : public testing::Test {
 protected:
  void make(const std::string& name) const {
    std::filesystem::create_directories(std::filesystem::path(scratch.file(name)).parent_path());
    test::write_file(scratch.file(name), "");
  }
  std::string refused(const ExposureFolders& folders, ErrorKind kind = ErrorKind::usage) {
    try {
      static_cast<void>(frames_of_folders(folders));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind);
      return error.what();
    }
    return "no error";
  }
  static std::vector<std::string> cameras(const std::vector<FrameFiles>& frames) {
    std::vector<std::string> names;
    for (const FrameFiles& frame : frames) names.push_back(frame.camera);
    return names;
  }
  test::ScratchFolder scratch;
};

TEST_F(Folders, SortedByCameraAndExposure) {
  for (const char* name :
       {"preproc-r1-00000002.fits.gz", "preproc-b0-00000003.fits", "preproc-r1-00000001.fits.fz",
        "psf-r1-00000001.fits", "preproc-x1-00000001.fits", "preproc-b0-00000003.fits.tmp"})
    make(name);
  const std::string night = scratch.file(".");
  const auto frames = frames_of_folders({night, night, "out"});
  ASSERT_EQ(frames.size(), 3U);
  EXPECT_EQ(frames[0].camera, "b0");
  EXPECT_EQ(frames[0].output, "out/frame-b0-00000003.fits");
  EXPECT_EQ(frames[1].output, "out/frame-r1-00000001.fits");
  EXPECT_EQ(frames[1].input, scratch.file("./preproc-r1-00000001.fits.fz"));
  EXPECT_EQ(frames[1].psf, scratch.file("./psf-r1-00000001.fits"));
  EXPECT_EQ(frames[2].psf, scratch.file("./psf-r1-00000002.fits"));  // missed when it is read

  ExposureFolders some{night, "psfs", "out"};
  some.expid = 2;
  ASSERT_EQ(frames_of_folders(some).size(), 1U);
  EXPECT_EQ(frames_of_folders(some)[0].psf, "psfs/psf-r1-00000002.fits");
  some.expid.reset();
  some.cameras = {"r1"};
  EXPECT_EQ(cameras(frames_of_folders(some)), (std::vector<std::string>{"r1", "r1"}));
  some.cameras = {"r1", "z5"};
  EXPECT_THAT(refused(some), HasSubstr("has no preproc file of z5"));
}

// Any form of an image and of a PSF is found; several forms of one are a fault of their frame.
TEST_F(Folders, FormsOfFiles) {
  for (const char* name :
       {"preproc-b0-00000001.fits", "psf-b0-00000001.fits.gz", "preproc-r0-00000001.fits",
        "preproc-r0-00000001.fits.gz", "psf-r0-00000001.fits", "preproc-z0-00000001.fits.fz",
        "psf-z0-00000001.fits.fz", "psf-z0-00000001.fits"})
    make(name);
  const std::string night = scratch.file("");
  const auto frames = frames_of_folders({night, night, "out"});
  ASSERT_EQ(cameras(frames), (std::vector<std::string>{"b0", "r0", "z0"}));
  EXPECT_EQ(frames[0].psf, night + "psf-b0-00000001.fits.gz");
  EXPECT_EQ(frames[0].fault, "");
  EXPECT_EQ(frames[1].fault, night + "preproc-r0-00000001.fits: exists also as " + night +
                                 "preproc-r0-00000001.fits.gz (expected one of them)");
  EXPECT_EQ(frames[2].fault, night + "psf-z0-00000001.fits: exists also as " + night +
                                 "psf-z0-00000001.fits.fz (expected one of them)");
}

TEST_F(Folders, InputsInAnotherForm) {
  for (const char* name : {"i.fits.gz", "p.fits", "q.fits.gz", "q.fits.fz", "r.fits", "r.fits.gz"})
    make(name);
  const auto file = [&](const char* name) { return scratch.file(name); };
  std::vector<FrameFiles> frames{{"b0", file("i.fits"), file("p.fits.gz"), "o0"},
                                 {"b1", file("i.fits"), file("q.fits"), "o1"},
                                 {"b2", file("r.fits.gz"), file("none.fits"), "o2"}};
  find_inputs(frames);
  EXPECT_EQ(frames[0].input, file("i.fits.gz"));
  EXPECT_EQ(frames[0].psf, file("p.fits"));
  EXPECT_EQ(frames[0].fault, "");
  EXPECT_EQ(frames[1].fault, file("q.fits") + ": no such file, but " + file("q.fits.gz") + " and " +
                                 file("q.fits.fz") + " (expected one of them)");
  EXPECT_EQ(frames[2].input, file("r.fits.gz"));
  EXPECT_EQ(frames[2].psf, file("none.fits"));
}

// An exposure without files does not affect the others.
TEST_F(Folders, OfSeveralExposures) {
  make("1/preproc-b0-00000001.fits");
  make("2/other");
  const ExposureFolders one{scratch.file("1"), "", "out"}, two{scratch.file("2"), "", "out"},
      none{scratch.file("none"), "", "out"};
  std::vector<FrameFiles> frames = frames_of_exposures({two, one, none});
  EXPECT_EQ(cameras(frames), (std::vector<std::string>{"", "b0", ""}));
  EXPECT_THAT(frames[0].fault, HasSubstr("2: has no preproc file"));
  EXPECT_EQ(frames[1].fault, "");
  EXPECT_THAT(frames[2].fault, HasSubstr("none: cannot be listed"));
  EXPECT_EQ(skip_frames(frames, {.missing = true}).size(), 3U);  // b0 has no PSF
  EXPECT_THROW(static_cast<void>(frames_of_exposures({two, none})), Error);
}

// A folder of an exposure that cannot be listed counts; a file of such a name does not.
TEST_F(Folders, ExposuresOfANight) {
  make("preproc/20260616/00000001/preproc-b0-00000001.fits");
  make("preproc/20260616/00000002/other");
  make("preproc/20260616/00000003");
  std::filesystem::create_symlink("gone", scratch.file("preproc/20260616/00000004"));
  EXPECT_EQ(exposures_of_night(scratch.file(""), 20260616), (std::vector<int>{1, 4}));
}

TEST_F(Folders, WithoutFramesAreRejected) {
  EXPECT_THAT(refused({scratch.file("."), "", "out"}), HasSubstr("has no preproc file"));
  EXPECT_THAT(refused({scratch.file("none"), "", "out"}, ErrorKind::data),
              HasSubstr("cannot be listed"));
}

// Images and PSFs are in separate folders; a camera without an image becomes a frame with a missing
// input.
TEST_F(Folders, TreeOfAProduction) {
  make("preproc/20260616/00051060/preproc-r3-00051060.fits.gz");
  make("preproc/20260616/00051060/preproc-b3-00051060.fits.gz");
  ExposureFolders folders = production_folders(scratch.file(""), 20260616, 51060);
  const std::string exposure = scratch.file("exposures/20260616/00051060/");
  std::vector<FrameFiles> frames = frames_of_folders(folders);
  ASSERT_EQ(cameras(frames), (std::vector<std::string>{"b3", "r3"}));
  EXPECT_EQ(frames[1].input, scratch.file("preproc/20260616/00051060/preproc-r3-00051060.fits.gz"));
  EXPECT_EQ(frames[1].psf, exposure + "psf-r3-00051060.fits");
  EXPECT_EQ(frames[1].output, exposure + "frame-r3-00051060-no-badcolumn-mask.fits.gz");

  folders.cameras = {"r3", "z3"};
  frames = frames_of_folders(folders);
  ASSERT_EQ(cameras(frames), (std::vector<std::string>{"r3", "z3"}));
  EXPECT_EQ(frames[1].input, scratch.file("preproc/20260616/00051060/preproc-z3-00051060.fits.gz"));

  setenv("DESI_COMPRESSION", "None", 1);
  frames = frames_of_folders(folders);
  unsetenv("DESI_COMPRESSION");
  EXPECT_EQ(frames[0].output, exposure + "frame-r3-00051060-no-badcolumn-mask.fits");
}

TEST_F(Folders, ExistingAndMissingFramesAreSkipped) {
  for (const char* name : {"i", "p", "done", "frame-r3-00051060.fits"}) make(name);
  const auto file = [&](const char* name) { return scratch.file(name); };
  const FrameFiles good{"b0", file("i"), file("p"), file("new")};
  const FrameFiles done{"b1", file("i"), file("p"), file("done")};
  const FrameFiles masked{"r3", file("i"), file("p"),
                          file("frame-r3-00051060-no-badcolumn-mask.fits.gz")};
  const FrameFiles no_image{"z0", file("none"), file("p"), file("new0")};
  const FrameFiles no_psf{"z1", file("i"), file("none"), file("new1")};
  const std::vector<FrameFiles> all{good, done, masked, no_image, no_psf};

  std::vector<FrameFiles> frames = all;
  EXPECT_TRUE(skip_frames(frames, {}).empty());
  EXPECT_EQ(frames.size(), 5U);

  frames = all;
  std::vector<SkippedFrame> skipped = skip_frames(frames, {.existing = true});
  EXPECT_EQ(cameras(frames), (std::vector<std::string>{"b0", "z0", "z1"}));
  ASSERT_EQ(skipped.size(), 2U);
  EXPECT_EQ(skipped[0].path, file("done"));
  EXPECT_FALSE(skipped[0].missing);
  EXPECT_EQ(skipped[1].path, file("frame-r3-00051060.fits"));  // either form

  frames = all;
  skipped = skip_frames(frames, {.missing = true});
  EXPECT_EQ(cameras(frames), (std::vector<std::string>{"b0", "b1", "r3"}));
  ASSERT_EQ(skipped.size(), 2U);
  EXPECT_TRUE(skipped[1].missing);
  EXPECT_EQ(skipped[1].path, file("none"));

  frames = all;
  EXPECT_EQ(skip_frames(frames, {true, true}).size(), 4U);
  EXPECT_EQ(cameras(frames), (std::vector<std::string>{"b0"}));
}

}  // namespace
}  // namespace spex::mpi
