// Null values: BLANK and ZBLANK of integer images, TNULL of integer columns.
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <fitsio.h>
#include <gtest/gtest.h>

#include "reference/fits/read/fits_file.hpp"
#include "reference/fits/read/fits_table.hpp"
#include "reference/fits/write/atomic_write.hpp"
#include "reference/fits/write/fits_memory.hpp"
#include "reference/fits/write/fits_write.hpp"
#include "reference/tests/fits/fits_edit.hpp"
#include "reference/tests/fits/scratch.hpp"
#include "reference/tests/support/special_numbers.hpp"

namespace spex {
namespace {

using test::expect_data_error;
using test::FitsEdit;
using test::nan;

// How an image is stored; compression 0: plain.
struct StoredForm {
  int compression = 0;
  int bitpix = SHORT_IMG;
  double scale = 1;
  double zero = 0;
};

class Blank : public test::Scratch {
 protected:
  // A file whose second HDU holds 4 x 3 stored numbers.
  static std::vector<char> file_of(const StoredForm& form, std::vector<long> stored) {
    FitsMemory out("test");
    int status = 0;
    std::vector<long> axes{4, 3};
    fits_create_img(out.get(), BYTE_IMG, 0, nullptr, &status);
    fits_set_compression_type(out.get(), form.compression, &status);
    fits_create_img(out.get(), form.bitpix, 2, axes.data(), &status);
    fits_write_key_str(out.get(), "EXTNAME", "A", nullptr, &status);
    const int type = form.bitpix == LONGLONG_IMG ? TLONG : TINT;
    if (type == TLONG) {
      fits_write_img(out.get(), TLONG, 1, 12, stored.data(), &status);
    } else {
      std::vector<short> shorts(stored.begin(), stored.end());
      std::vector<int> ints(stored.begin(), stored.end());
      if (form.bitpix == SHORT_IMG)
        fits_write_img(out.get(), TSHORT, 1, 12, shorts.data(), &status);
      else
        fits_write_img(out.get(), TINT, 1, 12, ints.data(), &status);
    }
    fits_flush_file(out.get(), &status);
    fits_write_key_dbl(out.get(), "BSCALE", form.scale, 10, nullptr, &status);
    fits_write_key_dbl(out.get(), "BZERO", form.zero, 10, nullptr, &status);
    fits_check(status, "test", "cannot be made");
    return out.take();
  }
  FitsEdit edit(const StoredForm& form, const std::vector<long>& stored) {
    test::write_bytes(path("plain.fits"), file_of(form, stored));
    return FitsEdit(path("plain.fits"));
  }
  static std::vector<double> values_of(const std::string& file) {
    FitsReader reader(file);
    reader.move_to_hdu("A");
    const Reals reals = reader.read_reals();
    std::vector<double> values;
    for (std::size_t i = 0; i < reals.size(); ++i) values.push_back(reals[i]);
    expect_same(reader.read_doubles(), values);
    return values;
  }
  static void expect_same(const std::vector<double>& found, const std::vector<double>& expected) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i)
      EXPECT_TRUE(found[i] == expected[i] || (std::isnan(found[i]) && std::isnan(expected[i])))
          << "pixel " << i << ": " << found[i] << ", expected " << expected[i];
  }
  // Expects the values of the file and of its gzip file.
  void expect_values(const FitsEdit& file, const std::vector<double>& expected) {
    expect_same(values_of(file.save(path("a.fits"))), expected);
    atomic_write(path("a.fits.gz"), file.bytes());
    expect_same(values_of(path("a.fits.gz")), expected);
  }
  static std::vector<std::uint32_t> bits_of(const std::string& file) {
    FitsReader reader(file);
    reader.move_to_hdu("A");
    return reader.read_bits();
  }
};

const std::vector<long> stored{-7, 1, 2, 3, 4, -7, 6, 7, 8, 9, 10, -7};

TEST_F(Blank, StoredBlanksAreNaN) {
  for (const int compression : {0, RICE_1, GZIP_1, GZIP_2})
    for (const int bitpix : {SHORT_IMG, LONG_IMG}) {
      SCOPED_TRACE(testing::Message() << compression << ' ' << bitpix);
      const StoredForm form{compression, bitpix, 0.5, 100};
      expect_values(edit(form, stored).add("A", "BLANK", "-7"),
                    {nan, 100.5, 101, 101.5, 102, nan, 103, 103.5, 104, 104.5, 105, nan});
      // Without the keyword they are numbers.
      expect_values(edit(form, stored),
                    {96.5, 100.5, 101, 101.5, 102, 96.5, 103, 103.5, 104, 104.5, 105, 96.5});
    }
  expect_values(edit({.bitpix = LONGLONG_IMG}, stored).add("A", "BLANK", "-7"),
                {nan, 1, 2, 3, 4, nan, 6, 7, 8, 9, 10, nan});
}

TEST_F(Blank, ZblankPrecedesBlank) {
  expect_values(edit({.compression = RICE_1}, stored).add("A", "ZBLANK", "-7"),
                {nan, 1, 2, 3, 4, nan, 6, 7, 8, 9, 10, nan});
  expect_values(
      edit({.compression = RICE_1}, stored).add("A", "ZBLANK", "-7").add("A", "BLANK", "4"),
      {nan, 1, 2, 3, 4, nan, 6, 7, 8, 9, 10, nan});
}

// Each tile, a row of the image, has its own blank value in a column.
TEST_F(Blank, EachTileHasItsOwn) {
  for (const int compression : {RICE_1, GZIP_2}) {
    FitsEdit file = edit({.compression = compression, .scale = 2, .zero = 1}, stored);
    file.set("A", "NAXIS1", "12").set("A", "TFIELDS", "2");
    file.add("A", "TTYPE2", "'ZBLANK'").add("A", "TFORM2", "'1J'");
    std::string& data = file.hdu("A").data;
    const std::string heap = data.substr(3 * 8);
    std::string rows;
    for (int tile = 0; tile < 3; ++tile) {
      const char blank[4] = {0, 0, 0, static_cast<char>(tile == 0 ? 1 : tile == 1 ? 6 : 99)};
      rows += data.substr(static_cast<std::size_t>(tile) * 8, 8) + std::string(blank, 4);
    }
    data = (rows + heap).substr(0, data.size());
    const std::string packed = file.save(path("a.fits.fz"));
    expect_same(values_of(packed), {-13, nan, 5, 7, 9, -13, nan, 15, 17, 19, 21, -13});
    EXPECT_EQ(bits_of(packed)[1], ~0U);
    EXPECT_EQ(bits_of(packed)[2], 5U);
  }
}

// astropy calls a compressed image COMPRESSED_IMAGE; a second name counts.
TEST_F(Blank, NamesOfCompressedImages) {
  for (const char* name : {"'COMPRESSED_IMAGE'", "'A'"}) {
    FitsEdit file = edit({.compression = RICE_1}, stored);
    file.set("A", "EXTNAME", name);
    const std::string first = file.save(path("first.fits"));
    FitsReader reader(first);
    reader.move_to_number(2);
    EXPECT_EQ(reader.hdu_name(), name == std::string("'A'") ? "HDU A" : "HDU number 2");
  }
  FitsEdit file = edit({.compression = RICE_1}, stored);
  file.add("A", "EXTNAME", "'B'").set("A", "EXTNAME", "'COMPRESSED_IMAGE'");
  FitsReader reader(file.save(path("second.fits")));
  EXPECT_TRUE(reader.find_hdu("B"));
  EXPECT_EQ(reader.hdu_name(), "HDU B");
  EXPECT_EQ(reader.find_string("EXTNAME"), "B");
}

TEST_F(Blank, BitsAreAllSet) {
  for (const int bitpix : {SHORT_IMG, LONG_IMG, LONGLONG_IMG}) {
    const std::vector<std::uint32_t> bits =
        bits_of(edit({.bitpix = bitpix}, stored).add("A", "BLANK", "8").save(path("a.fits")));
    EXPECT_EQ(bits[8], ~0U);
    EXPECT_EQ(bits[7], 7U);
    EXPECT_EQ(bits[0], static_cast<std::uint32_t>(-7));
  }
}

TEST_F(Blank, OfRealsIsIgnored) {
  FitsMemory out("test");
  create_image(out, FLOAT_IMG, {2});
  write_name_and_unit(out, "A", nullptr);
  write_image(out, false, std::vector<float>{3, 4});
  test::write_bytes(path("plain.fits"), out.take());
  expect_values(FitsEdit(path("plain.fits")).add("A", "BLANK", "3"), {3, 4});
}

TEST_F(Blank, MustBeAnInteger) {
  const std::string file = edit({}, stored).add("A", "BLANK", "-7.5").save(path("a.fits"));
  expect_data_error([&] { static_cast<void>(values_of(file)); }, file, "BLANK = -7.5",
                    "a whole number");
}

TEST_F(Blank, OfColumnsIsNoNumber) {
  FitsMemory out("test");
  int status = 0;
  char name[] = "N", form[] = "2J", other[] = "FIBER", single[] = "J";
  char* names[] = {name, other};
  char* forms[] = {form, single};
  fits_create_img(out.get(), BYTE_IMG, 0, nullptr, &status);
  fits_create_tbl(out.get(), BINARY_TBL, 2, 2, names, forms, nullptr, "T", &status);
  std::vector<int> values{1, 2, 3, 4}, fibers{5, 6};
  fits_write_col(out.get(), TINT, 1, 1, 1, 4, values.data(), &status);
  fits_write_col(out.get(), TINT, 2, 1, 1, 2, fibers.data(), &status);
  fits_flush_file(out.get(), &status);
  fits_check(status, "test", "cannot be made");
  test::write_bytes(path("plain.fits"), out.take());
  const std::string file = FitsEdit(path("plain.fits"))
                               .add("T", "TNULL1", "2")
                               .add("T", "TNULL2", "6")
                               .save(path("a.fits"));
  FitsReader reader(file);
  reader.move_to_hdu("T");
  expect_same(read_double_cell(reader, "N", 1, 2), {1, nan});
  expect_data_error([&] { static_cast<void>(read_integer_column(reader, "FIBER")); }, file,
                    "HDU T: column FIBER has no value in row 2", "one integer per row");
  FitsReader plain(path("plain.fits"));
  plain.move_to_hdu("T");
  EXPECT_EQ(read_integer_column(plain, "FIBER"), (std::vector<std::int64_t>{5, 6}));
}

}  // namespace
}  // namespace spex
