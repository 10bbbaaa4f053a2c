// Frames of two folders are paired by camera and exposure.

#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "reference/compare/production/frame_pairs.hpp"
#include "reference/core/error.hpp"
#include "reference/frame/file_names.hpp"
#include "reference/tests/compare/production/pipeline_frames.hpp"

namespace spex::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(FileNames, PartsOfAName) {
  const auto parts = parse_file_name("frame", "frame-r0-00051060-no-badcolumn-mask.fits.gz");
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->camera, "r0");
  EXPECT_EQ(parts->expid, "00051060");
  EXPECT_EQ(parts->ending, "-no-badcolumn-mask.fits.gz");
  for (const char* other :
       {"frame-r0-0005106.fits", "frame-q0-00051060.fits", "sframe-r0-00051060.fits",
        "frame_r0-00051060.fits", "frame-r0-0005106x.fits", "frame", ""})
    EXPECT_FALSE(parse_file_name("frame", other)) << other;
}

class FramePairs : public testing::Test {
 protected:
  void put(const std::string& path) const {
    const std::filesystem::path file = scratch.file(path);
    std::filesystem::create_directories(file.parent_path());
    write_file(file.string(), "");
  }
  // "r0-00000001 ours production" with paths below the scratch folder, "-" where there is none.
  [[nodiscard]] std::vector<std::string> pairs(const std::vector<std::string>& ours) const {
    std::vector<std::string> paths, texts;
    for (const std::string& path : ours) paths.push_back(scratch.file(path));
    const auto below = [&](const std::string& path) {
      return path.empty() ? "-" : path.substr(scratch.file("").size());
    };
    for (const ProductionPair& pair : pair_frames(scratch.file("production"), paths))
      texts.push_back(pair.name() + " " + below(pair.ours) + " " + below(pair.production));
    return texts;
  }
  [[nodiscard]] std::string error(const std::vector<std::string>& ours) const {
    try {
      static_cast<void>(pairs(ours));
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  const ScratchFolder scratch;
};

TEST_F(FramePairs, NightOfExposures) {
  put("production/00000002/frame-b0-00000002.fits.gz");
  put("production/00000001/frame-r0-00000001.fits.gz");
  put("production/00000001/frame-b0-00000001.fits");
  put("production/00000001/psf-b0-00000001.fits");
  put("production/00000001/sframe-b0-00000001.fits");
  put("production/notes/frame-z0-00000001.fits");
  put("ours/00000001/frame-r0-00000001-no-badcolumn-mask.fits.gz");
  put("ours/00000001/frame-b0-00000001.fits.gz");
  put("ours/00000003/frame-b0-00000003.fits");
  EXPECT_THAT(pairs({"ours"}),
              ElementsAre("b0-00000001 ours/00000001/frame-b0-00000001.fits.gz "
                          "production/00000001/frame-b0-00000001.fits",
                          "r0-00000001 ours/00000001/frame-r0-00000001-no-badcolumn-mask.fits.gz "
                          "production/00000001/frame-r0-00000001.fits.gz",
                          "b0-00000002 - production/00000002/frame-b0-00000002.fits.gz",
                          "b0-00000003 ours/00000003/frame-b0-00000003.fits -"));
}

TEST_F(FramePairs, FilesByTheirHeaders) {
  put("production/frame-r0-00000003.fits");
  write_pipeline_file(scratch.file("any name.fits"), our_file());
  EXPECT_THAT(pairs({"any name.fits"}),
              ElementsAre("r0-00000003 any name.fits production/frame-r0-00000003.fits"));
}

// desi_proc masks bad columns into a second file, from ours or beside ours.
TEST_F(FramePairs, BothNamesInOneFolder) {
  put("production/frame-r0-00000001.fits.gz");
  put("production/frame-r0-00000001-no-badcolumn-mask.fits.gz");
  EXPECT_THAT(pairs({"production"}),
              ElementsAre("r0-00000001 production/frame-r0-00000001-no-badcolumn-mask.fits.gz "
                          "production/frame-r0-00000001.fits.gz"));
}

TEST_F(FramePairs, Errors) {
  put("production/frame-r0-00000001.fits");
  put("empty/psf-r0-00000001.fits");
  put("two/frame-r0-00000001.fits");
  put("two/frame-r0-00000001.fits.gz");
  EXPECT_THAT(error({"empty"}), HasSubstr("has no frame (expected frame-CAMERA-EXPID.fits"));
  EXPECT_THAT(error({"two"}), HasSubstr("are both frame r0-00000001"));
  EXPECT_THAT(error({"none"}), HasSubstr("none: "));
  PipelineFile file = our_file();
  file.remove("EXPID");
  write_pipeline_file(scratch.file("unnamed.fits"), file);
  EXPECT_THAT(error({"unnamed.fits"}), HasSubstr("unnamed.fits: has no CAMERA and EXPID"));
}

}  // namespace
}  // namespace spex::test
