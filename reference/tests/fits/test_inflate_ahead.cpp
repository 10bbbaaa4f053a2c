// A gzip file inflated by several threads gives the bytes, or the message, of one thread.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <zlib.h>

#include "reference/core/error.hpp"
#include "reference/fits/read/block_header.hpp"
#include "reference/fits/read/fits_file.hpp"
#include "reference/fits/read/gzip_reader.hpp"
#include "reference/fits/write/gzip.hpp"
#include "reference/io/read_preproc.hpp"
#include "reference/tests/fits/fits_edit.hpp"
#include "reference/tests/fits/scratch.hpp"
#include "reference/tests/support/unzip.hpp"

namespace spex {
namespace {

using Content = std::vector<char>;

constexpr int gzip_header = 15 + 16;  // zlib's windowBits
// Parts of a few kB, so that small files have many.
constexpr InflateThreads several{.count = 3, .part = 6000};

Content noise() {
  std::mt19937_64 random(1);
  std::vector<float> numbers(50000);
  for (float& number : numbers) number = 100 + static_cast<float>(random() % 4096);
  Content bytes(numbers.size() * sizeof(float));
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}
// Bytes that come again after 20,000 others, except every fortieth: copies of the window go on
// forever.
Content repeats() {
  std::mt19937_64 random(4);
  Content bytes(600000);
  constexpr std::size_t period = 20000;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] =
        i < period || random() % 40 == 0 ? static_cast<char>(random() % 100) : bytes[i - period];
  return bytes;
}
Content random_bytes(std::size_t size) {
  std::mt19937_64 random(2);
  Content bytes(size);
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

// In blocks of 1024 symbols, so that small parts hold several.
Content zipped(const Content& bytes, int level, int strategy = Z_DEFAULT_STRATEGY) {
  constexpr int memory_level = 4;
  z_stream stream{};
  if (deflateInit2(&stream, level, Z_DEFLATED, gzip_header, memory_level, strategy) != Z_OK)
    throw std::bad_alloc();
  Content out(deflateBound(&stream, bytes.size()) + 1000);
  stream.next_in = reinterpret_cast<unsigned char*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<unsigned>(bytes.size());
  stream.next_out = reinterpret_cast<unsigned char*>(out.data());
  stream.avail_out = static_cast<unsigned>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(out.size() - stream.avail_out);
  deflateEnd(&stream);
  return out;
}

Content by_writer(const Content& bytes) {
  Content out;
  const GzipPart part{bytes};
  gzip({&part, 1}, {},
       [&](std::span<const char> more) { out.insert(out.end(), more.begin(), more.end()); });
  return out;
}

Content joined(Content first, const Content& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

// The content, or the message and what was read before.
struct Outcome {
  Content bytes;
  std::string message;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

Outcome outcome_of(const ReadAt& read_at, std::size_t size, const InflateThreads& threads,
                   std::size_t piece) {
  Outcome result;
  try {
    GzipReader reader(read_at, size, "a.gz", max_unzipped, threads);
    Content part(piece);
    for (std::size_t made = piece; made == piece;) {
      made = reader.read(part);
      result.bytes.insert(result.bytes.end(), part.begin(),
                          part.begin() + static_cast<std::ptrdiff_t>(made));
    }
  } catch (const Error& error) {
    result.message = error.what();
  }
  return result;
}

Outcome outcome(const Content& file, const InflateThreads& threads, std::size_t piece = 50000) {
  return outcome_of(read_memory_at(file), file.size(), threads, piece);
}

void expect_same(const Content& file) {
  const Outcome alone = outcome(file, {});
  for (const std::size_t piece : {std::size_t{50000}, std::size_t{2880}})
    for (const InflateThreads& threads :
         {several, InflateThreads{2, 2500}, InflateThreads{5, 20000}}) {
      const Outcome together = outcome(file, threads, piece);
      EXPECT_EQ(together.message, outcome(file, {}, piece).message);
      EXPECT_TRUE(!together.message.empty() || together.bytes == alone.bytes);
    }
}

std::vector<Content> contents() {
  return {noise(), repeats(), joined(noise(), Content(3000000, '\0')), random_bytes(200000)};
}

TEST(InflateAhead, SameBytes) {
  for (const Content& bytes : contents())
    for (const int level : {1, 4, 9}) {
      const Content file = zipped(bytes, level);
      EXPECT_EQ(outcome(file, several).bytes, bytes);
      expect_same(file);
    }
}

// The bytes that threads make ahead of the reader.
Content ahead_of(const Content& file, const InflateThreads& threads) {
  const auto ahead = inflate_ahead(read_memory_at(file), file.size(), threads);
  Content bytes;
  if (ahead == nullptr) return bytes;
  Content part(1000);
  for (std::size_t made = 1; made > 0;) {
    made = ahead->read(part);
    bytes.insert(bytes.end(), part.begin(), part.begin() + static_cast<std::ptrdiff_t>(made));
  }
  EXPECT_EQ(ahead->place().size, bytes.size());
  return bytes;
}

TEST(InflateAhead, MostBytesAreAhead) {
  if (std::string(inflate_library()) != "ISA-L") GTEST_SKIP() << "zlib inflates by one thread";
  for (const Content& bytes : {noise(), repeats()}) {
    const Content file = zipped(bytes, 6);
    for (const InflateThreads& threads : {several, InflateThreads{20, 9000}}) {
      ASSERT_GT(file.size(), 5 * threads.part);
      const Content ahead = ahead_of(file, threads);
      EXPECT_GT(ahead.size(), bytes.size() * 3 / 4);
      EXPECT_TRUE(std::equal(ahead.begin(), ahead.end(), bytes.begin()));
    }
  }
  // One thread, and a file of two parts.
  const Content file = zipped(noise(), 6);
  EXPECT_TRUE(ahead_of(file, {}).empty());
  EXPECT_TRUE(ahead_of(file, {2, file.size() / 2}).empty());
}

// A plane of zeros is left to the reader, who then goes on alone.
TEST(InflateAhead, ChunksAreLimited) {
  const Content zeros(std::size_t{36} << 20, '\0');
  const Content file = zipped(joined(joined(noise(), zeros), noise()), 6);
  constexpr InflateThreads large_parts{2, 45000};  // two at most hold all zeros
  ASSERT_GT(file.size(), 4 * large_parts.part);
  EXPECT_LT(ahead_of(file, large_parts).size(), zeros.size());
  EXPECT_EQ(outcome(file, large_parts), outcome(file, {}));
}

TEST(InflateAhead, OtherBlocks) {
  for (const Content& bytes : contents())
    for (const Content& file :
         {zipped(bytes, 0), zipped(bytes, 6, Z_FIXED), zipped(bytes, 6, Z_HUFFMAN_ONLY),
          zipped(bytes, 6, Z_RLE), by_writer(bytes)}) {
      EXPECT_EQ(outcome(file, several).bytes, bytes);
      expect_same(file);
    }
}

TEST(InflateAhead, SmallFiles) {
  for (const std::size_t size : {0, 1, 100, 1000, 7000, 13000, 40000})
    expect_same(zipped(random_bytes(size), 6));
}

TEST(InflateAhead, SeveralStreams) {
  const Content first = zipped(noise(), 6), second = zipped(repeats(), 6);
  EXPECT_EQ(outcome(joined(first, second), several).bytes, joined(noise(), repeats()));
  expect_same(joined(first, second));
  expect_same(joined(zipped(random_bytes(100), 6), first));
  expect_same(joined(first, {'x', 'y', 'z'}));
  expect_same(joined(first, Content(5000, '\0')));
}

TEST(InflateAhead, CutFiles) {
  const Content file = zipped(noise(), 6);
  for (std::size_t size = 0; size < file.size(); size += 1 + file.size() / 20)
    expect_same({file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size)});
  for (std::size_t size = file.size() - 12; size <= file.size(); ++size)
    expect_same({file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size)});
}

TEST(InflateAhead, DamagedFiles) {
  const Content file = zipped(noise(), 6);
  std::mt19937_64 random(3);
  for (int k = 0; k < 40; ++k) {
    Content damaged = file;
    damaged[random() % damaged.size()] ^= static_cast<char>(1U << random() % 8);
    expect_same(damaged);
  }
  // The checksum and the size at the end.
  for (const std::size_t at : {std::size_t{8}, std::size_t{1}}) {
    Content damaged = file;
    damaged[damaged.size() - at] ^= 1;
    EXPECT_NE(outcome(damaged, several).message, "");
    expect_same(damaged);
  }
}

// Stored blocks whose bytes are dynamic blocks: none of the blocks that are found is one.
TEST(InflateAhead, PlantedBlocks) {
  const Content inner = zipped(noise(), 6);
  const Content file = zipped(inner, 0);
  ASSERT_TRUE(find_dynamic_block(file, 8 * 20));
  EXPECT_EQ(outcome(file, several).bytes, inner);
  expect_same(file);
  // Between true blocks.
  expect_same(joined(zipped(joined(joined(noise(), inner), noise()), 6), inner));
}

// The second part of a stream alone, behind a gzip header: its matches refer to nothing.
TEST(InflateAhead, MatchesBeforeTheFirstByte) {
  const Content file = zipped(noise(), 6);
  const auto* const bytes = reinterpret_cast<const unsigned char*>(file.data());
  const auto found = find_dynamic_block(file, 8 * (file.size() / 3));
  ASSERT_TRUE(found);
  Content part(file.begin(), file.begin() + 10);
  for (std::size_t at = *found; at + 16 < 8 * file.size(); at += 8) {
    const unsigned word = bytes[at / 8] | static_cast<unsigned>(bytes[at / 8 + 1]) << 8;
    part.push_back(static_cast<char>(word >> (at % 8)));
  }
  EXPECT_NE(outcome(part, several).message, "");
  expect_same(part);
}

// An image, whole and damaged.
TEST(InflateAhead, ImageOfAFile) {
  const Content image = test::read_bytes(test::golden("tiny-b/preproc.fits"));
  const auto read = [](const Content& file, const InflateThreads& threads) {
    FitsReader reader(file, "a.fits.gz", {.images = {"IMAGE", "IVAR", "MASK"}, .inflate = threads});
    return read_preproc(reader);
  };
  Content file = zipped(image, 9);
  const Preproc alone = read(file, {}), together = read(file, several);
  EXPECT_EQ(alone.image, together.image);
  EXPECT_EQ(alone.ivar, together.ivar);
  EXPECT_EQ(alone.mask, together.mask);
  EXPECT_EQ(alone.cards, together.cards);
  EXPECT_EQ(alone.fibermap.fits, together.fibermap.fits);
  EXPECT_EQ(alone.camera, "b0");
  file[file.size() / 2] ^= 1;
  for (const InflateThreads& threads : {InflateThreads{}, several})
    test::expect_data_error([&] { static_cast<void>(read(file, threads)); }, "a.fits.gz",
                            "cannot be decompressed", "a whole gzip file");
}

// A disk error, and a file that became shorter.
TEST(InflateAhead, FaultsOfReading) {
  const Content file = zipped(noise(), 6);
  for (const std::size_t good : {file.size() / 10, file.size() / 2, file.size() - 1}) {
    const auto most = static_cast<long long>(good);
    const ReadAt fails = [&](long long offset, char* to, long long count) -> long long {
      if (offset + count > most) throw data_error("a.gz", "cannot be read");
      return read_memory_at(file)(offset, to, count);
    };
    const ReadAt shorter = read_memory_at(std::span(file).first(good));
    for (const ReadAt& read_at : {fails, shorter}) {
      const std::string alone = outcome_of(read_at, file.size(), {}, 2880).message;
      EXPECT_NE(alone, "");
      EXPECT_EQ(outcome_of(read_at, file.size(), several, 2880).message, alone);
    }
  }
}

// A reader that leaves in the middle.
TEST(InflateAhead, ReaderLeaves) {
  const Content file = zipped(noise(), 6);
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{100000}}) {
    GzipReader reader(read_memory_at(file), file.size(), "a.gz", max_unzipped, several);
    Content part(size);
    EXPECT_EQ(reader.read(part), size);
  }
}

TEST(InflateAhead, ContentIsLimited) {
  const Content file = zipped(noise(), 6);
  const std::size_t size = noise().size();
  EXPECT_EQ(test::unzip(file, "a.gz", size, several).size(), size);
  EXPECT_THROW(static_cast<void>(test::unzip(file, "a.gz", size - 1, several)), Error);
  EXPECT_THROW(static_cast<void>(test::unzip(file, "a.gz", size / 2, several)), Error);
}

TEST(InflateAhead, FindsTheBlocksOfAStream) {
  Content file = zipped(noise(), 6);
  std::vector<std::size_t> blocks;  // as zlib finds them
  Content ignored(noise().size());
  z_stream reader{};
  ASSERT_EQ(inflateInit2(&reader, gzip_header), Z_OK);
  reader.next_in = reinterpret_cast<unsigned char*>(file.data());
  reader.avail_in = static_cast<unsigned>(file.size());
  reader.next_out = reinterpret_cast<unsigned char*>(ignored.data());
  reader.avail_out = static_cast<unsigned>(ignored.size());
  while (inflate(&reader, Z_BLOCK) == Z_OK)
    blocks.push_back(8 * reader.total_in - (reader.data_type & 7U));
  inflateEnd(&reader);
  ASSERT_GT(blocks.size(), 50U);
  std::vector<std::size_t> found;
  for (auto at = find_dynamic_block(file); at; at = find_dynamic_block(file, *at + 1))
    found.push_back(*at);
  EXPECT_GT(found.size(), blocks.size() * 9 / 10);
  for (const std::size_t at : found) EXPECT_TRUE(std::ranges::count(blocks, at)) << at;
}

}  // namespace
}  // namespace spex
