#include <limits>
#include <utility>

#include <fitsio.h>

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

const std::string tiny_psf = test::golden("tiny-b/psf.fits");

class ReadPsf : public test::Scratch {
 protected:
  // The error for a file changed by `edit`.
  void expect_bad(const FitsEdit& edit, const std::string& wrong, const std::string& expected) {
    const std::string file = edit.save(path("psf.fits"));
    expect_data_error([&] { static_cast<void>(read_psf(file)); }, file, wrong, expected);
  }
};

TEST_F(ReadPsf, Golden) {
  const Psf psf = read_psf(tiny_psf);
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
  FitsEdit edit(tiny_psf);
  std::string& rows = edit.hdu("PSF").data;
  const std::string first = rows.substr(0, 256);
  rows.replace(0, 256, rows.substr(256, 256));
  rows.replace(256, 256, first);
  test::expect_equal(read_psf(edit.save(path("psf.fits"))), read_psf(tiny_psf));
}

TEST_F(ReadPsf, HdusInAnyOrderAfterXtrace) {
  FitsEdit edit(tiny_psf);
  const test::HduBytes ytrace = edit.hdu("YTRACE");
  edit.remove("YTRACE");
  std::vector<char> bytes = edit.bytes();
  bytes.insert(bytes.end(), ytrace.header.begin(), ytrace.header.end());
  bytes.insert(bytes.end(), ytrace.data.begin(), ytrace.data.end());
  test::write_bytes(path("psf.fits"), bytes);
  test::expect_equal(read_psf(path("psf.fits")), read_psf(tiny_psf));
}

TEST_F(ReadPsf, HdusInAnyOrderAfterAnEmptyOne) {
  const Psf expected = read_psf(tiny_psf);
  for (const auto& names : std::vector<std::vector<std::string>>{
           {"XTRACE", "YTRACE", "PSF"}, {"YTRACE", "PSF", "XTRACE"}, {"PSF", "YTRACE", "XTRACE"}}) {
    test::write_bytes(path("psf.fits"), test::reordered(tiny_psf, names));
    test::expect_equal(read_psf(path("psf.fits")), expected);
  }
}

TEST_F(ReadPsf, TileCompressed) {
  const Psf expected = read_psf(tiny_psf);
  for (const int compression : {GZIP_1, GZIP_2}) {
    test::write_bytes(path("psf.fits.fz"), test::packed(tiny_psf, compression));
    test::expect_equal(read_psf(path("psf.fits.fz")), expected);
  }
}

// HDU 0 is XTRACE only if it has that name, or no name and there is no other XTRACE.
TEST_F(ReadPsf, FirstHduOfAnotherName) {
  const Psf expected = read_psf(tiny_psf);
  FitsEdit swapped(tiny_psf);
  std::swap(swapped.hdu("XTRACE").data, swapped.hdu("YTRACE").data);
  swapped.set("YTRACE", "EXTNAME", "'OTHER'");
  swapped.set("XTRACE", "EXTNAME", "'YTRACE'").set("OTHER", "EXTNAME", "'XTRACE'");
  test::expect_equal(read_psf(swapped.save(path("psf.fits"))), expected);

  FitsEdit nameless(tiny_psf);
  nameless.rename("XTRACE", "EXTNAME", "OLDNAME");
  test::expect_equal(read_psf(nameless.save(path("psf.fits"))), expected);

  FitsEdit foo(tiny_psf);
  const test::HduBytes other = foo.hdu("YTRACE");
  foo.set("XTRACE", "EXTNAME", "'FOO'");
  expect_bad(foo, "has no HDU XTRACE", "");
  // A nameless first HDU beside XTRACE, which is YTRACE's copy here, does not count.
  for (const char* key : {"EXTNAME", "OLDNAME"}) {
    FitsEdit beside(tiny_psf);
    if (key == std::string("OLDNAME"))
      beside.rename("XTRACE", "EXTNAME", key);
    else
      beside.set("XTRACE", "EXTNAME", "'FOO'");
    std::vector<char> bytes = beside.bytes();
    std::string header = other.header;
    header.replace(header.find("'YTRACE  '"), 10, "'XTRACE  '");
    bytes.insert(bytes.end(), header.begin(), header.end());
    bytes.insert(bytes.end(), other.data.begin(), other.data.end());
    test::write_bytes(path("psf.fits"), bytes);
    EXPECT_EQ(read_psf(path("psf.fits")).xtrace.coeff, expected.ytrace.coeff);
  }
}

TEST_F(ReadPsf, KindsThatAreNotSupportedAreNamed) {
  for (const char* hdu : {"XTRACE", "PSF"}) {
    const std::string at = std::string("HDU ") + hdu;
    for (const char* kind : {"GAUSS-HERMITE2", "PCA-PIX", "SPOTGRID", "MONOSPOT"})
      expect_bad(FitsEdit(tiny_psf).set(hdu, "PSFTYPE", std::string("'") + kind + "'"),
                 at + ": PSFTYPE is " + kind, "GAUSS-HERMITE");
    for (const char* version : {"2", "4", "3.1", "'2       '", "'3a'", "T"})
      expect_bad(FitsEdit(tiny_psf).set(hdu, "PSFVER", version), at + ": PSFVER is ", "3");
  }
}

TEST_F(ReadPsf, KindInAnyForm) {
  const Psf expected = read_psf(tiny_psf);
  for (const char* hdu : {"XTRACE", "PSF"})
    for (const auto& [type, version] :
         std::vector<std::pair<const char*, const char*>>{{"'GAUSS-HERMITE'", "3"},
                                                          {"'Gauss-Hermite '", "'3       '"},
                                                          {"'''GAUSS-HERMITE'''", "3.0"},
                                                          {"' GAUSS-HERMITE'", "'''3'''"}}) {
      FitsEdit edit(tiny_psf);
      edit.set(hdu, "PSFTYPE", type).set(hdu, "PSFVER", version);
      test::expect_equal(read_psf(edit.save(path("psf.fits"))), expected);
    }
  FitsEdit none(tiny_psf);
  for (const char* hdu : {"XTRACE", "PSF"})
    none.rename(hdu, "PSFTYPE", "OLDTYPE").rename(hdu, "PSFVER", "OLDVER");
  test::expect_equal(read_psf(none.save(path("psf.fits"))), expected);
}

// What the file says of the fit; its bundles have five fibers.
TEST_F(ReadPsf, FitOfTheFibers) {
  using Fibers = std::vector<int>;
  const Fibers all{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  const auto fit = [&](const FitsEdit& edit) { return read_psf(edit.save(path("psf.fits"))).fit; };
  // The first byte of coefficient 0 of a fiber in a row of the table.
  const auto place = [](FitsEdit& edit, const char* row, int fiber) {
    return edit.hdu("PSF").data.find(row) + 8 + static_cast<std::size_t>(fiber) * 3 * 8;
  };
  EXPECT_EQ(fit(FitsEdit(tiny_psf)).failed, Fibers{});
  EXPECT_EQ(fit(FitsEdit(tiny_psf)).unfitted, Fibers{});
  EXPECT_EQ(fit(FitsEdit(tiny_psf)).tails, all) << "TAILAMP is 0.005 in the golden";

  EXPECT_EQ(fit(FitsEdit(tiny_psf).add("PSF", "STATUS", "0")).failed, Fibers{});
  EXPECT_EQ(fit(FitsEdit(tiny_psf).add("PSF", "STATUS", "4")).failed, all);
  FitsEdit status(tiny_psf);
  status.set_double("PSF", place(status, "STATUS", 3), -1);
  status.set_double("PSF", place(status, "STATUS", 7), 4);
  EXPECT_EQ(fit(status).failed, (Fibers{3, 7}));

  FitsEdit chi(tiny_psf);
  chi.add("PSF", "B00RCHI2", "1.25").add("PSF", "B01RCHI2", "0.0");
  EXPECT_EQ(fit(chi).unfitted, (Fibers{5, 6, 7, 8, 9}));
  chi.set_double("PSF", place(chi, "BUNDLE", 6), 0);
  EXPECT_EQ(fit(chi).unfitted, (Fibers{5, 7, 8, 9}));
  for (const double odd : {-1.0, 1e300, std::numeric_limits<double>::quiet_NaN()}) {
    chi.set_double("PSF", place(chi, "BUNDLE", 9), odd);
    EXPECT_EQ(fit(chi).unfitted, (Fibers{5, 7, 8}));
  }
  chi.replace_data("PSF", "BUNDLE", "BUNDLX");
  EXPECT_EQ(fit(chi).unfitted, Fibers{}) << "25 fibers a bundle without the row";
  EXPECT_EQ(fit(chi.set("PSF", "B00RCHI2", "0")).unfitted, all);

  FitsEdit tails(tiny_psf);
  for (int fiber = 0; fiber < 10; ++fiber)
    if (fiber != 2) tails.set_double("PSF", place(tails, "TAILAMP", fiber), 0);
  EXPECT_EQ(fit(tails).tails, Fibers{2});
  tails.replace_data("PSF", "TAILAMP", "TAILOLD");
  EXPECT_EQ(fit(tails).tails, Fibers{});
}

TEST_F(ReadPsf, Gzip) {
  atomic_write(path("psf.fits.gz"), test::read_bytes(tiny_psf));
  test::expect_equal(read_psf(path("psf.fits.gz")), read_psf(tiny_psf));
}

TEST_F(ReadPsf, NamesWithCfitsioSyntaxArePlain) {
  for (const char* name : {"a[1].fits", "a+1.fits", "a b.fits", "a(b).fits", "mem:x.fits", "-"}) {
    test::write_bytes(path(name), test::read_bytes(tiny_psf));
    test::expect_equal(read_psf(path(name)), read_psf(tiny_psf));
  }
}

TEST_F(ReadPsf, OptionalKeywords) {
  FitsEdit edit(tiny_psf);
  edit.add("PSF", "PSFERR", "0.04").add("PSF", "IN_PSF", "'psf-in.fits'");
  // In an HDU that production does not read.
  edit.add("XTRACE", "IN_PSF", "'other.fits'");
  const Psf psf = read_psf(edit.save(path("psf.fits")));
  EXPECT_EQ(psf.psferr, 0.04);
  EXPECT_EQ(psf.in_psf, "psf-in.fits");
}

// specex writes quotes inside the text.
TEST_F(ReadPsf, CameraInQuotesBlanksAndCapitals) {
  for (const char* value : {"'r0      '", "'''r0      '''", "' R0 '", "'''R0'''"})
    EXPECT_EQ(read_psf(FitsEdit(tiny_psf).set("PSF", "CAMERA", value).save(path("a.fits"))).camera,
              "r0")
        << value;
  EXPECT_EQ(
      read_psf(FitsEdit(tiny_psf).rename("PSF", "CAMERA", "UNKNOWN").save(path("a.fits"))).camera,
      "");
}

TEST_F(ReadPsf, MissingKeywords) {
  for (const char* key :
       {"HSIZEX", "HSIZEY", "GHDEGX", "GHDEGY", "LEGDEG", "NPIX_X", "NPIX_Y", "WAVEMIN", "WAVEMAX"})
    expect_bad(FitsEdit(tiny_psf).rename("PSF", key, "UNKNOWN"), std::string("keyword ") + key, "");
  expect_bad(FitsEdit(tiny_psf).rename("XTRACE", "WAVEMIN", "UNKNOWN"), "keyword WAVEMIN", "");
  expect_bad(FitsEdit(tiny_psf).rename("YTRACE", "WAVEMAX", "UNKNOWN"), "keyword WAVEMAX", "");
}

TEST_F(ReadPsf, MissingHdus) {
  expect_bad(FitsEdit(tiny_psf).remove("YTRACE"), "has no HDU YTRACE", "");
  expect_bad(FitsEdit(tiny_psf).remove("PSF"), "has no HDU PSF", "");
}

TEST_F(ReadPsf, MissingParameterRowsAndColumns) {
  for (const char* name : {"GHSIGX", "GHSIGY", "GH-0-0", "GH-4-4"}) {
    std::string other = name;
    other.back() = 'Q';
    expect_bad(FitsEdit(tiny_psf).replace_data("PSF", name, other),
               std::string("PSF has no parameter row ") + name, "");
  }
  expect_bad(FitsEdit(tiny_psf).set("PSF", "TTYPE1", "'PARAMS'"), "has no column PARAM", "");
  expect_bad(FitsEdit(tiny_psf).set("PSF", "TTYPE2", "'COEFFS'"), "has no column COEFF", "");
}

TEST_F(ReadPsf, SizesOutOfRange) {
  expect_bad(FitsEdit(tiny_psf).set("PSF", "HSIZEX", "-1"), "HSIZEX = -1", "1 to 64");
  expect_bad(FitsEdit(tiny_psf).set("PSF", "HSIZEX", "1000000"), "HSIZEX = 1000000", "1 to 64");
  expect_bad(FitsEdit(tiny_psf).set("PSF", "HSIZEY", "0"), "HSIZEY = 0", "1 to 64");
  expect_bad(FitsEdit(tiny_psf).set("PSF", "GHDEGX", "1000"), "GHDEGX = 1000", "0 to 20");
  expect_bad(FitsEdit(tiny_psf).set("PSF", "GHDEGY", "-3"), "GHDEGY = -3", "0 to 20");
  expect_bad(FitsEdit(tiny_psf).set("PSF", "LEGDEG", "999999"), "LEGDEG = 999999", "0 to 30");
  expect_bad(FitsEdit(tiny_psf).set("PSF", "NPIX_X", "0"), "NPIX_X = 0", "1 to 100000");
  expect_bad(FitsEdit(tiny_psf).set("PSF", "NPIX_Y", "99999999999"), "NPIX_Y = 99999999999",
             "1 to");
  expect_bad(FitsEdit(tiny_psf).set("PSF", "NPIX_Y", "1E99"), "keyword NPIX_Y is not an integer",
             "");
  expect_bad(FitsEdit(tiny_psf).set("PSF", "HSIZEX", "'six'"), "keyword HSIZEX is not an integer",
             "");
  expect_bad(FitsEdit(tiny_psf).add("PSF", "PSFERR", "-0.1"), "PSFERR = -0.1", ">= 0");
}

TEST_F(ReadPsf, NonIncreasingWavelengths) {
  expect_bad(FitsEdit(tiny_psf).set("PSF", "WAVEMAX", "3580.0"), "WAVEMAX = 3580",
             "WAVEMIN < WAVEMAX");
  expect_bad(FitsEdit(tiny_psf).set("XTRACE", "WAVEMAX", "3000.0"), "WAVEMAX = 3000",
             "WAVEMIN < WAVEMAX");
  expect_bad(FitsEdit(tiny_psf).set("YTRACE", "WAVEMIN", "9000.0"), "WAVEMIN = 9000",
             "WAVEMIN < WAVEMAX");
}

TEST_F(ReadPsf, NonFiniteCoefficients) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double inf = std::numeric_limits<double>::infinity();
  expect_bad(FitsEdit(tiny_psf).set_double("XTRACE", 16, nan), "XTRACE has a coefficient",
             "finite");
  expect_bad(FitsEdit(tiny_psf).set_double("YTRACE", 0, -inf), "YTRACE has a coefficient",
             "finite");
  FitsEdit edit(tiny_psf);
  const std::size_t row = edit.hdu("PSF").data.find("GHSIGX");
  expect_bad(edit.set_double("PSF", row + 8, nan), "parameter GHSIGX has a coefficient", "finite");
}

TEST_F(ReadPsf, InconsistentShapes) {
  expect_bad(FitsEdit(tiny_psf).set("PSF", "LEGDEG", "3"), "COEFF has the shape 3 x 10", "4 x 10");
  expect_bad(FitsEdit(tiny_psf).set("PSF", "TDIM2", "'(10,3)'"), "COEFF has the shape 10 x 3",
             "3 x 10");
  expect_bad(FitsEdit(tiny_psf).set("YTRACE", "NAXIS2", "9"), "YTRACE has 9 fibers",
             "10 as in XTRACE");
  expect_bad(FitsEdit(tiny_psf).set("XTRACE", "NAXIS1", "40").set("XTRACE", "NAXIS2", "1"),
             "XTRACE has the shape 40 x 1", "at most 31");
  FitsEdit empty(tiny_psf);
  empty.set("XTRACE", "NAXIS2", "0").hdu("XTRACE").data.clear();
  expect_bad(empty, "XTRACE has the shape 5 x 0", "at most 31");
}

TEST_F(ReadPsf, HdusOfTheWrongType) {
  expect_bad(FitsEdit(tiny_psf).set("PSF", "EXTNAME", "'YTRACE'").remove("YTRACE"),
             "HDU YTRACE is a table", "an image");
  FitsEdit image(tiny_psf);
  image.hdu("PSF") = image.hdu("YTRACE");
  expect_bad(image.set("YTRACE", "EXTNAME", "'PSF'"), "HDU PSF", "");
}

}  // namespace
}  // namespace spex
