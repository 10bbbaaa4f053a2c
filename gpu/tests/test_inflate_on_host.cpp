// The functions of the GPU's inflation, run on the host, against zlib.
#include <gtest/gtest.h>

#include "gpu/tests/gzip_samples.hpp"
#include "gpu/tests/inflate_on_host.hpp"

namespace spex::gpu {
namespace {

TEST(InflateOnHost, GivesTheBytesOfZlib) {
  for (const test::Sample& sample : test::whole_samples()) {
    SCOPED_TRACE(sample.name);
    const std::optional<test::Chars> expected = test::unpacked(sample.file);
    ASSERT_TRUE(expected.has_value());
    const std::optional<test::Chars> found = test::inflate_on_host(sample.file);
    EXPECT_TRUE(found.has_value() || !sample.supported);
    EXPECT_TRUE(!found || found == expected);
  }
}

TEST(InflateOnHost, GivesNothingForDamagedFiles) {
  for (const test::Sample& sample : test::damaged_samples()) {
    SCOPED_TRACE(sample.name);
    const std::optional<test::Chars> found = test::inflate_on_host(sample.file);
    // bits that are not used may be wrong
    EXPECT_TRUE(!found || found == test::unpacked(sample.file));
  }
}

// The trailer's size alone decides how much memory is needed.
TEST(InflateOnHost, LimitsTheSizeOfTheTrailer) {
  test::Chars file = test::packed(test::Chars(1'000'000));
  ASSERT_TRUE(read_gzip_member(file).has_value());
  for (const int high : {0x7F, 0x80, 0xFF}) {
    file.back() = static_cast<char>(high);
    EXPECT_FALSE(read_gzip_member(file).has_value());
  }
}

// A header with all optional fields.
TEST(InflateOnHost, ReadsOptionalFieldsOfTheHeader) {
  const test::Chars bytes = test::text(20'000), plain = test::packed(bytes);
  test::Chars file(plain.begin(), plain.begin() + 10);
  file[3] = 2 + 4 + 8 + 16;
  for (const char byte : {'\x03', '\0', 'a', 'b', 'c', 'n', '\0', 'c', 'o', '\0', '\x12', '\x34'})
    file.push_back(byte);
  const std::size_t begin = file.size();
  file.insert(file.end(), plain.begin() + 10, plain.end());
  const std::optional<GzipMember> member = read_gzip_member(file);
  ASSERT_TRUE(member.has_value());
  EXPECT_EQ(member->begin, begin);
  EXPECT_EQ(member->size, bytes.size());
  EXPECT_EQ(test::inflate_on_host(file), std::optional(bytes));
}

}  // namespace
}  // namespace spex::gpu
