// The program spex-compare beside DESI's pipeline: exit status, table, JSON.

#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "reference/tests/compare/production/pipeline_frames.hpp"
#include "reference/tests/support/change_fits.hpp"
#include "reference/tests/support/process.hpp"
#include "spex_test_paths.hpp"

namespace spex::test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

class Production : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* camera : {"b0", "r0"}) {
      PipelineFile ours = our_file(), theirs = production_file();
      for (PipelineFile* file : {&ours, &theirs}) {
        file->set("CAMERA", std::string(camera));
        file->set("IN_IMG", std::string("preproc-") + camera + "-00000003.fits");
      }
      write_pipeline_file(path("ours", camera), ours);
      write_pipeline_file(path("night/00000003", camera), theirs);
    }
  }
  [[nodiscard]] std::string path(const std::string& folder, const std::string& camera) const {
    return scratch.file(folder + "/frame-" + camera + "-00000003.fits");
  }
  [[nodiscard]] Finished compare(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> command{"timeout",
                                     "60",
                                     SPEX_BINARY_DIR "/bin/spex-compare",
                                     "--production",
                                     scratch.file("night"),
                                     scratch.file("ours")};
    command.insert(command.end(), more.begin(), more.end());
    return run_captured(command);
  }
  [[nodiscard]] nlohmann::json report() const {
    return nlohmann::json::parse(read_file(scratch.file("report.json")));
  }

  const ScratchFolder scratch;
};

TEST_F(Production, AllAsExpected) {
  const Finished finished =
      compare({"--json", scratch.file("report.json"), "--label", "of a night"});
  EXPECT_EQ(finished.status, 0) << finished.out << finished.err;
  EXPECT_EQ(finished.err, "");
  EXPECT_THAT(finished.out, EndsWith("ok: 2 frames are as expected\n"));
  const nlohmann::json all = report();
  EXPECT_EQ(all["ok"], true);
  EXPECT_EQ(all["label"], "of a night");
  ASSERT_EQ(all["frames"].size(), 2U);
  const nlohmann::json& frame = all["frames"][1];
  EXPECT_EQ(frame["camera"], "r0");
  EXPECT_EQ(frame["desispec"], "0.71.6");
  EXPECT_EQ(frame["spectra"]["compared"], nspec * nwave);
  EXPECT_EQ(frame["spectra"]["agreements"][0]["equal"], nspec * nwave);
  EXPECT_EQ(frame["spectra"]["worst_pulls"].size(), 10U * 3U);
  for (const nlohmann::json& one : frame["differences"]) {
    EXPECT_EQ(one["expected"], true) << one;
    EXPECT_TRUE(all["reasons"].contains(one["reason"])) << one;
  }
}

TEST_F(Production, ADifferenceWithoutAReason) {
  set_number(path("night/00000003", "r0"), "FLUX", "EXPTIME", 901);
  const Finished finished = compare({"--json", scratch.file("report.json")});
  EXPECT_EQ(finished.status, 3);
  EXPECT_EQ(finished.err, "");
  EXPECT_THAT(finished.out,
              EndsWith("FAIL: 1 of 2 frames: r0-00000003: FLUX: EXPTIME, '900.', production "
                       "'901.'\n"));
  EXPECT_THAT(finished.out, HasSubstr("\nnot expected\nr0-00000003 FLUX: EXPTIME"));
  EXPECT_EQ(report()["ok"], false);
  EXPECT_EQ(report()["frames"][1]["differences"][0]["reason"], nullptr);
}

TEST_F(Production, MissingFramesAreNamed) {
  std::filesystem::remove(path("ours", "b0"));
  write_pipeline_file(path("ours", "z0"), our_file());
  const Finished finished = compare();
  EXPECT_EQ(finished.status, 3);
  EXPECT_THAT(finished.out, HasSubstr("b0-00000003  missing in ours: only "));
  EXPECT_THAT(finished.out, HasSubstr("z0-00000003  missing in production: only "));
  EXPECT_THAT(finished.out, EndsWith("FAIL: 2 of 3 frames: b0-00000003 is missing in ours\n"));
  const Finished skipped = compare({"--skip-missing"});
  EXPECT_EQ(skipped.status, 7);
  EXPECT_THAT(skipped.out, EndsWith("ok: 1 frame is as expected, 2 skipped\n"));
  std::filesystem::remove(path("ours", "r0"));
  EXPECT_EQ(compare({"--skip-missing"}).status, 3) << "nothing was compared";
}

TEST_F(Production, ADamagedFrameDoesNotHideTheOthers) {
  write_file(path("ours", "b0"), "This is no frame.");
  set_number(path("night/00000003", "r0"), "FLUX", "EXPTIME", 901);
  const Finished finished = compare();
  EXPECT_EQ(finished.status, 1);
  EXPECT_THAT(finished.err, HasSubstr("spex-compare: " + path("ours", "b0") + ": "));
  EXPECT_THAT(finished.out, HasSubstr("r0-00000003 FLUX: EXPTIME"));
}

TEST_F(Production, CommandLine) {
  for (const std::vector<std::string>& wrong : std::vector<std::vector<std::string>>{
           {"--truth", path("ours", "b0")}, {"--whole"}, {"--tolerance", "identical"}}) {
    const Finished finished = compare(wrong);
    EXPECT_EQ(finished.status, 2) << finished.out;
    EXPECT_THAT(finished.err, HasSubstr("does not go with --production"));
  }
  const std::string frame = path("ours", "b0");
  const std::string program = SPEX_BINARY_DIR "/bin/spex-compare";
  EXPECT_THAT(run_captured({program, frame, frame, frame}).err, HasSubstr("is a third frame"));
  EXPECT_THAT(run_captured({program, frame, frame, "--skip-missing"}).err,
              HasSubstr("--skip-missing: needs --production"));
  const Finished overwriting = compare({"--json", frame});
  EXPECT_EQ(overwriting.status, 2);
  EXPECT_THAT(overwriting.err, Not(HasSubstr("wrote")));
}

// A frame whose first and last patches lie beyond the CCD, extracted by spex-cpu; production's is
// ours without what production drops.
class EdgeOfCcd : public testing::Test {
 protected:
  static constexpr int nspec = 25, nwave = 201, step = 50, ndiagonals = 11;
  void SetUp() override {
    const std::string bin = SPEX_BINARY_DIR "/bin/";
    ASSERT_EQ(run_captured({bin + "spex-sim", "-o", scratch.file(""), "--size", "tiny"}).status, 0);
    std::filesystem::create_directory(scratch.file("production"));
    const Finished extracted =
        run_captured({bin + "spex-cpu", "-i", scratch.file("preproc-r0-00000001.fits"), "-p",
                      scratch.file("psf-r0-00000001.fits"), "-o", ours, "-w", "5740,5900,0.8",
                      "--method", "cholesky", "--no-scores"});
    ASSERT_EQ(extracted.status, 0) << extracted.err;
    std::filesystem::copy_file(ours, production);
    remove_keyword("SPEXPROG");
    for (const int dropped : {0, 3, 4}) drop(0, nspec, dropped);
  }
  void remove_keyword(const char* keyword) const {
    fitsfile* file = nullptr;
    int status = 0;
    fits_open_file(&file, production.c_str(), READWRITE, &status);
    fits_delete_key(file, keyword, &status);
    fits_close_file(file, &status);
    fits_check(status, production, keyword);
  }
  // Empties a step of fibers [first, end) in production.
  void drop(int first, int end, int dropped) const {
    const int bin = dropped * step, count = std::min(step, nwave - bin);
    const std::vector<double> nothing(count, 0.0);
    for (int s = first; s < end; ++s) {
      for (const char* hdu : {"FLUX", "IVAR", "MASK", "CHI2PIX"})
        set_pixels(production, hdu, s * nwave + bin, nothing);
      for (int d = 0; d < ndiagonals; ++d)
        set_pixels(production, "RESOLUTION", (s * ndiagonals + d) * nwave + bin, nothing);
    }
  }
  [[nodiscard]] Finished compare() const {
    return run_captured(
        {SPEX_BINARY_DIR "/bin/spex-compare", "--production", scratch.file("production"), ours});
  }

  const ScratchFolder scratch;
  const std::string ours = scratch.file("frame-r0-00000001.fits");
  const std::string production = scratch.file("production/frame-r0-00000001.fits");
};

TEST_F(EdgeOfCcd, ThePsfTellsWhichPatchesAreCut) {
  const Finished finished = compare();
  EXPECT_EQ(finished.status, 0) << finished.out << finished.err;
  EXPECT_THAT(finished.out, HasSubstr("bins of dropped patches"));
  drop(5, 10, 1);  // next to a patch that is cut, but within the CCD
  const Finished more = compare();
  EXPECT_EQ(more.status, 3);
  EXPECT_THAT(more.out,
              HasSubstr("bins of a patch that production lost, 250 values of fibers 5-9"));
  // Without a PSF it might be cut, too.
  std::filesystem::remove(scratch.file("psf-r0-00000001.fits"));
  EXPECT_EQ(compare().status, 0);
}

}  // namespace
}  // namespace spex::test
