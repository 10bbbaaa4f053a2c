// Files inflated by the GPU, against zlib.
#include <atomic>
#include <thread>

#include "gpu/files/inflate/gzip_inflater.hpp"
#include "gpu/files/inflate/gzip_member.hpp"
#include "gpu/tests/gpu_test.hpp"
#include "gpu/tests/gzip_samples.hpp"

namespace spex::gpu {
namespace {

using test::Chars;
using GzipInflation = test::GpuTest;

std::optional<Chars> inflated(WholeInflater& inflater, const Chars& file) {
  if (!inflater.takes(file.size())) return std::nullopt;
  const std::optional<GzipMember> member = read_gzip_member(file);
  Chars memory = file;
  memory.resize(std::max(file.size(), member ? member->size : 0));
  const std::optional<std::size_t> size = inflater.inflate(memory, file.size());
  if (!size) return std::nullopt;
  memory.resize(*size);
  return memory;
}

TEST_F(GzipInflation, GivesTheBytesOfZlib) {
  GzipInflater inflater(0, {}, 1);
  for (const test::Sample& sample : test::whole_samples()) {
    SCOPED_TRACE(sample.name);
    const std::optional<Chars> found = inflated(inflater, sample.file);
    EXPECT_TRUE(found.has_value() || !sample.supported);
    EXPECT_TRUE(!found || found == test::unpacked(sample.file));
  }
}

TEST_F(GzipInflation, GivesNothingForDamagedFiles) {
  GzipInflater inflater(0, {}, 1);
  for (const test::Sample& sample : test::damaged_samples()) {
    SCOPED_TRACE(sample.name);
    const std::optional<Chars> found = inflated(inflater, sample.file);
    // bits that are not used may be wrong
    EXPECT_TRUE(!found || found == test::unpacked(sample.file));
  }
  const Chars good = test::text(100'000);
  EXPECT_EQ(inflated(inflater, test::packed(good)), std::optional(good)) << "after damaged files";
}

// An image of the size of DESI's, with little noise: a third of the bytes have links.
TEST_F(GzipInflation, InflatesALargeImage) {
  GzipInflater inflater(0);
  const Chars bytes = test::noise_image(std::size_t{4128} * 4114);
  EXPECT_TRUE(inflated(inflater, test::packed(bytes, {1})) == std::optional(bytes));
}

TEST_F(GzipInflation, LeavesSmallFilesToTheCaller) {
  GzipInflater inflater(0);
  EXPECT_FALSE(inflater.takes(GzipInflater::usual_least - 1));
  EXPECT_FALSE(inflater.takes(0));
  EXPECT_FALSE(inflater.takes(std::size_t{1} << 40));
  EXPECT_TRUE(inflater.takes(GzipInflater::usual_least));
}

TEST_F(GzipInflation, InflatesForSeveralThreadsAtOnce) {
  std::vector<std::pair<Chars, Chars>> files;
  for (unsigned seed = 0; seed < 6; ++seed) {
    Chars bytes = test::noise_image(100'000 + 70'000 * seed, seed);
    Chars file = test::packed(bytes, {1});
    files.emplace_back(std::move(bytes), std::move(file));
  }
  GzipInflater inflater(0, {}, 1);
  std::atomic<int> equal = 0;
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < files.size(); ++t)
      threads.emplace_back([&, t] {
        for (std::size_t k = 0; k < 8; ++k) {
          const auto& [bytes, file] = files[(t + k) % files.size()];
          if (inflated(inflater, file) == std::optional(bytes)) ++equal;
        }
      });
  }
  EXPECT_EQ(equal, 48);
}

TEST_F(GzipInflation, LeavesAFileWithoutRoomForItsContent) {
  GzipInflater inflater(0, {}, 1);
  Chars file = test::packed(test::text(100'000));
  EXPECT_EQ(inflater.inflate(file, file.size()), std::nullopt);
}

TEST_F(GzipInflation, PinsTheMemoryOfEachFile) {
  const Chars bytes = test::text(100'000), file = test::packed(bytes);
  for (const bool can : {true, false}) {
    int asked = 0;
    GzipInflater inflater(
        0,
        [&](const void*) {
          ++asked;
          return can;
        },
        1);
    for (int k = 0; k < 2; ++k) EXPECT_EQ(inflated(inflater, file), std::optional(bytes));
    EXPECT_EQ(asked, 2);
  }
}

}  // namespace
}  // namespace spex::gpu
