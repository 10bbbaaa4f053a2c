// Pixels weighted while they are read equal pixels of the whole arrays.
#include <fitsio.h>

#include "reference/extract/weights.hpp"
#include "reference/fits/read/fits_file.hpp"
#include "reference/frame/read_pixels.hpp"
#include "reference/io/read_preproc.hpp"
#include "reference/model/mask_bits.hpp"
#include "reference/tests/fits/fits_edit.hpp"
#include "reference/tests/fits/scratch.hpp"
#include "reference/tests/support/fields.hpp"

namespace spex {
namespace {

using test::FitsEdit;

const std::string whole = test::golden("tiny-b/preproc.fits");

class ReadPixels : public test::Scratch {
 protected:
  static Pixels read(const std::string& file) {
    FitsReader reader(file);
    Preproc preproc = read_preproc_header(reader, MaskHdu::optional);
    EXPECT_EQ(preproc.image.size() + preproc.ivar.size() + preproc.mask.size(), 0U);
    return read_pixels(reader, preproc, ccdmask::rejected);
  }
  // Expects `file` to be read as by read_preproc and make_pixels.
  static void expect_weighed(const std::string& file) {
    const Pixels expected = make_pixels(read_preproc(file, MaskHdu::optional), ccdmask::rejected);
    test::expect_equal(read(file), expected);
  }
  // The golden image with repeated rows, so that there are several parts and a shorter last part.
  // Non-finite and non-positive pixels are at its begin, masked pixels at its end.
  [[nodiscard]] std::string of_many_parts() {
    constexpr int times = 7;  // 273000 pixels
    FitsEdit edit(whole);
    for (const char* hdu : {"IMAGE", "IVAR", "MASK"}) {
      std::string& data = edit.hdu(hdu).data;
      const std::string once = data.substr(0, std::size_t{4} * 130 * 300);
      data.clear();
      for (int i = 0; i < times; ++i) data += once;
      data.resize((data.size() + 2879) / 2880 * 2880, '\0');
      edit.set(hdu, "NAXIS2", std::to_string(300 * times));
    }
    edit.hdu("IMAGE").data.replace(0, 4, std::string("\x7F\xC0\x00\x00", 4));
    edit.hdu("IVAR").data.replace(4, 8, std::string("\x7F\x80\x00\x00\xBF\x80\x00\x00", 8));
    edit.hdu("MASK").data.replace(std::size_t{4} * (130 * 300 * times - 1), 4,
                                  std::string("\x80\x00\x00\x01", 4));
    return edit.save(path("many.fits"));
  }
};

TEST_F(ReadPixels, OfPlainImagesInParts) {
  expect_weighed(whole);
  const std::string file = of_many_parts();
  expect_weighed(file);
  const Pixels pixels = read(file);
  ASSERT_EQ(pixels.weight.size(), 273000U);
  EXPECT_EQ(pixels.value[0], 0);  // NaN
  EXPECT_EQ(pixels.weight[0], 0);
  EXPECT_EQ(pixels.weight[1], 0);  // infinite
  EXPECT_EQ(pixels.weight[2], 0);  // negative
  EXPECT_EQ(pixels.weight[272999], 0);
  EXPECT_GT(pixels.weight[3], 0);
}

TEST_F(ReadPixels, WithoutMaskAllPixelsAreGood) {
  const std::string plain = FitsEdit(of_many_parts()).remove("MASK").save(path("plain.fits"));
  expect_weighed(plain);
  EXPECT_GT(read(plain).weight[272999], 0);  // masked in of_many_parts()
  test::write_bytes(path("no.fits.fz"), test::packed(plain, RICE_1));
  expect_weighed(path("no.fits.fz"));
}

TEST_F(ReadPixels, OfOtherImagesAsAWhole) {
  test::write_bytes(path("a.fits.fz"), test::packed(whole, RICE_1));
  expect_weighed(path("a.fits.fz"));
  expect_weighed(test::with_narrow_mask(whole, 39000).save(path("narrow.fits")));
  // IVAR with a scale.
  expect_weighed(FitsEdit(whole).add("IVAR", "BSCALE", "0.5").save(path("scaled.fits")));
  EXPECT_FALSE(read(path("scaled.fits")).weight == read(whole).weight);
}

}  // namespace
}  // namespace spex
