// The IERS table: valid and damaged lines.

#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/astrometry/earth_orientation.hpp"
#include "reference/core/error.hpp"
#include "reference/tests/support/scratch.hpp"
#include "spex_test_paths.hpp"

namespace spex {
namespace {

using testing::HasSubstr;

// A leap second lies between the first two days; the next two are measured, the next two predicted;
// the last has no prediction.
const std::string leap_day =
    "161231 57753.00 I  0.081400 0.000052  0.263094 0.000039  I-0.4077601 0.0000078  0.8842 0.0055 "
    " I     0.025    0.119    -0.169    0.024  0.081318  0.262990 -0.4077600    -0.021    -0.048  ";
const std::string day_after =
    "17 1 1 57754.00 I  0.080504 0.000028  0.263145 0.000028  I 0.5912821 0.0000077  1.0342 0.0055 "
    " I     0.012    0.119    -0.168    0.018  0.080450  0.263074  0.5912975    -0.019    -0.057  ";
const std::string measured =
    "20 529 58998.00 I  0.110971 0.000038  0.443399 0.000024  I-0.2535504 0.0000027  0.0765 0.0019 "
    " I     0.185    0.150    -0.191    0.156  0.110919  0.443389 -0.2535453     0.191    -0.197  ";
const std::string measured_next =
    "20 530 58999.00 I  0.112025 0.000036  0.442891 0.000024  I-0.2537140 0.0000027  0.2654 0.0021 "
    " I     0.209    0.150    -0.204    0.156  0.112036  0.442896 -0.2537142     0.189    -0.204  ";
const std::string predicted =
    "27 720 61606.00 P  0.264215 0.014623  0.403134 0.022594  P-0.2178920 0.0199781";
const std::string predicted_next =
    "27 721 61607.00 P  0.264744 0.014653  0.401576 0.022654  P-0.2170036 0.0200341";
const std::string not_yet = "271218 61757.00";

class EarthOrientationFile : public testing::Test {
 protected:
  EarthOrientationTable read(const std::vector<std::string>& lines, const char* end = "\n") {
    std::ofstream file(path);
    for (const std::string& line : lines) file << line << end;
    file.close();
    return read_earth_orientation(path);
  }
  std::string refused(const std::vector<std::string>& lines) {
    try {
      static_cast<void>(read(lines));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::data);
      return error.what();
    }
    return "no error";
  }
  static std::string refused_at(const EarthOrientationTable& table, double mjd) {
    try {
      static_cast<void>(table.at(mjd));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::data);
      return error.what();
    }
    return "no error";
  }

  const test::ScratchFolder scratch;
  const std::string path = scratch.file("finals2000A.all");
};

TEST_F(EarthOrientationFile, UsesBulletinBIfGivenElseA) {
  const EarthOrientationTable table = read({measured, measured_next, predicted, not_yet});
  EXPECT_EQ(table.mjd, (std::vector<double>{58998, 58999, 61606}));
  EXPECT_EQ(table.ut1_utc, (std::vector<double>{-0.2535453, -0.2537142, -0.2178920}));
  EXPECT_EQ(table.xp, (std::vector<double>{0.110919, 0.112036, 0.264215}));
  EXPECT_EQ(table.yp, (std::vector<double>{0.443389, 0.442896, 0.403134}));
  EXPECT_EQ(read({measured, measured_next, predicted, not_yet}, "\r\n").mjd, table.mjd);
}

// Values from astropy's reader for the same lines.
TEST_F(EarthOrientationFile, InterpolatesLinearly) {
  const EarthOrientationTable table = read({leap_day, day_after, measured, measured_next});
  const EarthOrientation between = table.at(58998.123456789);
  EXPECT_NEAR(between.ut1_utc, -0.25356615185169257, 1e-10);
  EXPECT_NEAR(between.xp, 0.11105690123351478, 1e-9);
  EXPECT_NEAR(between.yp, 0.44332813580293395, 1e-9);
  // Not interpolated across the leap second's jump.
  EXPECT_NEAR(table.at(57753.75).ut1_utc, -0.408466875, 1e-10);
  EXPECT_EQ(table.at(57753).ut1_utc, -0.4077600);
}

TEST_F(EarthOrientationFile, DatesOutsideOfTheTable) {
  const EarthOrientationTable table = read({measured, measured_next, predicted, predicted_next});
  EXPECT_THAT(refused_at(table, 58997.9), HasSubstr("its days are 58998 to 61607"));
  EXPECT_THAT(refused_at(table, 61607), HasSubstr(path + ": has no UT1-UTC for MJD 61607.00000"));
  EXPECT_THAT(refused_at(table, 60000.5), HasSubstr("goes from day 58999 to 61606"));
  EXPECT_EQ(refused_at(table, 61606.5), "no error");
}

TEST_F(EarthOrientationFile, DamagedLines) {
  const auto changed = [](std::string line, std::size_t column, const std::string& text) {
    return line.replace(column - 1, text.size(), text);
  };
  EXPECT_THAT(refused({measured, changed(measured_next, 59, "-0.25x")}),
              HasSubstr(path + ":2: columns 59 to 68"));
  EXPECT_THAT(refused({changed(measured, 8, "        ")}), HasSubstr(":1: has no MJD"));
  EXPECT_THAT(refused({measured_next, measured}), HasSubstr("MJD 58998.00 follows 58999.00"));
  EXPECT_THAT(refused({measured, measured}), HasSubstr("ascending days"));
  EXPECT_THAT(refused({"<html>"}), HasSubstr(":1: has no MJD"));
  EXPECT_THAT(refused({not_yet}), HasSubstr("has no day"));
  EXPECT_THAT(refused({}), HasSubstr("has no day"));
}

TEST_F(EarthOrientationFile, MissingFile) {
  EXPECT_THROW(static_cast<void>(read_earth_orientation(scratch.file("none"))), Error);
  EXPECT_THROW(static_cast<void>(read_earth_orientation(SPEX_SOURCE_DIR)), Error);
}

}  // namespace
}  // namespace spex
