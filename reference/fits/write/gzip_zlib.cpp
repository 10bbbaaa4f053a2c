// Deflate by zlib.
#include <cstddef>
#include <cstdint>
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

}  // namespace

void deflate_by_zlib(std::span<const char> piece, int level, bool last, DeflatedPiece& to) {
  Stream stream(piece, level, to.bytes);
  stream.deflate(last ? Z_FINISH : Z_FULL_FLUSH);
  to.bytes.resize(stream.bytes());
  to.last_bits = 8;
  to.crc = crc_of(piece);
}

void deflate_after(std::span<const char> before, std::span<const char> piece, int level,
                   DeflatedPiece& to) {
  Stream stream(piece, level, to.bytes);
  if (!before.empty()) stream.refer_to(before);
  stream.deflate(Z_BLOCK);
  const std::size_t whole = stream.bytes();
  const int bits = stream.pending_bits();
  if (bits > 0) stream.deflate(Z_SYNC_FLUSH);  // writes the pending bits, and a mark that is cut
  to.bytes.resize(bits > 0 ? whole + 1 : whole);
  to.last_bits = bits > 0 ? bits : 8;
  to.crc = crc_of(piece);
}

}  // namespace spex
