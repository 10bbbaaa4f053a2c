// Files inflated by the GPU, against zlib.
#include <atomic>
#include <thread>

#include "gpu/files/inflate/gzip_inflater.hpp"
#include "gpu/tests/gpu_test.hpp"
#include "gpu/tests/gzip_samples.hpp"

namespace spex::gpu {
namespace {

using test::Chars;
using GzipInflation = test::GpuTest;

std::optional<Chars> inflated(WholeInflater& inflater, const Chars& file) {
  const std::unique_ptr<InflatedFile> whole = inflater.begin(file.size());
  if (whole == nullptr) return std::nullopt;
  EXPECT_EQ(whole->compressed().size(), file.size());
  std::ranges::copy(file, whole->compressed().begin());
  const std::optional<std::span<const char>> bytes = whole->inflate();
  if (!bytes) return std::nullopt;
  return Chars(bytes->begin(), bytes->end());
}

TEST_F(GzipInflation, GivesTheBytesOfZlib) {
  GzipInflater inflater(0, 1, 1);
  for (const test::Sample& sample : test::whole_samples()) {
    SCOPED_TRACE(sample.name);
    const std::optional<Chars> found = inflated(inflater, sample.file);
    EXPECT_TRUE(found.has_value() || !sample.supported);
    EXPECT_TRUE(!found || found == test::unpacked(sample.file));
  }
}

TEST_F(GzipInflation, GivesNothingForDamagedFiles) {
  GzipInflater inflater(0, 1, 1);
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
  GzipInflater inflater(0, 1);
  const Chars bytes = test::noise_image(std::size_t{4128} * 4114);
  EXPECT_TRUE(inflated(inflater, test::packed(bytes, {1})) == std::optional(bytes));
}

TEST_F(GzipInflation, LeavesSmallFilesToTheCaller) {
  GzipInflater inflater(0, 1);
  EXPECT_EQ(inflater.begin(GzipInflater::usual_least - 1), nullptr);
  EXPECT_EQ(inflater.begin(0), nullptr);
  EXPECT_EQ(inflater.begin(std::size_t{1} << 40), nullptr);
  EXPECT_NE(inflater.begin(GzipInflater::usual_least), nullptr);
}

TEST_F(GzipInflation, InflatesForSeveralThreadsAtOnce) {
  std::vector<std::pair<Chars, Chars>> files;
  for (unsigned seed = 0; seed < 6; ++seed) {
    Chars bytes = test::noise_image(100'000 + 70'000 * seed, seed);
    Chars file = test::packed(bytes, {1});
    files.emplace_back(std::move(bytes), std::move(file));
  }
  auto inflater = std::make_unique<GzipInflater>(0, 3, 1);
  std::atomic<int> equal = 0;
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < files.size(); ++t)
      threads.emplace_back([&, t] {
        for (std::size_t k = 0; k < 8; ++k) {
          const auto& [bytes, file] = files[(t + k) % files.size()];
          if (inflated(*inflater, file) == std::optional(bytes)) ++equal;
        }
      });
  }
  EXPECT_EQ(equal, 48);
}

TEST_F(GzipInflation, WaitsForMemoryOfEarlierFiles) {
  auto inflater = std::make_unique<GzipInflater>(0, 1, 1);
  std::unique_ptr<InflatedFile> first = inflater->begin(100);
  std::atomic<bool> begun = false;
  std::jthread second([&] {
    const std::unique_ptr<InflatedFile> file = inflater->begin(100);
    begun = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_FALSE(begun);
  first.reset();
  second.join();
  EXPECT_TRUE(begun);
}

TEST_F(GzipInflation, FilesMayOutliveTheInflater) {
  const Chars bytes = test::text(100'000), file = test::packed(bytes);
  auto inflater = std::make_unique<GzipInflater>(0, 1, 1);
  const std::unique_ptr<InflatedFile> whole = inflater->begin(file.size());
  inflater.reset();
  ASSERT_NE(whole, nullptr);
  std::ranges::copy(file, whole->compressed().begin());
  const std::optional<std::span<const char>> found = whole->inflate();
  ASSERT_TRUE(found.has_value());
  EXPECT_TRUE(std::ranges::equal(*found, bytes));
}

}  // namespace
}  // namespace spex::gpu
