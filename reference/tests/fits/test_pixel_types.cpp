// Pixels of every type that a FITS file may have.
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <fitsio.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/core/error.hpp"
#include "reference/fits/read/fits_file.hpp"
#include "reference/fits/write/fits_memory.hpp"
#include "reference/fits/write/fits_write.hpp"

namespace spex {
namespace {

// A file with one image of BITPIX `bitpix` from `values` of CFITSIO's type `type`.
template <class T>
std::vector<char> file_of(int bitpix, int type, const std::vector<T>& values) {
  FitsMemory out("test");
  create_image(out, bitpix, {static_cast<long>(values.size())});
  write_pixels(out, type, values);
  return out.take();
}

TEST(PixelTypes, FloatsStayFloats) {
  const std::vector<float> values{0.1F, -3.5e30F, 0};
  const std::vector<char> file = file_of(FLOAT_IMG, TFLOAT, values);
  const Reals reals = FitsReader(file, "test").read_reals();
  ASSERT_NE(reals.single_values(), nullptr);
  EXPECT_EQ(*reals.single_values(), values);
}

TEST(PixelTypes, ShortsAreExactAsFloats) {
  const std::vector<short> values{-32768, 32767, 5};
  const std::vector<char> file = file_of(SHORT_IMG, TSHORT, values);
  const Reals reals = FitsReader(file, "test").read_reals();
  ASSERT_NE(reals.single_values(), nullptr);
  EXPECT_EQ(reals[0], -32768);
  EXPECT_EQ(reals[1], 32767);
}

TEST(PixelTypes, DoublesStayDoubles) {
  const std::vector<double> values{0.1, 1e300};
  const std::vector<char> file = file_of(DOUBLE_IMG, TDOUBLE, values);
  const Reals reals = FitsReader(file, "test").read_reals();
  ASSERT_NE(reals.double_values(), nullptr);
  EXPECT_EQ(*reals.double_values(), values);

  const std::vector<char> whole = file_of(LONG_IMG, TINT, std::vector<int>{16777217});
  EXPECT_EQ(FitsReader(whole, "test").read_reals()[0], 16777217);
}

TEST(PixelTypes, BitsOfAnyWholeNumber) {
  const auto bits = [](const std::vector<char>& file) {
    return FitsReader(file, "test").read_bits();
  };
  constexpr std::uint32_t top = 0x80000000U;
  EXPECT_EQ(bits(file_of(LONG_IMG, TINT, std::vector<int>{-1, std::numeric_limits<int>::min()})),
            (std::vector<std::uint32_t>{~0U, top}));
  EXPECT_EQ(bits(file_of(ULONG_IMG, TUINT, std::vector<unsigned>{~0U, top})),
            (std::vector<std::uint32_t>{~0U, top}));
  EXPECT_EQ(bits(file_of(SHORT_IMG, TSHORT, std::vector<short>{-1, 256})),
            (std::vector<std::uint32_t>{~0U, 256}));
  EXPECT_EQ(bits(file_of(LONGLONG_IMG, TLONG, std::vector<long>{-1, 1L << 31})),
            (std::vector<std::uint32_t>{~0U, top}));
}

// A lost bit would turn a bad pixel into a good one.
TEST(PixelTypes, BitsOfOtherNumbersAreRejected) {
  const auto refusal = [](const std::vector<char>& file) -> std::string {
    try {
      static_cast<void>(FitsReader(file, "test").read_bits());
      return "none";
    } catch (const Error& error) {
      return error.what();
    }
  };
  using testing::HasSubstr;
  constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(refusal(file_of(FLOAT_IMG, TFLOAT, std::vector<float>{0, not_a_number})),
              HasSubstr("holds floating-point numbers"));
  EXPECT_THAT(refusal(file_of(DOUBLE_IMG, TDOUBLE, std::vector<double>{0.5})),
              HasSubstr("holds floating-point numbers"));
  EXPECT_THAT(refusal(file_of(LONGLONG_IMG, TLONG, std::vector<long>{0, 1L << 32})),
              HasSubstr("holds 4294967296"));
  EXPECT_THAT(refusal(file_of(LONGLONG_IMG, TLONG, std::vector<long>{-(1L << 31) - 1})),
              HasSubstr("holds -2147483649"));
}

}  // namespace
}  // namespace spex
