// Files that are not FITS files or have a damaged structure.
#include "reference/fits/read/fits_file.hpp"
#include "reference/fits/write/atomic_write.hpp"
#include "reference/io/read_psf.hpp"
#include "reference/tests/fits/fits_edit.hpp"
#include "reference/tests/fits/scratch.hpp"
#include "reference/tests/support/unzip.hpp"

namespace spex {
namespace {

using test::expect_data_error;
using test::FitsEdit;

const std::string tiny_psf = test::golden("tiny-b/psf.fits");

class FitsFile : public test::Scratch {
 protected:
  static void expect_bad(const std::string& file, const std::string& wrong,
                         const std::string& expected) {
    expect_data_error([&] { const FitsReader reader(file); }, file, wrong, expected);
  }
  void expect_bad(const FitsEdit& edit, const std::string& wrong, const std::string& expected) {
    expect_bad(edit.save(path("bad.fits")), wrong, expected);
  }
  std::vector<char> gzip(const std::vector<char>& bytes) {
    atomic_write(path("packed.gz"), bytes);
    return test::read_bytes(path("packed.gz"));
  }
  std::string cut(std::size_t size) {
    std::vector<char> bytes = test::read_bytes(tiny_psf);
    bytes.resize(size);
    test::write_bytes(path("cut.fits"), bytes);
    return path("cut.fits");
  }
};

TEST_F(FitsFile, Absent) {
  expect_bad(path("absent.fits"), "no such file", "a FITS file");
  expect_bad(path("absent/a.fits"), "no such file", "a FITS file");
}

TEST_F(FitsFile, NoFile) {
  expect_bad(path(""), "is a folder", "a FITS file");
  expect_bad("/dev/null", "is a device", "a FITS file");
}

TEST_F(FitsFile, EmptyOrOfAnotherFormat) {
  test::write_bytes(path("a.fits"), {});
  expect_bad(path("a.fits"), "is empty", "a FITS file");
  const std::string text = "This is a text, and long enough to be read.\n";
  test::write_bytes(path("b.fits"), {text.begin(), text.end()});
  expect_bad(path("b.fits"), "is not a FITS file", "SIMPLE, or gzip");
  atomic_write(path("c.fits.gz"), {text.begin(), text.end()});
  expect_bad(path("c.fits.gz"), "is not a FITS file", "SIMPLE");
  test::write_bytes(path("d.fits"), {'S', 'I', 'M', 'P', 'L', 'E'});
  expect_bad(path("d.fits"), "HDU number 1", "SIMPLE");
}

// Cut anywhere: within a header, at a block's end, within data, in the padding.
TEST_F(FitsFile, CutShort) {
  const std::size_t size = test::read_bytes(tiny_psf).size();
  for (const std::size_t n : {std::size_t{100}, std::size_t{2880}, std::size_t{3000},
                              std::size_t{7000}, size / 2, size - 2880, size - 100, size - 1})
    expect_bad(cut(n), "is cut short: " + std::to_string(n) + " bytes", "HDU number");
}

// A file without its last HDU is valid; reading the missing HDU reports it.
TEST_F(FitsFile, CutBetweenHdus) {
  const std::string file = cut(11520);
  expect_data_error([&] { static_cast<void>(read_psf(file)); }, file, "has no HDU PSF", "");
}

TEST_F(FitsFile, GzipCutShortOrDamaged) {
  const std::string file = path("a.fits.gz");
  atomic_write(file, test::read_bytes(tiny_psf));
  const std::vector<char> bytes = test::read_bytes(file);
  std::vector<char> cut_bytes = bytes;
  cut_bytes.resize(bytes.size() / 2);
  test::write_bytes(file, cut_bytes);
  expect_bad(file, "cannot be decompressed", "a whole gzip file");
  std::vector<char> damaged = bytes;
  for (std::size_t i = 1000; i < 1100; ++i) damaged.at(i) = '\xFF';
  test::write_bytes(file, damaged);
  expect_bad(file, "cannot be decompressed", "a whole gzip file");
  std::vector<char> sized = bytes;  // the last four bytes state the size
  std::fill(sized.end() - 4, sized.end(), '\xFF');
  test::write_bytes(file, sized);
  expect_bad(file, "cannot be decompressed", "a whole gzip file");
}

// Several streams, bytes after the last stream, and trailers with wrong lengths.
TEST_F(FitsFile, ConcatenatedGzipStreams) {
  const std::vector<char> first(100000, 'a');
  std::vector<char> second;
  for (int k = 0; k < 70000; ++k) second.push_back(static_cast<char>(k % 251 * (k % 7) % 251));
  const std::vector<char> of_first = gzip(first);
  const std::vector<char> of_second = gzip(second);
  const auto joined = [](std::initializer_list<std::vector<char>> parts) {
    std::vector<char> all;
    for (const std::vector<char>& part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
  };
  const auto unzipped = [](const std::vector<char>& bytes) { return test::unzip(bytes, "a.gz"); };
  EXPECT_EQ(unzipped(of_first), first);
  EXPECT_EQ(unzipped(joined({of_first, of_second})), joined({first, second}));
  EXPECT_EQ(unzipped(joined({of_second, of_first})), joined({second, first}));
  EXPECT_EQ(unzipped(joined({of_second, {'x', 'y', 0, 0, 0, 0}})), second);
  EXPECT_TRUE(test::unzip(gzip({}), "a.gz").empty());
  const auto refuse = [](const std::vector<char>& bytes, const std::string& why) {
    expect_data_error([&] { static_cast<void>(test::unzip(bytes, "a.gz")); }, "a.gz", why,
                      "a whole gzip file");
  };
  for (const std::size_t size : {std::size_t{2}, std::size_t{17}, of_second.size() - 1})
    refuse({of_second.begin(), of_second.begin() + static_cast<std::ptrdiff_t>(size)},
           "it ends early");
  std::vector<char> wrong_sum = of_second;
  wrong_sum[wrong_sum.size() - 8] ^= 1;
  refuse(wrong_sum, "incorrect data check");
}

TEST_F(FitsFile, GzipContentIsLimited) {
  const std::vector<char> bytes = gzip(std::vector<char>(5000, 'a'));
  EXPECT_EQ(test::unzip(bytes, "a.gz", 5000).size(), 5000U);
  expect_data_error([&] { static_cast<void>(test::unzip(bytes, "a.gz", 4999)); }, "a.gz",
                    "more than 4999 bytes", "a whole gzip file");
}

TEST_F(FitsFile, AbsurdSizes) {
  expect_bad(FitsEdit(tiny_psf).set("XTRACE", "NAXIS1", "99999999999"), "is cut short",
             "HDU number 1");
  expect_bad(FitsEdit(tiny_psf).set("XTRACE", "NAXIS1", "9223372036854775807"),
             "NAXIS1 =", "a whole number from 0");
  expect_bad(FitsEdit(tiny_psf)
                 .set("XTRACE", "NAXIS1", "1000000000000")
                 .set("XTRACE", "NAXIS2", "1000000000000"),
             "makes too many elements", "at most");
  expect_bad(FitsEdit(tiny_psf).set("XTRACE", "NAXIS1", "-5"), "NAXIS1 = -5",
             "a whole number from 0");
  expect_bad(FitsEdit(tiny_psf).set("XTRACE", "NAXIS", "999"), "NAXIS = 999", "from 0 to 8");
  expect_bad(FitsEdit(tiny_psf).set("YTRACE", "BITPIX", "7"), "BITPIX = 7", "8, 16, 32");
  expect_bad(FitsEdit(tiny_psf).set("YTRACE", "PCOUNT", "-1"), "PCOUNT = -1", "from 0");
  expect_bad(FitsEdit(tiny_psf).set("PSF", "NAXIS2", "1000000000"), "is cut short", "HDU number 3");
}

TEST_F(FitsFile, MissingOrDuplicateMandatoryKeywords) {
  expect_bad(FitsEdit(tiny_psf).rename("PSF", "TFIELDS", "TFIELDZ"), "no keyword TFIELDS",
             "keyword 8");
  expect_bad(FitsEdit(tiny_psf).set("PSF", "TFIELDS", "-1"), "TFIELDS = -1", "0 to 999");
  expect_bad(FitsEdit(tiny_psf).set("PSF", "TFIELDS", "5"), "no keyword TFORM5", "TFORM");
  expect_bad(FitsEdit(tiny_psf).rename("YTRACE", "BITPIX", "BITPOX"), "no keyword BITPIX",
             "keyword");
  expect_bad(FitsEdit(tiny_psf).add("YTRACE", "NAXIS1", "7"), "NAXIS1 occurs twice", "one card");
}

// Forms of a card that CFITSIO accepts as a keyword, or of a value that CFITSIO reads in part.
TEST_F(FitsFile, AmbiguousKeywords) {
  const auto bad_value = [&](const std::string& key, const std::string& value,
                             const std::string& expected) {
    expect_bad(FitsEdit(tiny_psf).set("PSF", key, value), key + " =", expected);
  };
  bad_value("NAXIS2", "        27         1", "one value");
  bad_value("NAXIS2", "27 1 / rows", "one value");
  bad_value("TFORM1", "'9A' 8", "one value");
  bad_value("TFORM1", "'9A", "one value");
  bad_value("NAXIS2", "", "a whole number");
  bad_value("NAXIS2", "27.0", "a whole number");
  bad_value("NAXIS2", "2.7E1", "a whole number");
  bad_value("NAXIS2", "'27'", "a whole number");
  bad_value("NAXIS2", "27abc", "a whole number");
  bad_value("TFORM1", "9A", "a string");
  bad_value("TTYPE1", "PARAM", "a string");
  for (const char* card : {"HIERARCH TFORM1 = '3A'", "tform1  = '3A'", "TFORM+1 = '3A'",
                           "TFORM01 = '3A'", "TFORM1= '3A'", "TFORM1  ='3A'", "NAXIS 2 = 3",
                           "HIERARCH NAXIS2 = 3", "naxis2  = 3", "HIERARCH  THEAP=3"}) {
    std::string meant(card);
    expect_bad(FitsEdit(tiny_psf).add_card("PSF", card), "", "");
  }
  expect_bad(FitsEdit(tiny_psf).add_card("PSF", "HIERARCH TFORM1 = '3A'"),
             "keyword TFORM1 is written 'HIERARCH TFORM1 = '3A''", "its plain form");
  expect_bad(FitsEdit(tiny_psf).add_card("PSF", "END     = 5"), "card 'END     = 5'", "END alone");
  expect_bad(FitsEdit(tiny_psf).add_card("PSF", "HIERARCH END = 5"), "card 'HIERARCH END = 5'",
             "END alone");
  expect_bad(FitsEdit(tiny_psf).add_card("PSF", std::string("NOTE    = 1\0 2", 14)),
             "has a byte that is no character", "ASCII");
  EXPECT_EQ(read_psf(FitsEdit(tiny_psf)
                         .add_card("PSF", "HIERARCH ESO DET NAXIS1 = 5 / not NAXIS1")
                         .add_card("PSF", "COMMENT TFORM1 = '3A'")
                         .add_card("PSF", "TFORMAT = 'any'")
                         .save(path("good.fits")))
                .nfiber,
            10);
}

// Keywords that CFITSIO uses as divisors, sizes or offsets.
TEST_F(FitsFile, InconsistentStructure) {
  expect_bad(FitsEdit(tiny_psf).set("PSF", "XTENSION", "'TABLE   '"), "XTENSION = 'TABLE'",
             "IMAGE or BINTABLE");
  expect_bad(FitsEdit(tiny_psf).set("PSF", "XTENSION", "'BINTABLEX'"), "XTENSION = 'BINTABLEX'",
             "IMAGE or BINTABLE");
  expect_bad(FitsEdit(tiny_psf).add("XTRACE", "PCOUNT", "2880"), "PCOUNT = 2880", "from 0 to 0");
  expect_bad(FitsEdit(tiny_psf).add("XTRACE", "GCOUNT", "0"), "GCOUNT = 0", "from 1 to 1");
  expect_bad(FitsEdit(tiny_psf).add("XTRACE", "GROUPS", "T"), "GROUPS = T", "no random groups");
  expect_bad(FitsEdit(tiny_psf).add("PSF", "THEAP", "0"), "THEAP = 0", "from");
  expect_bad(FitsEdit(tiny_psf).add("XTRACE", "ZIMAGE", "T"), "not in a binary table", "BINTABLE");
  for (const char* form : {"'10A'", "'8A0'", "'8A9'", "'8A-4'", "'8E1'", "'0X1B'", "'1e'", "' 8A'",
                           "'99999999999999999999A'", "'2PA'", "'8'", "''"})
    expect_bad(FitsEdit(tiny_psf).set("PSF", "TFORM1", form), "", "");
  for (const char* dimensions : {"'(0)'", "'(-1)'", "'(9)'", "'(4,3)'", "'(4'", "'4'", "''",
                                 "'(4,x)'", "'(4611686018427387904,4)'"})
    expect_bad(FitsEdit(tiny_psf).add("PSF", "TDIM1", dimensions), "TDIM1 =", "axes of");
}

// CFITSIO would silently ignore such an HDU.
TEST_F(FitsFile, InvalidStartOfAnHdu) {
  FitsEdit edit(tiny_psf);
  edit.hdu("PSF").header.replace(0, 8, "YTENSION");
  expect_bad(edit, "HDU number 3: does not start as a header", "XTENSION");
}

TEST_F(FitsFile, ZerosAfterTheLastHduAreIgnored) {
  std::vector<char> bytes = test::read_bytes(tiny_psf);
  bytes.resize(bytes.size() + 2880, '\0');
  test::write_bytes(path("a.fits"), bytes);
  EXPECT_EQ(read_psf(path("a.fits")).nfiber, 10);
}

TEST_F(FitsFile, KeywordsByType) {
  FitsReader file(tiny_psf);
  EXPECT_EQ(file.get_string("PSFTYPE"), "GAUSS-HERMITE");
  EXPECT_EQ(file.get_double("WAVEMIN"), 3580);
  EXPECT_EQ(file.get_integer("FIBERMAX"), 9);
  EXPECT_FALSE(file.find_string("ABSENT"));
  EXPECT_FALSE(file.find_double("ABSENT"));
  EXPECT_FALSE(file.find_integer("ABSENT"));
  expect_data_error([&] { static_cast<void>(file.get_double("PSFTYPE")); }, tiny_psf,
                    "HDU XTRACE: keyword PSFTYPE is not a number", "");
  EXPECT_TRUE(file.find_hdu("YTRACE"));
  EXPECT_EQ(file.hdu_name(), "HDU YTRACE");
  EXPECT_FALSE(file.find_hdu("ABSENT"));
}

}  // namespace
}  // namespace spex
