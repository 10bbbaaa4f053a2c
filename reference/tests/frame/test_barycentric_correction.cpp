// The pointing from a frame's header.

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/core/error.hpp"
#include "reference/frame/barycentric_correction.hpp"
#include "reference/io/read_preproc.hpp"
#include "reference/tests/support/change_fits.hpp"
#include "reference/tests/support/scratch.hpp"
#include "spex_test_paths.hpp"

namespace spex {
namespace {

using testing::HasSubstr;
using Keywords = std::vector<std::pair<std::string, std::string>>;

std::vector<std::string> cards_of(const Keywords& keywords) {
  std::vector<std::string> cards;
  for (const auto& [name, value] : keywords)
    cards.push_back(fmt::format("{:<80}", fmt::format("{:<8}= {:>20} / text", name, value)));
  return cards;
}

const Keywords usual{{"RA", "10.5"}, {"DEC", "-20.25"}, {"MJD-OBS", "59000.5"}};

Keywords with(Keywords keywords, const Keywords& more) {
  for (const auto& [name, value] : more) {
    std::erase_if(keywords, [&](const auto& one) { return one.first == name; });
    if (!value.empty()) keywords.emplace_back(name, value);
  }
  return keywords;
}

Preproc preproc_of(const Keywords& keywords) {
  Preproc preproc;
  preproc.cards = cards_of(keywords);
  return preproc;
}

Pointing pointing(const Keywords& keywords) {
  return pointing_of(preproc_of(keywords), "preproc.fits");
}

std::string refused(const Keywords& keywords) {
  try {
    static_cast<void>(pointing(keywords));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::data);
    return error.what();
  }
  return "no error";
}

TEST(PointingOf, UsualHeader) {
  const Pointing p = pointing(usual);
  EXPECT_EQ(p.ra, 10.5);
  EXPECT_EQ(p.dec, -20.25);
  EXPECT_EQ(p.mjd, 59000.5);  // no EXPTIME: the start
}

// TARGTRA, SKYRA, TELRA, RA; the declination independently.
TEST(PointingOf, UsesTheFirstExistingKeyword) {
  const Keywords all{{"TELRA", "3"}, {"SKYRA", "2"}, {"TARGTRA", "1"}, {"TELDEC", "7"}};
  EXPECT_EQ(pointing(with(usual, all)).ra, 1);
  EXPECT_EQ(pointing(with(usual, all)).dec, 7);
  EXPECT_EQ(pointing(with(with(usual, all), {{"TARGTRA", ""}})).ra, 2);
  EXPECT_EQ(pointing(with(with(usual, all), {{"TARGTRA", ""}, {"SKYRA", ""}})).ra, 3);
  EXPECT_EQ(pointing(with(usual, {{"SKYDEC", "5"}, {"TELDEC", "6"}})).dec, 5);
  EXPECT_EQ(pointing(with(usual, {{"TARGTDEC", "4"}, {"SKYDEC", "5"}})).dec, 4);
  EXPECT_EQ(pointing(with(usual, {{"RA", ""}, {"TARGTRA", "-3.5E1"}})).ra, -35);
}

TEST(PointingOf, UsesTheMiddleOfTheExposure) {
  EXPECT_DOUBLE_EQ(pointing(with(usual, {{"EXPTIME", "900"}})).mjd, 59000.5 + 450. / 86400);
  EXPECT_EQ(pointing(with(usual, {{"MJD", "58000"}})).mjd, 59000.5);
  EXPECT_EQ(pointing(with(usual, {{"MJD-OBS", ""}, {"MJD", "58000"}})).mjd, 58000);
}

TEST(PointingOf, MissingAndInvalidKeywords) {
  // As in production, only RA or TARGTRA mark the image's header as having a direction.
  EXPECT_THAT(refused(with(usual, {{"RA", ""}, {"SKYRA", "1"}, {"TELRA", "1"}})),
              HasSubstr("preproc.fits: neither IMAGE nor FIBERMAP has"));
  EXPECT_THAT(refused(with(usual, {{"DEC", ""}})),
              HasSubstr("has no keyword TARGTDEC or SKYDEC or TELDEC or DEC"));
  EXPECT_THAT(refused(with(usual, {{"MJD-OBS", ""}})), HasSubstr("has no keyword MJD-OBS or MJD"));
  EXPECT_THAT(refused(with(usual, {{"RA", "'10:20'"}})), HasSubstr("keyword RA = '10:20'"));
  EXPECT_THAT(refused(with(usual, {{"RA", " "}})), HasSubstr("keyword RA = nothing"));
  EXPECT_THAT(refused(with(usual, {{"DEC", "90.1"}})), HasSubstr("the declination is 90.1"));
  EXPECT_THAT(refused(with(usual, {{"MJD-OBS", "2459000.5"}})), HasSubstr("41317 to 88069"));
  EXPECT_THAT(refused(with(usual, {{"EXPTIME", "'long'"}})), HasSubstr("keyword EXPTIME"));
}

TEST(PointingOf, FallsBackToTheFibermapsHeader) {
  const test::ScratchFolder scratch;
  const std::string path =
      scratch.copy_of(SPEX_SOURCE_DIR "/golden/tiny-b/preproc.fits", "preproc.fits");
  test::set_number(path, "FIBERMAP", "TARGTRA", 33.5);
  test::set_number(path, "FIBERMAP", "TARGTDEC", 4.5);
  test::set_number(path, "FIBERMAP", "MJD", 59001.25);
  Preproc preproc = read_preproc(path);
  preproc.cards = cards_of({{"MJD-OBS", "59000.5"}, {"DEC", "1"}});
  Pointing p = pointing_of(preproc, path);
  EXPECT_EQ(p.ra, 33.5);
  EXPECT_EQ(p.dec, 4.5);
  EXPECT_EQ(p.mjd, 59001.25);  // the date comes from the same header
  preproc.cards = cards_of(usual);
  EXPECT_EQ(pointing_of(preproc, path).ra, 10.5);
}

class Factor : public testing::Test {
 protected:
  double factor(const Keywords& more = {}) const {
    return barycentric_factor_of(settings, preproc_of(with(usual, more)), "preproc.fits");
  }
  BarycentricSettings settings;
};

TEST_F(Factor, AppliesOnlyToSelectedFrames) {
  EXPECT_EQ(factor({{"RA", ""}}), 1);
  settings.frames = BarycentricFrames::all;
  const double all = factor();
  EXPECT_NEAR(all, 1, 1.1e-4);
  EXPECT_NE(all, 1);
  settings.frames = BarycentricFrames::of_sky;
  EXPECT_EQ(factor({{"OBSTYPE", "'SCIENCE '"}}), all);
  EXPECT_EQ(factor({{"OBSTYPE", "'SKY     '"}, {"FLAVOR", "'flat'"}}), all);
  EXPECT_EQ(factor({{"FLAVOR", "'science '"}}), all);
  EXPECT_EQ(factor({{"OBSTYPE", "' Sky '"}}), all);
  EXPECT_EQ(factor({{"OBSTYPE", "'''SCIENCE'''"}}), all);
  EXPECT_EQ(factor({{"OBSTYPE", "'FLAT    '"}, {"FLAVOR", "'science'"}}), 1);
  EXPECT_EQ(factor({{"OBSTYPE", "'TWILIGHT'"}}), 1);
  EXPECT_EQ(factor({{"OBSTYPE", "'FLAT    '"}, {"RA", ""}}), 1);  // which is not looked for then
  EXPECT_EQ(factor(), 1);
}

TEST_F(Factor, GivenByTheCaller) {
  settings.frames = BarycentricFrames::all;
  settings.heliocor = 1.00005;
  EXPECT_EQ(factor({{"RA", ""}}), 1.00005);
}

TEST_F(Factor, ByTheTable) {
  settings.frames = BarycentricFrames::all;
  const double without = factor();
  EarthOrientationTable table{"finals", {59000, 59001}, {-0.25, -0.25}, {0.1, 0.1}, {0.4, 0.4}};
  settings.earth = std::make_shared<const EarthOrientationTable>(table);
  EXPECT_NE(factor(), without);
  EXPECT_NEAR(factor(), without, 1e-10);
  EXPECT_THROW(static_cast<void>(factor({{"MJD-OBS", "59002"}})), Error);
}

}  // namespace
}  // namespace spex
