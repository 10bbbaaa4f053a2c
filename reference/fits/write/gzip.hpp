// Gzip compression of output files.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "reference/model/packed_image.hpp"

namespace spex {

/// How a .gz file is written.
struct GzipSettings {
  /// 1: pieces of noise by Huffman codes only, others by zlib; 2 to 9: levels of zlib.
  int level = 1;
  /// Number of threads, at least 1; the output does not depend on it.
  int threads = 1;
  /// Blocks that refer to earlier bytes, without marks between pieces, as one run of zlib writes
  /// them; by zlib at every level, for one part that is not packed.
  bool as_zlib = false;
};

constexpr int fastest_gzip_level = 1;  ///< the first level
constexpr int last_gzip_level = 9;     ///< the level of the smallest files

/// A part of a gzip stream.
struct GzipPart {
  std::span<const char> bytes = {};     ///< to be compressed
  const PackedImage* packed = nullptr;  ///< compressed already, in place of `bytes`
};

/// Compresses `parts` to one gzip stream (RFC 1952) without a time stamp and passes its bytes to
/// `write` in order. Throws std::logic_error without threads or parts, and if the last part is
/// packed; passes on exceptions of `write`. Bytes are compressed in pieces of a fixed size, so that
/// the stream does not depend on the number of threads; the pieces are independent unless
/// `as_zlib`. The stream may depend on zlib's version, its decompressed content does not.
void gzip(std::span<const GzipPart> parts, const GzipSettings& settings,
          const std::function<void(std::span<const char>)>& write);

/// A piece of a deflate stream.
struct DeflatedPiece {
  std::vector<char> bytes;  ///< refer to earlier bytes only if GzipSettings::as_zlib
  int last_bits = 8;        ///< bits of the last byte that belong to the piece, the lowest
  std::uint32_t crc = 0;    ///< CRC-32 of the uncompressed bytes
  /// A block holds bytes as they are, from a whole byte of the stream on: it cannot move by bits.
  bool has_stored_block = false;
};

/// The bits of a byte that a stream ended with, the lowest.
struct StartedByte {
  int bits = 0;        ///< 0 to 7
  unsigned value = 0;  ///< of these bits
};
/// Deflates `piece` to one block of literals (literal_block.hpp); `last` ends the stream. Returns
/// false if repeats are worth a search, because a byte holds less than 4 bits, and if the block
/// would be larger than the piece.
[[nodiscard]] bool deflate_literals(std::span<const char> piece, bool last, DeflatedPiece& to);

/// Deflates `piece` by zlib; `last` ends the stream.
void deflate_by_zlib(std::span<const char> piece, int level, bool last, DeflatedPiece& to);
/// Deflates `piece` by zlib after `before`, at most 32 KiB that its blocks may refer to. Does not
/// end the stream. The piece begins with the bits of `started`, and may end in the middle of a
/// byte.
void deflate_after(std::span<const char> before, std::span<const char> piece, int level,
                   DeflatedPiece& to, StartedByte started = {});

}  // namespace spex
