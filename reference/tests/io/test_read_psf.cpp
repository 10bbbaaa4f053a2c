#include <limits>

#include "reference/fits/read/fits_file.hpp"
#include "reference/fits/write/atomic_write.hpp"
#include "reference/io/read_psf.hpp"
#include "reference/tests/fits/fits_edit.hpp"
#include "reference/tests/fits/scratch.hpp"
#include "reference/tests/support/fields.hpp"

namespace spex {
namespace {

using test::expect_data_error;
using test::FitsEdit;

const std::string whole = test::golden("tiny-b/psf.fits");

class ReadPsf : public test::Scratch {
 protected:
  // The error for a file changed by `edit`.
  void expect_bad(const FitsEdit& edit, const std::string& wrong, const std::string& expected) {
    const std::string file = edit.save(path("psf.fits"));
    expect_data_error([&] { static_cast<void>(read_psf(file)); }, file, wrong, expected);
  }
};

TEST_F(ReadPsf, Golden) {
  const Psf psf = read_psf(whole);
  EXPECT_EQ(psf.nfiber, 10);
  EXPECT_EQ(psf.hsizex, 6);
  EXPECT_EQ(psf.hsizey, 5);
  EXPECT_EQ(psf.ghdegx, 4);
  EXPECT_EQ(psf.ghdegy, 4);
  EXPECT_EQ(psf.ncoeff, 3);
  EXPECT_EQ(psf.npix_x, 130);
  EXPECT_EQ(psf.npix_y, 300);
  EXPECT_EQ(psf.psferr, 0.01);  // the file has no PSFERR
  EXPECT_EQ(psf.wavemin, 3580);
  EXPECT_EQ(psf.wavemax, 3780);
  EXPECT_EQ(psf.xtrace.ncoeff, 5);
  EXPECT_EQ(psf.xtrace.coeff.size(), 50U);
  EXPECT_EQ(psf.param.size(), 27U * 30U);
}

// The row order of the table is irrelevant: parameters are found by name.
TEST_F(ReadPsf, ParametersByName) {
  FitsEdit edit(whole);
  std::string& rows = edit.hdu("PSF").data;
  const std::string first = rows.substr(0, 256);
  rows.replace(0, 256, rows.substr(256, 256));
  rows.replace(256, 256, first);
  test::expect_equal(read_psf(edit.save(path("psf.fits"))), read_psf(whole));
}

TEST_F(ReadPsf, HdusInAnyOrderAfterXtrace) {
  FitsEdit edit(whole);
  const test::HduBytes ytrace = edit.hdu("YTRACE");
  edit.remove("YTRACE");
  std::vector<char> bytes = edit.bytes();
  bytes.insert(bytes.end(), ytrace.header.begin(), ytrace.header.end());
  bytes.insert(bytes.end(), ytrace.data.begin(), ytrace.data.end());
  test::write_bytes(path("psf.fits"), bytes);
  test::expect_equal(read_psf(path("psf.fits")), read_psf(whole));
}

TEST_F(ReadPsf, Gzip) {
  atomic_write(path("psf.fits.gz"), test::read_bytes(whole));
  test::expect_equal(read_psf(path("psf.fits.gz")), read_psf(whole));
}

TEST_F(ReadPsf, NamesWithCfitsioSyntaxArePlain) {
  for (const char* name : {"a[1].fits", "a+1.fits", "a b.fits", "a(b).fits", "mem:x.fits", "-"}) {
    test::write_bytes(path(name), test::read_bytes(whole));
    test::expect_equal(read_psf(path(name)), read_psf(whole));
  }
}

TEST_F(ReadPsf, OptionalKeywords) {
  FitsEdit edit(whole);
  edit.add("PSF", "PSFERR", "0.04").add("PSF", "IN_PSF", "'psf-in.fits'");
  // In an HDU that production does not read.
  edit.add("XTRACE", "IN_PSF", "'other.fits'");
  const Psf psf = read_psf(edit.save(path("psf.fits")));
  EXPECT_EQ(psf.psferr, 0.04);
  EXPECT_EQ(psf.in_psf, "psf-in.fits");
}

TEST_F(ReadPsf, MissingKeywords) {
  for (const char* key :
       {"HSIZEX", "HSIZEY", "GHDEGX", "GHDEGY", "LEGDEG", "NPIX_X", "NPIX_Y", "WAVEMIN", "WAVEMAX"})
    expect_bad(FitsEdit(whole).rename("PSF", key, "UNKNOWN"), std::string("keyword ") + key, "");
  expect_bad(FitsEdit(whole).rename("XTRACE", "WAVEMIN", "UNKNOWN"), "keyword WAVEMIN", "");
  expect_bad(FitsEdit(whole).rename("YTRACE", "WAVEMAX", "UNKNOWN"), "keyword WAVEMAX", "");
}

TEST_F(ReadPsf, MissingHdus) {
  expect_bad(FitsEdit(whole).remove("YTRACE"), "has no HDU YTRACE", "");
  expect_bad(FitsEdit(whole).remove("PSF"), "has no HDU PSF", "");
}

TEST_F(ReadPsf, MissingParameterRowsAndColumns) {
  for (const char* name : {"GHSIGX", "GHSIGY", "GH-0-0", "GH-4-4"}) {
    std::string other = name;
    other.back() = 'Q';
    expect_bad(FitsEdit(whole).replace_data("PSF", name, other),
               std::string("PSF has no parameter row ") + name, "");
  }
  expect_bad(FitsEdit(whole).set("PSF", "TTYPE1", "'PARAMS'"), "has no column PARAM", "");
  expect_bad(FitsEdit(whole).set("PSF", "TTYPE2", "'COEFFS'"), "has no column COEFF", "");
}

TEST_F(ReadPsf, SizesOutOfRange) {
  expect_bad(FitsEdit(whole).set("PSF", "HSIZEX", "-1"), "HSIZEX = -1", "1 to 64");
  expect_bad(FitsEdit(whole).set("PSF", "HSIZEX", "1000000"), "HSIZEX = 1000000", "1 to 64");
  expect_bad(FitsEdit(whole).set("PSF", "HSIZEY", "0"), "HSIZEY = 0", "1 to 64");
  expect_bad(FitsEdit(whole).set("PSF", "GHDEGX", "1000"), "GHDEGX = 1000", "0 to 20");
  expect_bad(FitsEdit(whole).set("PSF", "GHDEGY", "-3"), "GHDEGY = -3", "0 to 20");
  expect_bad(FitsEdit(whole).set("PSF", "LEGDEG", "999999"), "LEGDEG = 999999", "0 to 30");
  expect_bad(FitsEdit(whole).set("PSF", "NPIX_X", "0"), "NPIX_X = 0", "1 to 100000");
  expect_bad(FitsEdit(whole).set("PSF", "NPIX_Y", "99999999999"), "NPIX_Y = 99999999999", "1 to");
  expect_bad(FitsEdit(whole).set("PSF", "NPIX_Y", "1E99"), "keyword NPIX_Y is not an integer", "");
  expect_bad(FitsEdit(whole).set("PSF", "HSIZEX", "'six'"), "keyword HSIZEX is not an integer", "");
  expect_bad(FitsEdit(whole).add("PSF", "PSFERR", "-0.1"), "PSFERR = -0.1", ">= 0");
}

TEST_F(ReadPsf, NonIncreasingWavelengths) {
  expect_bad(FitsEdit(whole).set("PSF", "WAVEMAX", "3580.0"), "WAVEMAX = 3580",
             "WAVEMIN < WAVEMAX");
  expect_bad(FitsEdit(whole).set("XTRACE", "WAVEMAX", "3000.0"), "WAVEMAX = 3000",
             "WAVEMIN < WAVEMAX");
  expect_bad(FitsEdit(whole).set("YTRACE", "WAVEMIN", "9000.0"), "WAVEMIN = 9000",
             "WAVEMIN < WAVEMAX");
}

TEST_F(ReadPsf, NonFiniteCoefficients) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double inf = std::numeric_limits<double>::infinity();
  expect_bad(FitsEdit(whole).set_double("XTRACE", 16, nan), "XTRACE has a coefficient", "finite");
  expect_bad(FitsEdit(whole).set_double("YTRACE", 0, -inf), "YTRACE has a coefficient", "finite");
  FitsEdit edit(whole);
  const std::size_t row = edit.hdu("PSF").data.find("GHSIGX");
  expect_bad(edit.set_double("PSF", row + 8, nan), "parameter GHSIGX has a coefficient", "finite");
}

TEST_F(ReadPsf, InconsistentShapes) {
  expect_bad(FitsEdit(whole).set("PSF", "LEGDEG", "3"), "COEFF has the shape 3 x 10", "4 x 10");
  expect_bad(FitsEdit(whole).set("PSF", "TDIM2", "'(10,3)'"), "COEFF has the shape 10 x 3",
             "3 x 10");
  expect_bad(FitsEdit(whole).set("YTRACE", "NAXIS2", "9"), "YTRACE has 9 fibers",
             "10 as in XTRACE");
  expect_bad(FitsEdit(whole).set("XTRACE", "NAXIS1", "40").set("XTRACE", "NAXIS2", "1"),
             "XTRACE has the shape 40 x 1", "at most 31");
  FitsEdit empty(whole);
  empty.set("XTRACE", "NAXIS2", "0").hdu("XTRACE").data.clear();
  expect_bad(empty, "XTRACE has the shape 5 x 0", "at most 31");
}

TEST_F(ReadPsf, HdusOfTheWrongType) {
  expect_bad(FitsEdit(whole).set("PSF", "EXTNAME", "'YTRACE'").remove("YTRACE"),
             "HDU YTRACE is a table", "an image");
  expect_bad(FitsEdit(whole)
                 .remove("PSF")
                 .set("YTRACE", "EXTNAME", "'PSF'")
                 .set("XTRACE", "EXTNAME", "'YTRACE'"),
             "HDU PSF", "");
}

}  // namespace
}  // namespace spex
