// DATASUM and CHECKSUM are compared before pixels or columns are used.
#include <string>
#include <vector>

#include <fitsio.h>
#include <gtest/gtest.h>

#include "reference/fits/read/fits_file.hpp"
#include "reference/fits/read/fits_table.hpp"
#include "reference/fits/write/atomic_write.hpp"
#include "reference/io/read_preproc.hpp"
#include "reference/io/read_psf.hpp"
#include "reference/tests/fits/fits_edit.hpp"
#include "reference/tests/fits/scratch.hpp"
#include "reference/tests/support/cfitsio_file.hpp"

namespace spex {
namespace {

using test::expect_data_error;
using test::FitsEdit;

const std::string image_file = test::golden("tiny-b/preproc.fits");
const std::string psf_file = test::golden("tiny-b/psf.fits");

class Sums : public test::Scratch {
 protected:
  // The file with checksums by CFITSIO in these HDUs.
  std::string summed(const std::vector<char>& bytes, const std::vector<std::string>& hdus) {
    const std::string name = path("summed.fits");
    test::write_bytes(name, bytes);
    test::CfitsioFile file(name, READWRITE);
    for (const std::string& hdu : hdus) fits_write_chksum(file.move_to(hdu).get(), file.status());
    file.finish("checksums");
    return name;
  }
  static void flip(FitsEdit& edit, const std::string& hdu, std::size_t at) {
    edit.hdu(hdu).data.at(at) ^= 0x10;
  }
  // Saves the file plain and as gzip and calls `use` with each path.
  template <class Use>
  void each_form(const FitsEdit& edit, const Use& use) {
    use(edit.save(path("a.fits")));
    atomic_write(path("a.fits.gz"), edit.bytes());
    use(path("a.fits.gz"));
  }
  void expect_refused(FitsEdit edit, const std::string& hdu, const std::string& keyword) {
    each_form(edit.with_old_sums(), [&](const std::string& file) {
      expect_data_error([&] { static_cast<void>(read_preproc(file)); }, file,
                        "HDU " + hdu + " does not have the checksum that its " + keyword,
                        "--no-checksums");
      EXPECT_NO_THROW(static_cast<void>(read_preproc(file, MaskHdu::required, false)));
    });
  }
  void expect_accepted(FitsEdit edit) {
    each_form(edit.with_old_sums(), [&](const std::string& file) {
      EXPECT_NO_THROW(static_cast<void>(read_preproc(file)));
    });
  }
};

TEST_F(Sums, OneBitIsFound) {
  for (const char* hdu : {"IMAGE", "IVAR", "MASK", "FIBERMAP"}) {
    FitsEdit edit(image_file);
    flip(edit, hdu, 200);
    expect_refused(edit, hdu, "DATASUM");
  }
  // In the padding after the last pixel, and in a header.
  FitsEdit padding(image_file);
  flip(padding, "IVAR", padding.hdu("IVAR").data.size() - 1);
  expect_refused(padding, "IVAR", "DATASUM");
  expect_refused(FitsEdit(image_file).set("MASK", "PCOUNT", "0 / other"), "MASK", "CHECKSUM");
}

TEST_F(Sums, OfAPsf) {
  const std::string whole = summed(test::read_bytes(psf_file), {"XTRACE", "YTRACE", "PSF"});
  for (const char* hdu : {"XTRACE", "YTRACE", "PSF"}) {
    FitsEdit edit(whole);
    flip(edit, hdu, 7);
    each_form(edit.with_old_sums(), [&](const std::string& file) {
      expect_data_error([&] { static_cast<void>(read_psf(file)); }, file,
                        std::string("HDU ") + hdu + " does not have the checksum", "");
      EXPECT_NO_THROW(static_cast<void>(read_psf(file, false)));
    });
  }
}

// DATASUM alone finds changed data, CHECKSUM alone finds all changes.
TEST_F(Sums, EitherKeyword) {
  FitsEdit data(image_file);
  flip(data, "IVAR", 0);
  expect_refused(data.rename("IVAR", "CHECKSUM", "OLDSUM"), "IVAR", "DATASUM");
  expect_accepted(FitsEdit(image_file).rename("IVAR", "CHECKSUM", "OLDSUM"));
  FitsEdit whole(image_file);
  // Renaming DATASUM changes the header, for which CHECKSUM is written anew.
  const std::string file = whole.rename("IVAR", "DATASUM", "OLDSUM").save(path("whole.fits"));
  expect_accepted(FitsEdit(file));
  FitsEdit flipped(file);
  flip(flipped, "IVAR", 0);
  expect_refused(flipped, "IVAR", "CHECKSUM");
}

TEST_F(Sums, WithoutKeywordsNothingIsCompared) {
  FitsEdit edit(image_file);
  flip(edit, "IVAR", 0);
  expect_accepted(edit.rename("IVAR", "CHECKSUM", "OLDSUM").rename("IVAR", "DATASUM", "OLDDATA"));
}

// A blank value means that the checksum is not known.
TEST_F(Sums, BlankValues) {
  FitsEdit edit(image_file);
  flip(edit, "IVAR", 0);
  expect_accepted(edit.set("IVAR", "CHECKSUM", "''").set("IVAR", "DATASUM", "'      '"));
}

TEST_F(Sums, FormsOfValues) {
  const auto with = [&](const std::string& value) {
    return FitsEdit(image_file).set("IVAR", "DATASUM", value).rename("IVAR", "CHECKSUM", "OLDSUM");
  };
  FitsReader reader(image_file);
  reader.move_to_hdu("IVAR");
  const std::string right = reader.get_string("DATASUM");
  expect_accepted(with("'" + right + "'"));
  expect_accepted(with("'  " + right + "     '"));
  expect_accepted(with(right + " / a number"));
  for (const char* wrong : {"'0'", "'1'", "'text'", "'-1'", "'99999999999'", "'0x10'"})
    expect_refused(with(wrong), "IVAR", "DATASUM");
  // Zeros are what CHECKSUM holds until it is computed.
  expect_refused(FitsEdit(image_file).set("IVAR", "CHECKSUM", "'0000000000000000'"), "IVAR",
                 "CHECKSUM");
  expect_refused(FitsEdit(image_file).set("IVAR", "CHECKSUM", "'0'"), "IVAR", "CHECKSUM");
}

// Those of a compressed HDU are those of its table; ZDATASUM is that of the image.
TEST_F(Sums, OfCompressedImages) {
  const std::string file = summed(test::packed(image_file, RICE_1), {"IMAGE", "IVAR", "MASK"});
  expect_accepted(FitsEdit(file));
  FitsEdit edit(file);
  flip(edit, "MASK", 4 + 8 * 200);
  each_form(edit.with_old_sums(), [&](const std::string& name) {
    expect_data_error([&] { static_cast<void>(read_preproc(name)); }, name,
                      "HDU MASK does not have the checksum that its DATASUM", "");
  });
}

// Only HDUs whose pixels or columns are read count.
TEST_F(Sums, OfHdusThatNobodyReads) {
  FitsEdit edit(summed(test::read_bytes(psf_file), {"YTRACE", "PSF"}));
  flip(edit, "YTRACE", 7);
  edit.set("YTRACE", "EXTNAME", "'OTHER'");
  each_form(edit.with_old_sums(), [&](const std::string& file) {
    FitsReader reader(file);
    reader.move_to_hdu("PSF");
    EXPECT_NO_THROW(static_cast<void>(read_string_column(reader, "PARAM")));
    reader.move_to_hdu("OTHER");
    EXPECT_EQ(reader.sums().data, Sum::wrong);
    expect_data_error([&] { static_cast<void>(reader.read_doubles()); }, file, "HDU OTHER", "");
  });
}

TEST_F(Sums, ImagesThatAreNotAskedForAreNotKept) {
  atomic_write(path("a.fits.gz"), test::read_bytes(image_file));
  for (const std::string& file : {image_file, path("a.fits.gz")}) {
    FitsReader reader(file, {.images = {"IVAR"}});
    reader.move_to_hdu("IVAR");
    EXPECT_EQ(reader.read_reals().size(), 39000U);
    EXPECT_TRUE(reader.find_hdu("MASK"));
    EXPECT_EQ(reader.image_axes(), (std::vector<long long>{130, 300}));
    EXPECT_THROW(static_cast<void>(reader.read_bits()), std::logic_error);
    EXPECT_TRUE(reader.find_hdu("FIBERMAP"));
    EXPECT_EQ(read_integer_column(reader, "FIBER").size(), 10U);
  }
}

// Names are compared as FitsReader compares them.
TEST_F(Sums, NamesOfImagesInOtherCase) {
  atomic_write(path("a.fits.gz"), FitsEdit(image_file).set("IVAR", "EXTNAME", "' ivar'").bytes());
  const Preproc preproc = read_preproc(path("a.fits.gz"));
  EXPECT_EQ(preproc.ivar.size(), 39000U);
}

TEST_F(Sums, TakenPixelsCannotBeReadAgain) {
  atomic_write(path("a.fits.gz"), test::read_bytes(image_file));
  FitsReader reader(path("a.fits.gz"));
  reader.move_to_hdu("IVAR");
  const std::vector<float> copied = reader.pixels().all<float>();
  EXPECT_EQ(reader.pixels().take<float>(), copied);
  EXPECT_THROW(static_cast<void>(reader.pixels()), std::logic_error);
  EXPECT_THROW(static_cast<void>(reader.read_reals()), std::logic_error);
}

}  // namespace
}  // namespace spex
