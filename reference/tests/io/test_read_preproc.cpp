#include <cmath>

#include <fitsio.h>

#include "reference/fits/header_cards.hpp"
#include "reference/fits/write/atomic_write.hpp"
#include "reference/io/read_preproc.hpp"
#include "reference/tests/fits/fits_edit.hpp"
#include "reference/tests/fits/scratch.hpp"
#include "reference/tests/support/fields.hpp"

namespace spex {
namespace {

using test::expect_data_error;
using test::FitsEdit;

const std::string tiny_image = test::golden("tiny-b/preproc.fits");

// Ignores the bytes of the table, whose header may differ.
void expect_equal(Preproc a, Preproc b) {
  a.fibermap.fits = b.fibermap.fits = {};
  test::expect_equal(a, b);
}

class ReadPreproc : public test::Scratch {
 protected:
  void expect_bad(const FitsEdit& edit, const std::string& wrong, const std::string& expected) {
    const std::string file = edit.save(path("preproc.fits"));
    expect_data_error([&] { static_cast<void>(read_preproc(file)); }, file, wrong, expected);
  }
  [[nodiscard]] Preproc read_bytes_as(const std::string& name, const std::vector<char>& bytes) {
    test::write_bytes(path(name), bytes);
    Preproc preproc = read_preproc(path(name));
    // The pixels of its gzip file are converted during decompression; the result must be the same.
    atomic_write(path(name + ".gz"), bytes);
    expect_equal(read_preproc(path(name + ".gz")), preproc);
    return preproc;
  }
};

TEST_F(ReadPreproc, Golden) {
  const Preproc preproc = read_preproc(tiny_image);
  EXPECT_EQ(preproc.nx, 130);
  EXPECT_EQ(preproc.ny, 300);
  EXPECT_EQ(preproc.image.size(), 39000U);
  EXPECT_EQ(preproc.camera, "b0");
  EXPECT_EQ(preproc.fibermap.fiber.size(), 10U);
  bool night = false;
  for (const std::string& card : preproc.cards) {
    night = night || card.starts_with("NIGHT   =             20200305");
    for (const char* key : {"SIMPLE", "BITPIX", "NAXIS", "EXTEND", "CHECKSUM", "DATASUM"})
      EXPECT_FALSE(card.starts_with(key)) << card;
  }
  EXPECT_TRUE(night);
}

TEST_F(ReadPreproc, GzipIsTheSame) {
  atomic_write(path("a.fits.gz"), test::read_bytes(tiny_image));
  expect_equal(read_preproc(path("a.fits.gz")), read_preproc(tiny_image));
}

TEST_F(ReadPreproc, TileCompressedIsTheSame) {
  const Preproc plain = read_preproc(tiny_image);
  expect_equal(read_bytes_as("rice.fits.fz", test::packed(tiny_image, RICE_1)), plain);
  expect_equal(read_bytes_as("gzip1.fits.fz", test::packed(tiny_image, GZIP_1)), plain);
  expect_equal(read_bytes_as("gzip2.fits.fz", test::packed(tiny_image, GZIP_2)), plain);
  atomic_write(path("both.fits.fz.gz"), test::packed(tiny_image, RICE_1));
  expect_equal(read_preproc(path("both.fits.fz.gz")), plain);
}

TEST_F(ReadPreproc, HdusInAnyOrder) {
  const Preproc plain = read_preproc(tiny_image);
  for (const auto& names : std::vector<std::vector<std::string>>{
           {"FIBERMAP", "MASK", "IVAR", "IMAGE"}, {"IVAR", "IMAGE", "FIBERMAP", "MASK"}})
    expect_equal(read_bytes_as("a.fits", test::reordered(tiny_image, names)), plain);
}

TEST_F(ReadPreproc, NamesWithCfitsioSyntaxArePlain) {
  const Preproc plain = read_preproc(tiny_image);
  for (const char* name : {"a[1].fits", "a+1.fits", "a b.fits", "a[MASK].fits", "!a.fits"})
    expect_equal(read_bytes_as(name, test::read_bytes(tiny_image)), plain);
  atomic_write(path("a[1].fits.gz"), test::read_bytes(tiny_image));
  expect_equal(read_preproc(path("a[1].fits.gz")), plain);
  expect_equal(read_bytes_as("a+1.fits.fz", test::packed(tiny_image, RICE_1)), plain);
}

// However a program writes it, the camera is a word, and the card that is copied to the frame holds
// that word.
TEST_F(ReadPreproc, CameraInQuotesBlanksAndCapitals) {
  for (const char* value : {"'B0      '", "' b0 '", "'''b0      '''", "'''B0'''", "' \"B0\"  '"}) {
    const Preproc preproc =
        read_preproc(FitsEdit(tiny_image).set("IMAGE", "CAMERA", value).save(path("a.fits")));
    EXPECT_EQ(preproc.camera, "b0") << value;
    EXPECT_EQ(card_text(preproc.cards, "CAMERA"), "b0") << value;
  }
  EXPECT_EQ(
      read_preproc(FitsEdit(tiny_image).set("IMAGE", "CAMERA", "''").save(path("a.fits"))).camera,
      "");
}

// MASK as int16 and int32, plain and compressed; bit 31 of a negative int32 is preserved.
TEST_F(ReadPreproc, MaskOfEitherWidth) {
  const Preproc plain = read_preproc(tiny_image);
  FitsEdit wide(tiny_image);
  std::string& data = wide.hdu("MASK").data;
  data.replace(0, 4, std::string("\x80\x00\x00\x04", 4));
  const Preproc high = read_preproc(wide.save(path("wide.fits")));
  EXPECT_EQ(high.mask[0], 0x80000004U);
  EXPECT_EQ(high.mask[1], plain.mask[1]);

  const std::string file =
      test::with_narrow_mask(tiny_image, plain.mask.size()).save(path("narrow.fits"));
  EXPECT_EQ(read_preproc(file).mask, plain.mask);
  EXPECT_EQ(read_bytes_as("narrow.fits.fz", test::packed(file, RICE_1)).mask, plain.mask);
}

// BITPIX 64, whose numbers fit in 32 bits; one that does not is refused.
TEST_F(ReadPreproc, MaskOf64Bits) {
  const Preproc plain = read_preproc(tiny_image);
  FitsEdit wide = test::with_wide_mask(tiny_image, plain.mask.size());
  EXPECT_EQ(read_bytes_as("wide.fits", test::read_bytes(wide.save(path("w.fits")))).mask,
            plain.mask);
  wide.hdu("MASK").data.replace(8, 8, std::string("\0\0\0\1\0\0\0\0", 8));
  expect_bad(wide, "HDU MASK holds 4294967296", "32-bit integers");
}

TEST_F(ReadPreproc, WithoutMask) {
  const std::string file = FitsEdit(tiny_image).remove("MASK").save(path("a.fits"));
  Preproc expected = read_preproc(tiny_image);
  expected.mask.assign(expected.mask.size(), 0);
  expected.has_mask = false;
  expect_equal(read_preproc(file, MaskHdu::optional), expected);
  // A MASK that is there counts.
  expect_equal(read_preproc(tiny_image, MaskHdu::optional), read_preproc(tiny_image));
}

// DESI's images have READNOISE, too.
TEST_F(ReadPreproc, OtherHdusAreIgnored) {
  FitsEdit edit(tiny_image);
  edit.append_copy("IVAR", "READNOISE");
  expect_equal(read_bytes_as("noise.fits", test::read_bytes(edit.save(path("n.fits")))),
               read_preproc(tiny_image));
}

TEST_F(ReadPreproc, PixelsThatAreNotFiniteAreData) {
  FitsEdit edit(tiny_image);
  edit.hdu("IMAGE").data.replace(0, 4, std::string("\x7F\xC0\x00\x00", 4));
  edit.hdu("IVAR").data.replace(4, 4, std::string("\x7F\x80\x00\x00", 4));
  const Preproc preproc = read_preproc(edit.save(path("a.fits")));
  EXPECT_TRUE(std::isnan(preproc.image[0]));
  EXPECT_TRUE(std::isinf(preproc.ivar[1]));
}

TEST_F(ReadPreproc, MissingHdusAndKeywords) {
  expect_bad(FitsEdit(tiny_image).remove("IVAR"), "has no HDU IVAR", "");
  expect_bad(FitsEdit(tiny_image).remove("MASK"), "has no HDU MASK", "--no-mask");
  expect_bad(FitsEdit(tiny_image).set("IMAGE", "EXTNAME", "'OTHER'"), "has no HDU IMAGE",
             "CCDIMAGE");
  test::write_bytes(path("a.fits"), test::reordered(tiny_image, {"IVAR", "MASK"}));
  expect_data_error([&] { static_cast<void>(read_preproc(path("a.fits"))); }, path("a.fits"),
                    "has no HDU IMAGE", "CCDIMAGE");
  expect_bad(FitsEdit(tiny_image).set("FIBERMAP", "TTYPE2", "'FIBRE'"), "has no column FIBER", "");
}

// As specter writes and reads them: the image in the first HDU, which is CCDIMAGE or has no name,
// and no MASK; and without a camera.
TEST_F(ReadPreproc, ImagesOfSpecter) {
  Preproc expected = read_preproc(tiny_image);
  expected.cards.clear();
  const auto same = [&](const FitsEdit& edit) {
    Preproc read = read_bytes_as("specter.fits", edit.bytes());
    read.cards.clear();
    expect_equal(read, expected);
  };
  same(FitsEdit(tiny_image).set("IMAGE", "EXTNAME", "'CCDIMAGE'"));
  same(FitsEdit(tiny_image).rename("IMAGE", "EXTNAME", "OLDNAME"));
  expected.camera = "";
  same(FitsEdit(tiny_image).rename("IMAGE", "CAMERA", "CAMERO"));
  same(FitsEdit(tiny_image)
           .rename("IMAGE", "CAMERA", "CAMERO")
           .rename("IMAGE", "EXTNAME", "OLDNAME"));
  expected.mask.assign(expected.mask.size(), 0);
  expected.has_mask = false;
  same(FitsEdit(tiny_image)
           .rename("IMAGE", "CAMERA", "CAMERO")
           .set("IMAGE", "EXTNAME", "'CCDIMAGE'")
           .remove("MASK"));
  expect_bad(FitsEdit(tiny_image).set("IMAGE", "EXTNAME", "'CCDIMAGE'").remove("IVAR"),
             "has no HDU IVAR", "");
  expect_bad(FitsEdit(tiny_image)
                 .set("IMAGE", "EXTNAME", "'CCDIMAGE'")
                 .set("IVAR", "NAXIS1", "300")
                 .set("IVAR", "NAXIS2", "130"),
             "HDU IVAR has the shape 300 x 130", "130 x 300 as IMAGE");
  // Where specter's cut-outs begin; CRPIX1 alone says nothing.
  FitsEdit cut(tiny_image);
  cut.add("IMAGE", "CRPIX1", "-20.");
  EXPECT_EQ(read_preproc(cut.save(path("a.fits"))).first, std::nullopt);
  cut.add("IMAGE", "CRPIX0", "-7");
  EXPECT_EQ(read_preproc(cut.save(path("a.fits"))).first, (FirstPixel{7, 20}));
  expect_bad(cut.set("IMAGE", "CRPIX0", "-7.5"), "HDU IMAGE: CRPIX0 is -7.5", "0 or less");
}

TEST_F(ReadPreproc, WithoutFibermap) {
  const std::string file = FitsEdit(tiny_image).remove("FIBERMAP").save(path("a.fits"));
  const Preproc preproc = read_preproc(file);
  EXPECT_TRUE(preproc.fibermap.fits.empty());
  EXPECT_TRUE(preproc.fibermap.fiber.empty());
  expect_data_error([&] { static_cast<void>(read_fibermap(file)); }, file, "has no HDU FIBERMAP",
                    "");
}

TEST_F(ReadPreproc, FibermapOfAnotherFile) {
  EXPECT_EQ(read_fibermap(tiny_image).fiber, read_preproc(tiny_image).fibermap.fiber);
  expect_data_error([&] { static_cast<void>(read_fibermap(path("absent.fits"))); },
                    path("absent.fits"), "no such file", "a FITS file");
}

TEST_F(ReadPreproc, InconsistentShapes) {
  expect_bad(FitsEdit(tiny_image).set("IVAR", "NAXIS1", "300").set("IVAR", "NAXIS2", "130"),
             "HDU IVAR has the shape 300 x 130", "130 x 300 as IMAGE");
  expect_bad(FitsEdit(tiny_image).set("MASK", "NAXIS1", "150").set("MASK", "NAXIS2", "260"),
             "HDU MASK has the shape 150 x 260", "130 x 300 as IMAGE");
  expect_bad(FitsEdit(tiny_image).set("IMAGE", "NAXIS1", "200000"), "is cut short", "HDU number 1");
}

// The size that a compressed image states is checked for plausibility before allocation.
TEST_F(ReadPreproc, AbsurdSizesOfCompressedImages) {
  const std::string file = path("a.fits.fz");
  test::write_bytes(file, test::packed(tiny_image, GZIP_1));
  expect_bad(FitsEdit(file).set("IMAGE", "ZNAXIS2", "90000"), "90000 compressed tiles in 300 rows",
             "one row per tile");
  expect_bad(FitsEdit(file).set("IMAGE", "ZNAXIS1", "30000000").set("IMAGE", "ZTILE1", "30000000"),
             "pixels compressed to", "at most");
  expect_bad(FitsEdit(file).set("IMAGE", "ZTILE1", "0"), "ZTILE1 = 0", "from 1 to 130");
  expect_bad(FitsEdit(file).set("MASK", "ZNAXIS", "-2"), "ZNAXIS = -2", "from 1 to 6");
}

// Several of these make CFITSIO 4.2 divide by zero, loop forever or access invalid memory
// (docs/upstream-faults.md).
TEST_F(ReadPreproc, InconsistentCompressionKeywords) {
  const std::string file = path("a.fits.fz");
  test::write_bytes(file, test::packed(tiny_image, RICE_1));
  const auto bad = [&](const std::string& key, const std::string& value, const std::string& wrong,
                       const std::string& expected) {
    expect_bad(FitsEdit(file).set("MASK", key, value), wrong, expected);
  };
  bad("ZVAL1", "", "ZVAL1 = ", "a whole number from 16 to 32");
  bad("ZVAL1", "0", "ZVAL1 = 0", "from 16 to 32");
  bad("ZVAL1", "-32", "ZVAL1 = -32", "from 16 to 32");
  bad("ZVAL1", "17", "BLOCKSIZE = 17", "16, 32");
  bad("ZVAL1", "32.5", "ZVAL1 = 32.5", "a whole number");
  bad("ZVAL2", "3", "BYTEPIX = 3", "1, 2, 4");
  bad("ZVAL2", "2147483648", "ZVAL2 = 2147483648", "from 1 to 4");
  bad("ZTILE1", "         0         5", "ZTILE1 =", "one value");
  bad("ZTILE1", "         0/        5", "ZTILE1 = 0", "from 1 to 130");
  bad("ZTILE1", "", "ZTILE1 = ", "from 1 to 130");
  bad("ZTILE2", "-1", "ZTILE2 = -1", "from 1 to 300");
  bad("ZNAXIS1", "9223372036854775808", "ZNAXIS1 =", "a whole number");
  bad("ZBITPIX", "0", "ZBITPIX = 0", "8, 16, 32");
  bad("ZBITPIX", "-32", "RICE_1 with ZBITPIX = -32", "quantized pixels");
  bad("ZCMPTYPE", "'PLIO_1'", "ZCMPTYPE = 'PLIO_1'", "RICE_1, GZIP_1 or GZIP_2");
  bad("ZCMPTYPE", "RICE_1", "ZCMPTYPE = RICE_1", "a string");
  bad("ZCMPTYPE", "'GZIP_1'", "compressed tile 1 is damaged", "a whole gzip stream");
  bad("ZIMAGE", "1", "ZIMAGE = 1", "T or F");
  bad("TFORM1", "'1PI(40)'", "TFORM1 = '1PI(40)'", "compressed bytes");
  bad("TTYPE1", "'OTHER'", "has no column COMPRESSED_DATA", "one");
  expect_bad(FitsEdit(file).add("MASK", "ZTILE1", "5"), "keyword ZTILE1 occurs twice", "one card");
  expect_bad(FitsEdit(file).add_card("MASK", "HIERARCH ZTILE1 = 0"), "keyword ZTILE1 is written",
             "its plain form");
  expect_bad(FitsEdit(file).add_card("MASK", "ztile1  = 0"), "keyword ZTILE1 is written",
             "its plain form");
  expect_bad(FitsEdit(file).add("MASK", "ZTABLE", "T"), "a compressed table, MASK",
             "a plain table");
  expect_bad(FitsEdit(file).add("MASK", "ZSCALE", "0"), "ZSCALE or ZZERO is a keyword", "a column");
}

// Tile descriptors outside of the HDU, and streams that end before their pixels.
TEST_F(ReadPreproc, TilesOutsideOfTheHduOrTruncated) {
  const std::string file = path("a.fits.fz");
  test::write_bytes(file, test::packed(tiny_image, RICE_1));
  const auto with_descriptor = [&](const std::string& length, const std::string& offset) {
    FitsEdit edit(file);
    edit.hdu("MASK").data.replace(0, 8, length + offset);
    return edit;
  };
  const std::string zero(4, '\0');
  const std::string two("\0\0\0\2", 4);
  expect_bad(with_descriptor("\x7f\xff\xff\xff", zero), "tile 1 lies outside its HDU", "within");
  expect_bad(with_descriptor(two, "\xff\xff\xff\xff"), "tile 1 lies outside its HDU", "within");
  expect_bad(with_descriptor(zero, zero), "tile 1 is empty", "compressed data");
  expect_bad(with_descriptor(two, zero), "tile 1 is damaged", "a whole Rice stream");
}

TEST_F(ReadPreproc, CompressedTablesAreRejected) {
  expect_bad(FitsEdit(tiny_image).add("FIBERMAP", "ZTABLE", "T"),
             "HDU number 4: a compressed table, FIBERMAP", "a plain table, as funpack makes it");
}

TEST_F(ReadPreproc, DamagedTile) {
  const std::string file = path("a.fits.fz");
  test::write_bytes(file, test::packed(tiny_image, GZIP_1));
  FitsEdit edit(file);
  std::string& data = edit.hdu("IVAR").data;
  data.replace(data.find("\x1f\x8b", 8000) + 40, 8, std::string(8, '\xFF'));
  expect_bad(edit, "is damaged", "a whole gzip stream");
}

}  // namespace
}  // namespace spex
