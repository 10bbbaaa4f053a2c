// Compares images packed by the GPU with images packed on the host by simple loops, and with zlib.
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <utility>

#include "gpu/files/pack_resolution.hpp"
#include "gpu/tests/gpu_test.hpp"
#include "reference/core/count.hpp"
#include "reference/tests/support/pack_image.hpp"

namespace spex::gpu {
namespace {

using spex::test::inflated;
using spex::test::pack_image;

struct Shape {
  std::size_t nrows;
  int length, ncodes;
};

class PackResolution : public test::GpuTest {
 protected:
  // Packs on the GPU, into uninitialized memory.
  [[nodiscard]] std::optional<PackedImage> pack(const std::vector<double>& values,
                                                const Shape& shape) {
    const DeviceBuffer<double> rows = to_device(values);
    packer_.survey({rows.get(), shape.nrows, shape.length, shape.ncodes});
    const std::optional<ResolutionPacker::Plan> plan = packer_.plan();
    if (!plan) return std::nullopt;
    const DeviceBuffer<std::uint32_t> to = poisoned<std::uint32_t>(plan->words());
    packer_.pack(to.get());
    const std::vector<std::uint32_t> words = to_host(to);
    PackedImage image{std::vector<char>(plan->deflated), plan->size, plan->crc, plan->datasum};
    std::memcpy(image.deflated.data(), words.data(), plan->deflated);
    end_blocks(image.deflated);
    return image;
  }

 private:
  ResolutionPacker packer_{context()};
};

std::vector<unsigned char> big_endian(const std::vector<float>& values) {
  std::vector<unsigned char> bytes;
  for (const float value : values)
    for (int shift = 24; shift >= 0; shift -= 8)
      bytes.push_back(static_cast<unsigned char>(std::bit_cast<std::uint32_t>(value) >> shift));
  return bytes;
}

// Images like R, where each diagonal has its own scale, and images with repeated or almost no
// numbers.
std::vector<std::pair<std::string, std::vector<double>>> images(const Shape& shape) {
  const std::size_t count = shape.nrows * count_of(shape.length);
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  std::vector<double> real, noise, few;
  for (std::size_t i = 0; i < count; ++i) {
    const auto d = static_cast<int>(i / count_of(shape.length) % count_of(shape.ncodes));
    real.push_back(std::exp(-d) * (1 + 0.01 * normal(random)));
    noise.push_back(normal(random));
    few.push_back(i % 5 == 0 ? 0.25 : 0);
  }
  return {{"real", real},
          {"noise", noise},
          {"few", few},
          {"zeros", std::vector<double>(count)},
          {"constant", std::vector<double>(count, -1.0 / 3)}};
}

// Rows of one block, of several blocks, with a shorter last block, and of lengths that are not
// multiples of a thread's part.
constexpr Shape shapes[]{{55, 2326, 11}, {7, 2881, 3}, {9, 3072, 1}, {5, 3073, 2},
                         {3, 10007, 5},  {40, 901, 7}, {1, 1000, 4}};

TEST_F(PackResolution, EqualsTheBytesOfTheHost) {
  for (const Shape& shape : shapes)
    for (const auto& [name, values] : images(shape)) {
      SCOPED_TRACE(testing::Message() << name << " " << shape.nrows << " x " << shape.length);
      const std::vector<float> floats(values.begin(), values.end());
      const std::optional<PackedImage> found = pack(values, shape);
      ASSERT_TRUE(found.has_value());
      const std::vector<unsigned char> bytes = big_endian(floats);
      EXPECT_EQ(found->size, bytes.size());
      EXPECT_LT(found->deflated.size(), found->size);
      EXPECT_TRUE(inflated(found->deflated, found->size) == bytes);
      const PackedImage expected =
          pack_image(floats, count_of(shape.length), count_of(shape.ncodes),
                     count_of(numbers_of_block(shape.length)));
      EXPECT_TRUE(found->deflated == expected.deflated);
      EXPECT_EQ(found->crc, expected.crc);
      EXPECT_EQ(found->datasum, expected.datasum);
      const std::optional<PackedImage> again = pack(values, shape);
      ASSERT_TRUE(again.has_value());
      EXPECT_TRUE(again->deflated == found->deflated);
    }
}

TEST_F(PackResolution, RejectsNumbersThatAreNotFiniteAsFloat) {
  const Shape shape{3, 2326, 3};
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(),
                           -std::numeric_limits<double>::infinity(), 1e300}) {
    for (const std::size_t at : {std::size_t{0}, 3 * count_of(shape.length) - 1}) {
      std::vector<double> values = images(shape).front().second;
      EXPECT_TRUE(pack(values, shape).has_value());
      values[at] = bad;
      EXPECT_FALSE(pack(values, shape).has_value());
    }
  }
}

TEST_F(PackResolution, RejectsIncompressibleRows) {
  const Shape short_rows{20, 9, 2};
  EXPECT_FALSE(pack(images(short_rows).front().second, short_rows).has_value());
  std::mt19937 random(3);
  std::vector<double> any;
  while (any.size() < 4 * 2048)  // each byte equally often, without non-finite numbers
    if (const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
        std::isfinite(value))
      any.push_back(value);
  EXPECT_FALSE(pack(any, {4, 2048, 1}).has_value());
}

}  // namespace
}  // namespace spex::gpu
