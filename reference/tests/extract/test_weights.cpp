#include <limits>

#include <gtest/gtest.h>

#include "reference/extract/weights.hpp"
#include "reference/model/mask_bits.hpp"
#include "reference/tests/support/special_numbers.hpp"

namespace spex {
namespace {

using test::inf;
using test::nan;

Pixels pixels_of(double image, double ivar, std::uint32_t mask, std::uint32_t bits) {
  Preproc preproc;
  preproc.nx = preproc.ny = 1;
  preproc.image = Reals(std::vector<double>{image});
  preproc.ivar = Reals(std::vector<double>{ivar});
  preproc.mask = {mask};
  return make_pixels(std::move(preproc), bits);
}

TEST(Weights, GoodPixelKeepsValueAndWeight) {
  const Pixels pixels = pixels_of(-3, 0.25, 0, ccdmask::rejected);
  EXPECT_EQ(pixels.value[0], -3);
  EXPECT_EQ(pixels.weight[0], 0.25);
}

TEST(Weights, IvarMustBeFiniteAndPositive) {
  for (const double ivar : {0.0, -1.0, nan, inf, -inf}) {
    const Pixels pixels = pixels_of(7, ivar, 0, ccdmask::rejected);
    EXPECT_EQ(pixels.weight[0], 0) << ivar;
    EXPECT_EQ(pixels.value[0], 7) << ivar;
  }
}

TEST(Weights, ValueThatIsNotFiniteIsZeroAndUnused) {
  for (const double image : {nan, inf, -inf}) {
    const Pixels pixels = pixels_of(image, 1, 0, ccdmask::rejected);
    EXPECT_EQ(pixels.weight[0], 0) << image;
    EXPECT_EQ(pixels.value[0], 0) << image;
  }
}

TEST(Weights, EachRejectedBitRejects) {
  for (int bit = 0; bit < 32; ++bit) {
    const std::uint32_t mask = 1U << bit;
    const bool rejected = bit <= 9 && bit != 8;  // 0x2FF: BADREADNOISE (256) is accepted
    EXPECT_EQ(pixels_of(1, 1, mask, ccdmask::rejected).weight[0], rejected ? 0 : 1) << bit;
    EXPECT_EQ(pixels_of(1, 1, mask, ~0U).weight[0], 0) << bit;
    EXPECT_EQ(pixels_of(1, 1, mask, 0).weight[0], 1) << bit;
  }
}

}  // namespace
}  // namespace spex
