// Compares the checksum with its definition and with CFITSIO's.
#include <string>
#include <vector>

#include <fitsio.h>
#include <gtest/gtest.h>

#include "reference/fits/fits_checksum.hpp"
#include "reference/fits/write/fits_memory.hpp"
#include "reference/fits/write/fits_write.hpp"

namespace spex {
namespace {

TEST(FitsChecksum, CarriesWrapAround) {
  const std::vector<unsigned char> bytes{0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 2};
  EXPECT_EQ(fits_checksum(bytes), 2U);
  EXPECT_EQ(fits_checksum(bytes, 0xFFFFFFFEU), 1U);
  EXPECT_EQ(fits_checksum({}, 7), 7U);
}

TEST(FitsChecksum, PartsAddUp) {
  const std::vector<unsigned char> all{0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 2, 9, 8, 7, 6};
  const std::span<const unsigned char> whole(all);
  EXPECT_EQ(add_checksums(fits_checksum(whole.first(8)), fits_checksum(whole.subspan(8))),
            fits_checksum(whole));
  EXPECT_EQ(add_checksums(0xFFFFFFFEU, 3), 2U);
}

TEST(FitsChecksum, WordsAreBigEndian) {
  EXPECT_EQ(fits_checksum(std::vector<unsigned char>{1, 2, 3, 4}), 0x01020304U);
}

TEST(FitsChecksum, PartialWordsAreRejected) {
  EXPECT_THROW(static_cast<void>(fits_checksum(std::vector<unsigned char>(6))), std::logic_error);
}

TEST(FitsChecksum, CfitsioAcceptsIt) {
  FitsMemory out("test");
  create_image(out, FLOAT_IMG, {100, 37});
  write_name_and_unit(out, "FLUX", "electron");
  std::vector<float> values(3700);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1.25e-3F * static_cast<float>(i * i);
  write_pixels(out, TFLOAT, values);
  int status = 0, data_ok = 0, hdu_ok = 0;
  fits_verify_chksum(out.get(), &data_ok, &hdu_ok, &status);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(data_ok, 1);
  EXPECT_EQ(hdu_ok, 1);
}

}  // namespace
}  // namespace spex
