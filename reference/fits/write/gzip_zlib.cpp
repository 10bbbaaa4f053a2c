// Deflate by zlib.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <stdexcept>

#include <zlib.h>

#include "reference/fits/write/gzip.hpp"

namespace spex {
namespace {

const unsigned char* unsigned_chars(std::span<const char> bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

// A raw deflate stream of a piece.
class Stream {
 public:
  Stream(std::span<const char> piece, int level, std::vector<char>& to) : to_(to) {
    constexpr int raw = -15;  // no header of zlib or gzip
    constexpr int usual_memory = 8;
    if (deflateInit2(&stream_, level, Z_DEFLATED, raw, usual_memory, Z_DEFAULT_STRATEGY) != Z_OK)
      throw std::bad_alloc();
    constexpr std::size_t flush_marker = 16;
    const auto size = static_cast<unsigned>(piece.size());
    to_.resize(deflateBound(&stream_, size) + flush_marker);
    stream_.next_in = const_cast<unsigned char*>(unsigned_chars(piece));  // zlib only reads it
    stream_.avail_in = size;
    stream_.next_out = reinterpret_cast<unsigned char*>(to_.data());
    stream_.avail_out = static_cast<unsigned>(to_.size());
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { deflateEnd(&stream_); }

  void refer_to(std::span<const char> before) {
    deflateSetDictionary(&stream_, unsigned_chars(before), static_cast<unsigned>(before.size()));
  }
  void begin_with(const StartedByte& started) {
    deflatePrime(&stream_, started.bits, static_cast<int>(started.value));
  }
  void deflate(int flush) { ::deflate(&stream_, flush); }
  // Written so far.
  [[nodiscard]] std::size_t bytes() const { return to_.size() - stream_.avail_out; }
  // Bits of the byte that is not yet written.
  [[nodiscard]] int pending_bits() {
    unsigned pending = 0;
    int bits = 0;
    deflatePending(&stream_, &pending, &bits);
    if (pending != 0) throw std::logic_error("zlib did not write a piece of a file");
    return bits;
  }

 private:
  std::vector<char>& to_;
  z_stream stream_{};
};

std::uint32_t crc_of(std::span<const char> piece) {
  return static_cast<std::uint32_t>(
      crc32(0, unsigned_chars(piece), static_cast<unsigned>(piece.size())));
}

// Whether a block of a raw deflate stream after `before` holds bytes as they are (RFC 1951, type
// 0). The stream has `nbits` bits.
bool has_stored_block(std::span<const char> before, std::span<const char> stream,
                      std::size_t nbits) {
  constexpr int raw = -15;
  constexpr int unused_bits = 7, stopped_at_block = 128;  // of data_type, see inflate() in zlib.h
  z_stream reader{};
  if (inflateInit2(&reader, raw) != Z_OK) throw std::bad_alloc();
  const std::unique_ptr<z_stream, int (*)(z_stream*)> owner(&reader, inflateEnd);
  if (!before.empty())
    inflateSetDictionary(&reader, unsigned_chars(before), static_cast<unsigned>(before.size()));
  const auto bit = [&](std::size_t place) {
    return place / 8 < stream.size() &&
           (static_cast<unsigned char>(stream[place / 8]) >> (place % 8) & 1) != 0;
  };
  reader.next_in = const_cast<unsigned char*>(unsigned_chars(stream));  // zlib only reads it
  reader.avail_in = static_cast<unsigned>(stream.size());
  std::size_t place = 0;
  std::vector<unsigned char> out(std::size_t{1} << 16);
  while (place + 3 <= nbits) {
    if (!bit(place + 1) && !bit(place + 2)) return true;
    // To the end of the block.
    do {
      reader.next_out = out.data();
      reader.avail_out = static_cast<unsigned>(out.size());
      const int done = inflate(&reader, Z_BLOCK);
      if (done != Z_OK || (reader.avail_in == 0 && reader.avail_out > 0)) return false;
    } while ((reader.data_type & stopped_at_block) == 0);
    place = 8 * (stream.size() - reader.avail_in) -
            static_cast<std::size_t>(reader.data_type & unused_bits);
  }
  return false;
}

}  // namespace

void deflate_by_zlib(std::span<const char> piece, int level, bool last, DeflatedPiece& to) {
  Stream stream(piece, level, to.bytes);
  stream.deflate(last ? Z_FINISH : Z_FULL_FLUSH);
  to.bytes.resize(stream.bytes());
  to.last_bits = 8;
  to.crc = crc_of(piece);
}

void deflate_after(std::span<const char> before, std::span<const char> piece, int level,
                   DeflatedPiece& to, StartedByte started) {
  Stream stream(piece, level, to.bytes);
  if (!before.empty()) stream.refer_to(before);
  if (started.bits > 0) stream.begin_with(started);
  stream.deflate(Z_BLOCK);
  const std::size_t whole = stream.bytes();
  const int bits = stream.pending_bits();
  if (bits > 0) stream.deflate(Z_SYNC_FLUSH);  // writes the pending bits, and a mark that is cut
  to.bytes.resize(bits > 0 ? whole + 1 : whole);
  to.last_bits = bits > 0 ? bits : 8;
  to.crc = crc_of(piece);
  // A piece that begins within a byte stays where it is.
  to.has_stored_block =
      started.bits == 0 &&
      has_stored_block(before, to.bytes, 8 * to.bytes.size() - (8 - to.last_bits));
}

}  // namespace spex
