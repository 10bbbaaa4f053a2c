#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "reference/compare/report.hpp"
#include "reference/fits/write/atomic_write.hpp"
#include "reference/fits/write/fits_write.hpp"
#include "reference/tests/compare/frames.hpp"
#include "reference/tests/support/process.hpp"
#include "spex_test_paths.hpp"

namespace spex {
namespace {

using nlohmann::json;
using test::at;
using test::Finished;
using test::nspec;
using test::nwave;
using test::values;

const std::string compare = std::string(SPEX_BINARY_DIR) + "/bin/spex-compare";

// Writes a frame with the flux of one bin changed by `pulls`.
void write_moved(const std::string& path, double pulls) {
  Frame frame = test::make_frame();
  frame.flux[at(3, 11)] += pulls / std::sqrt(frame.ivar[at(3, 11)]);
  (void)test::store(frame, path, true);
}

// A truth of 7 electron / Angstrom everywhere.
void write_truth(const std::string& path, bool on_grid, double first_wave) {
  FitsMemory out(path);
  create_image(out, BYTE_IMG, {});
  write_keyword(out, {"ONGRID", on_grid, "flux sits on the extraction's wavelengths"});
  out.write_checksums();
  std::vector<double> wave;
  for (int w = 0; w < nwave; ++w) wave.push_back(first_wave + 0.8 * w);
  create_image(out, DOUBLE_IMG, {nwave});
  write_name_and_unit(out, "WAVELENGTH", "Angstrom");
  write_pixels(out, TDOUBLE, wave);
  const int nfiber = test::specmin + nspec;
  create_image(out, FLOAT_IMG, {nwave, nfiber});
  write_name_and_unit(out, "FLUX", "electron/Angstrom");
  write_pixels(out, TDOUBLE, std::vector<double>(static_cast<std::size_t>(nfiber) * nwave, 7.0));
  atomic_write(path, out.finish());
}

std::string last_line(const std::string& text) {
  const std::size_t end = text.find_last_not_of('\n');
  const std::size_t before = text.rfind('\n', end);
  return text.substr(before + 1, end - before);
}

class SpexCompare : public testing::Test {
 protected:
  SpexCompare() {
    write_moved(good, 0);
    write_moved(moved, 0.5);
  }

  const test::ScratchFolder scratch;
  const std::string good = scratch.file("good.fits");
  const std::string moved = scratch.file("moved.fits");
  const std::string report = scratch.file("report.json");
};

TEST_F(SpexCompare, EqualFramesGiveStatus0) {
  const Finished ended =
      test::run_captured({compare, good, good, "--json", report, "--label", "as made"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(ended.err, "");
  EXPECT_TRUE(ended.out.starts_with("as made\n"));
  EXPECT_EQ(last_line(ended.out), "ok: 240 of 240 bins compared (production)");
  const json all = json::parse(test::read_file(report));
  EXPECT_EQ(all["label"], "as made");
  EXPECT_EQ(all["ok"], true);
  EXPECT_TRUE(all["failure"].is_null());
  EXPECT_TRUE(all["truth"].is_null());
}

TEST_F(SpexCompare, DifferenceGivesStatus3AndItsPlace) {
  const Finished ended = test::run_captured({compare, moved, good, "--json", report});
  EXPECT_EQ(ended.status, 3);
  EXPECT_EQ(last_line(ended.out),
            "FAIL: FLUX: flux pull 0.5 (at most 1e-06), first at fiber 23, 6008.80 A (bin 11)");
  const json all = json::parse(test::read_file(report));
  EXPECT_EQ(all["ok"], false);
  EXPECT_EQ("FAIL: " + all["failure"].get<std::string>(), last_line(ended.out));
  EXPECT_EQ(all["result"], moved);
  EXPECT_EQ(all["expected"], good);
  const json& comparison = all["comparison"];
  EXPECT_EQ(comparison["tolerance"]["name"], "production");
  EXPECT_EQ(comparison["tolerance"]["flux_pull"], 1e-6);
  EXPECT_EQ(comparison["bins"]["compared"], nspec * nwave);
  json flux;
  for (const json& check : comparison["checks"]) {
    EXPECT_EQ(check["ok"], check["hdu"] != "FLUX") << check;
    if (check["hdu"] == "FLUX") flux = check;
  }
  EXPECT_NEAR(flux["largest"].get<double>(), 0.5, 1e-9);
  EXPECT_EQ(flux["bad"], 1);
  EXPECT_EQ(flux["first_bad"]["hdu"], "FLUX");
  EXPECT_EQ(flux["first_bad"]["fiber"], 23);
  EXPECT_EQ(flux["first_bad"]["bin"], 11);
  EXPECT_NEAR(flux["first_bad"]["wavelength"].get<double>(), 6008.8, 1e-6);
  EXPECT_EQ(scratch.names(), (std::set<std::string>{"good.fits", "moved.fits", "report.json"}));
}

TEST_F(SpexCompare, ToleranceDecides) {
  test::write_file(scratch.file("cases.json"), R"({"cases": {"wide": {"tolerance":
      {"flux_pull": 0.6, "ivar_rel": 0, "resolution_abs": 0, "chi2pix_rel": 0,
       "pixmask_abs": 0}}}})");
  const auto status = [&](const std::string& tolerance) {
    return test::run_captured({compare, moved, good, "--tolerance", tolerance}).status;
  };
  EXPECT_EQ(status(scratch.file("cases.json") + ":wide"), 0);
  EXPECT_EQ(status("unpadded"), 3);
  EXPECT_EQ(status("identical"), 3);
  EXPECT_EQ(test::run_captured({compare, good, good, "--tolerance", "identical"}).status, 0);
}

TEST_F(SpexCompare, TruthIsReported) {
  const std::string truth = scratch.file("truth.fits");
  write_truth(truth, true, 6000);
  const Finished ended =
      test::run_captured({compare, good, good, "--truth", truth, "--json", report});
  EXPECT_EQ(ended.status, 3) << ended.err;  // made without regard to the truth
  const json all = json::parse(test::read_file(report));
  EXPECT_EQ(all["truth"]["file"], truth);
  EXPECT_GT(all["truth"]["limits"]["mean"], all["truth"]["limits"]["std"]);
  EXPECT_EQ(all["truth"]["min_bins"], 1000);
  EXPECT_EQ(all["truth"]["bins"], 204);  // 6 x 36 less 12 with MASK
  EXPECT_GT(all["truth"]["mean"].get<double>(), 10);
  EXPECT_TRUE(all["comparison"]["checks"][0]["ok"].get<bool>());
  EXPECT_EQ(all["failure"],
            "FLUX: 204 unmasked bins to compare with the truth (expected at least 1000)");
}

TEST_F(SpexCompare, WrongInputGivesOneLineAndAStatus) {
  const auto expect = [&](std::vector<std::string> words, int status, const std::string& text) {
    words.insert(words.begin(), compare);
    words.insert(words.end(), {"--json", report});
    const Finished ended = test::run_captured(words);
    EXPECT_EQ(ended.status, status) << text;
    EXPECT_NE(ended.err.find(text), std::string::npos) << ended.err;
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
    EXPECT_FALSE(scratch.names().contains("report.json")) << text;
  };
  write_truth(scratch.file("off.fits"), false, 6000);
  write_truth(scratch.file("late.fits"), true, 6000.4);
  test::write_file(scratch.file("text.fits"), "no FITS file at all");
  expect({good}, 2, "nothing to compare with");
  expect({good, good, "--tolerance", "loose"}, 2, "unknown tolerance 'loose'");
  expect({good, good, "--fast"}, 2, "--fast");
  expect({good, scratch.file("missing.fits")}, 1, "missing.fits: no such file");
  expect({scratch.file("text.fits"), good}, 1, "text.fits: is not a FITS file");
  expect({good, "--truth", good}, 1, "has no keyword ONGRID");
  expect({good, "--truth", scratch.file("off.fits")}, 1, "ONGRID is F");
  expect({good, "--truth", scratch.file("late.fits")}, 1, "late.fits: has a bin at 6000.4");
  expect({good, scratch.file("late.fits")}, 1, "late.fits: has no FLUX of two axes");
  EXPECT_EQ(test::run_captured({compare, good, good, "--json", "/nowhere/at/all.json"}).status, 1);
}

TEST(Report, NonFiniteNumbersAreNull) {
  FrameFile result = test::store(test::make_frame());
  const FrameFile expected = result;
  values(result, "FLUX")[at(0, 0)] = std::nan("");
  CompareReport report;
  report.comparison = compare_frames(result, expected, read_tolerance("production"));
  EXPECT_FALSE(report.ok());
  const json all = json::parse(to_json(report));
  bool seen = false;
  for (const json& check : all["comparison"]["checks"])
    if (check["what"] == "flux pull") seen = check["largest"].is_null() && !check["ok"];
  EXPECT_TRUE(seen);
  EXPECT_EQ(all["comparison"]["checks"][1]["first_bad"]["hdu"], "FLUX");
}

}  // namespace
}  // namespace spex
