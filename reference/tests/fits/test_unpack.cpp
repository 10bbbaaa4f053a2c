// Tile-compressed images: bit-identical to CFITSIO's decompression.
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include <fitsio.h>
#include <gtest/gtest.h>

#include "reference/fits/read/fits_file.hpp"
#include "reference/fits/read/rice.hpp"
#include "reference/fits/read/table_form.hpp"
#include "reference/fits/write/fits_memory.hpp"

namespace spex {
namespace {

// How an image is compressed.
struct Form {
  int compression;
  int bitpix;
  int type;  // CFITSIO's type of the pixels in memory
  std::vector<long> axes;
  std::vector<long> tile;
  float quantize = 0;
  int dither = NO_DITHER;
};

// A file with one compressed image of `values`.
template <class T>
std::vector<char> compressed(const Form& form, std::vector<T> values) {
  FitsMemory out("test");
  int status = 0;
  std::vector<long> axes = form.axes;
  std::vector<long> tile = form.tile;
  fits_create_img(out.get(), BYTE_IMG, 0, nullptr, &status);
  fits_set_compression_type(out.get(), form.compression, &status);
  fits_set_tile_dim(out.get(), static_cast<int>(tile.size()), tile.data(), &status);
  fits_set_quantize_level(out.get(), form.quantize, &status);
  fits_set_quantize_dither(out.get(), form.dither, &status);
  fits_set_dither_seed(out.get(), 9999, &status);
  fits_create_img(out.get(), form.bitpix, static_cast<int>(axes.size()), axes.data(), &status);
  const auto count = static_cast<LONGLONG>(values.size());
  if constexpr (std::is_floating_point_v<T>) {
    T null = std::numeric_limits<T>::quiet_NaN();
    fits_write_imgnull(out.get(), form.type, 1, count, values.data(), &null, &status);
  } else {
    fits_write_img(out.get(), form.type, 1, count, values.data(), &status);
  }
  fits_check(status, "test", "cannot be compressed");
  return out.take();
}

// All pixels of the second HDU, decompressed by CFITSIO; NaN if undefined.
std::vector<double> by_cfitsio(std::vector<char> bytes, std::size_t count) {
  int status = 0;
  fitsfile* file = nullptr;
  void* data = bytes.data();
  std::size_t size = bytes.size();
  double null = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> values(count);
  fits_open_memfile(&file, "memory", READONLY, &data, &size, 0, nullptr, &status);
  fits_movabs_hdu(file, 2, nullptr, &status);
  fits_read_img(file, TDOUBLE, 1, static_cast<LONGLONG>(count), &null, values.data(), nullptr,
                &status);
  fits_close_file(file, &status);
  fits_check(status, "test", "cannot be decompressed");
  return values;
}

std::vector<double> by_reader(const std::vector<char>& bytes) {
  FitsReader file(bytes, "test");
  file.move_to_number(2);
  return file.read_doubles();
}

// `single`: the file has 32-bit floats, which CFITSIO returns as doubles before rounding.
void expect_same(const std::vector<char>& bytes, bool single, std::size_t count) {
  const std::vector<double> wanted = by_cfitsio(bytes, count);
  const std::vector<double> values = by_reader(bytes);
  ASSERT_EQ(values.size(), wanted.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double want = single ? static_cast<double>(static_cast<float>(wanted[i])) : wanted[i];
    if (std::isnan(want))
      EXPECT_TRUE(std::isnan(values[i])) << "pixel " << i;
    else
      EXPECT_EQ(values[i], want) << "pixel " << i;
  }
}

constexpr std::size_t npixel = 31 * 20 * 3;
const std::vector<long> cube{31, 20, 3};
// Whole rows, tiles that end at or are cut by the image's edge, one tile.
const std::vector<std::vector<long>> tilings{{31, 1, 1}, {8, 7, 2}, {31, 20, 1}, {31, 20, 3}};

template <class T>
std::vector<T> integers() {
  std::vector<T> values(npixel);
  for (std::size_t i = 0; i < npixel; ++i)
    values[i] = static_cast<T>(i % 37 == 0 ? i * 1234567891U : i % 11);
  values[5] = std::numeric_limits<T>::max();
  values[6] = std::numeric_limits<T>::min();
  return values;
}

template <class T>
std::vector<T> reals() {
  std::vector<T> values(npixel);
  for (std::size_t i = 0; i < npixel; ++i)
    values[i] = static_cast<T>(1000 + 30 * std::sin(0.9 * static_cast<double>(i * i % 1001)));
  for (std::size_t i = 40; i < 60; ++i) values[i] = 0;
  return values;
}

TEST(Unpack, Integers) {
  for (const int compression : {RICE_1, GZIP_1, GZIP_2})
    for (const std::vector<long>& tile : tilings) {
      SCOPED_TRACE(compression);
      expect_same(compressed({compression, BYTE_IMG, TBYTE, cube, tile}, integers<unsigned char>()),
                  false, npixel);
      expect_same(compressed({compression, SHORT_IMG, TSHORT, cube, tile}, integers<short>()),
                  false, npixel);
      expect_same(
          compressed({compression, USHORT_IMG, TUSHORT, cube, tile}, integers<unsigned short>()),
          false, npixel);
      expect_same(compressed({compression, LONG_IMG, TINT, cube, tile}, integers<int>()), false,
                  npixel);
      expect_same(compressed({compression, ULONG_IMG, TUINT, cube, tile}, integers<unsigned>()),
                  false, npixel);
    }
}

TEST(Unpack, RealsWithoutLoss) {
  for (const int compression : {GZIP_1, GZIP_2})
    for (const std::vector<long>& tile : tilings) {
      std::vector<float> values = reals<float>();
      values[0] = std::numeric_limits<float>::quiet_NaN();
      expect_same(compressed({compression, FLOAT_IMG, TFLOAT, cube, tile}, values), true, npixel);
      expect_same(compressed({compression, DOUBLE_IMG, TDOUBLE, cube, tile}, reals<double>()),
                  false, npixel);
    }
}

// Some tiles contain values that cannot be quantized, which are stored in a separate column.
TEST(Unpack, QuantizedReals) {
  for (const int compression : {RICE_1, GZIP_1, GZIP_2})
    for (const int dither : {NO_DITHER, SUBTRACTIVE_DITHER_1, SUBTRACTIVE_DITHER_2})
      for (const std::vector<long>& tile : tilings) {
        SCOPED_TRACE(testing::Message() << compression << ' ' << dither << ' ' << tile[1]);
        std::vector<float> values = reals<float>();
        values[100] = std::numeric_limits<float>::quiet_NaN();
        for (std::size_t i = 31 * 7; i < 31 * 8; ++i) values[i] = i % 2 == 0 ? 1e-30F : 1e30F;
        expect_same(compressed({compression, FLOAT_IMG, TFLOAT, cube, tile, 4, dither}, values),
                    true, npixel);
        expect_same(
            compressed({compression, DOUBLE_IMG, TDOUBLE, cube, tile, 16, dither}, reals<double>()),
            false, npixel);
      }
}

// After a lossless image, CFITSIO 4.2 wrongly assumes that the next image is not quantized.
TEST(Unpack, QuantizedAfterLossless) {
  const std::vector<char> lossless =
      compressed({GZIP_1, FLOAT_IMG, TFLOAT, cube, {31, 1, 1}}, reals<float>());
  const std::vector<char> quantized = compressed(
      {GZIP_1, FLOAT_IMG, TFLOAT, cube, {31, 1, 1}, 4, SUBTRACTIVE_DITHER_1}, reals<float>());
  std::vector<char> both = lossless;
  constexpr std::size_t primary = 2880;
  both.insert(both.end(), quantized.begin() + primary, quantized.end());
  FitsReader file(both, "test");
  file.move_to_number(2);
  EXPECT_EQ(file.read_doubles(), by_reader(lossless));
  file.move_to_number(3);
  EXPECT_EQ(file.read_doubles(), by_reader(quantized));
}

TEST(Rice, StopsAtTheEndOfTheStream) {
  // One pixel of 7, then a block without differences: code 0.
  const std::vector<unsigned char> stream{0, 7, 0};
  std::array<std::int16_t, 32> pixels{};
  EXPECT_TRUE(rice_decode(stream, 32, std::span<std::int16_t>(pixels)));
  for (const std::int16_t pixel : pixels) EXPECT_EQ(pixel, 7);
  for (std::size_t n = 0; n < stream.size(); ++n)
    EXPECT_FALSE(rice_decode(std::span(stream).first(n), 32, std::span<std::int16_t>(pixels)));
  // Code 1, then zeros without a final 1.
  const std::vector<unsigned char> zeros{0, 7, 0x10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  EXPECT_FALSE(rice_decode(zeros, 32, std::span<std::int16_t>(pixels)));
}

TEST(TableForm, Forms) {
  const auto bytes = [](const char* text) {
    const std::optional<TableForm> form = parse_table_form(text);
    return form ? form->bytes : -1;
  };
  EXPECT_EQ(bytes("E"), 4);
  EXPECT_EQ(bytes("3D"), 24);
  EXPECT_EQ(bytes("16A4"), 16);
  EXPECT_EQ(bytes("0J"), 0);
  EXPECT_EQ(bytes("9X"), 2);
  EXPECT_EQ(bytes("M"), 16);
  EXPECT_EQ(bytes("1PE(30)"), 8);
  EXPECT_EQ(bytes("QB"), 16);
  for (const char* bad : {"", "3", "e", " E", "E ", "-1E", "2PE", "PP", "1PE(", "1PE(3", "1PE(3)x",
                          "4E2", "4A5", "4A0", "4A4x", "1U", "99999999999999999999E"})
    EXPECT_EQ(bytes(bad), -1) << bad;
}

}  // namespace
}  // namespace spex
