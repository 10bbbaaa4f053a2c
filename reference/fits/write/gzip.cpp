#include "reference/fits/write/gzip.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include <zlib.h>

#include "reference/core/count.hpp"
#include "reference/core/parallel.hpp"

namespace spex {
namespace {

constexpr std::size_t piece_size = std::size_t{1} << 20;  // fits in the cache
constexpr std::size_t window = std::size_t{1} << 15;      // of deflate

void append_little_endian(std::uint32_t value, std::vector<char>& out) {
  for (int shift = 0; shift < 32; shift += 8) out.push_back(static_cast<char>(value >> shift));
}

// The size and CRC of the uncompressed content so far.
struct Held {
  std::uint32_t crc = 0;
  std::size_t size = 0;

  void add(std::uint32_t crc_of_more, std::size_t more) {
    crc = static_cast<std::uint32_t>(crc32_combine(crc, crc_of_more, static_cast<z_off_t>(more)));
    size += more;
  }
};

// Joins pieces of a deflate stream that may end in the middle of a byte.
class Joiner {
 public:
  explicit Joiner(const std::function<void(std::span<const char>)>& write) : write_(write) {}

  void add(DeflatedPiece& piece) {
    std::vector<char>& bytes = piece.bytes;
    const int end = bits_ + piece.last_bits;  // of the piece within its last byte or the next
    if (bits_ > 0) shift(bytes);
    if (bits_ > 0 && end <= 8) bytes.pop_back();
    bits_ = end % 8;
    if (bits_ > 0) {
      held_ = static_cast<unsigned char>(bytes.back()) & ((1U << bits_) - 1);
      bytes.pop_back();
    }
    write_(bytes);
  }

  // The bits of the byte that comes next; the next piece begins with them.
  [[nodiscard]] StartedByte take() {
    const StartedByte started{bits_, held_};
    bits_ = 0;
    held_ = 0;
    return started;
  }
  [[nodiscard]] bool is_within_a_byte() const { return bits_ > 0; }

  // Ends the stream by an empty block.
  void finish() {
    DeflatedPiece block{{3, 0}, 2};  // the last block: 1, of the fixed code: 01, its end: 0000000
    add(block);
    if (bits_ > 0) write_(std::array{static_cast<char>(held_)});
  }

 private:
  // Puts the held bits before the first bit. Adds a byte.
  void shift(std::vector<char>& bytes) const {
    unsigned carried = held_;
    for (char& byte : bytes) {
      carried |= static_cast<unsigned>(static_cast<unsigned char>(byte)) << bits_;
      byte = static_cast<char>(carried);
      carried >>= 8;
    }
    bytes.push_back(static_cast<char>(carried));
  }

  const std::function<void(std::span<const char>)>& write_;
  unsigned held_ = 0;  // the lowest bits_ bits of the byte that comes next
  int bits_ = 0;
};

// Set `last` to end the stream.
void compress(std::span<const char> bytes, const GzipSettings& settings, bool last, Held& held,
              const std::function<void(std::span<const char>)>& write) {
  const std::size_t npieces =
      std::max<std::size_t>(1, (bytes.size() + piece_size - 1) / piece_size);
  const auto piece_of = [&](std::size_t k) {
    const std::size_t first = k * piece_size;
    return bytes.subspan(first, std::min(piece_size, bytes.size() - first));
  };
  const auto window_before = [&](std::size_t k) {
    const std::size_t size = k == 0 ? 0 : window;
    return bytes.subspan(k * piece_size - size, size);
  };
  Joiner joiner(write);
  // Compress a few pieces a thread at a time.
  constexpr int pieces_a_thread = 4;
  std::vector<DeflatedPiece> round(std::min(npieces, count_of(pieces_a_thread, settings.threads)));
  for (std::size_t first = 0; first < npieces; first += round.size()) {
    const std::size_t count = std::min(round.size(), npieces - first);
    parallel_for(settings.threads, static_cast<int>(count), [&](int /*thread*/, int i) {
      const std::size_t k = first + static_cast<std::size_t>(i);
      const std::span<const char> piece = piece_of(k);
      const bool ends = last && k + 1 == npieces;
      DeflatedPiece& to = round[static_cast<std::size_t>(i)];
      if (settings.as_zlib)
        deflate_after(window_before(k), piece, settings.level, to);
      else if (settings.level > fastest_gzip_level || !deflate_literals(piece, ends, to))
        deflate_by_zlib(piece, settings.level, ends, to);
    });
    for (std::size_t i = 0; i < count; ++i) {
      const std::span<const char> piece = piece_of(first + i);
      // Bytes that a block holds as they are would no longer begin at a whole byte.
      if (round[i].has_stored_block && joiner.is_within_a_byte())
        deflate_after(window_before(first + i), piece, settings.level, round[i], joiner.take());
      held.add(round[i].crc, piece.size());
      joiner.add(round[i]);
    }
  }
  if (settings.as_zlib) joiner.finish();
}

}  // namespace

void gzip(std::span<const GzipPart> parts, const GzipSettings& settings,
          const std::function<void(std::span<const char>)>& write) {
  if (parts.empty() || parts.back().packed != nullptr)
    throw std::logic_error("the last part of a gzip stream must not be packed");
  if (settings.as_zlib && parts.size() > 1)
    throw std::logic_error("a gzip stream as zlib writes it has one part");
  if (settings.threads < 1) throw std::logic_error("gzip needs a thread");
  constexpr std::array<char, 10> header{'\x1f', '\x8b', 8, 0, 0, 0, 0, 0, 0, '\xff'};
  write(header);
  Held held;
  for (const GzipPart& part : parts) {
    if (part.packed == nullptr) {
      compress(part.bytes, settings, &part == &parts.back(), held, write);
    } else {
      held.add(part.packed->crc, part.packed->size);
      write(part.packed->deflated);
    }
  }
  std::vector<char> trailer;
  append_little_endian(held.crc, trailer);
  append_little_endian(static_cast<std::uint32_t>(held.size), trailer);
  write(trailer);
}

}  // namespace spex
