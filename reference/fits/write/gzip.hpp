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
  /// 1: Huffman codes and near repeats only, by ISA-L if available; 2 to 9: levels of zlib.
  int level = 1;
  /// Number of threads; the output does not depend on it.
  int threads = 1;
};

constexpr int fastest_gzip_level = 1;  ///< the first level
constexpr int last_gzip_level = 9;     ///< the level of the smallest files

/// A part of a gzip stream.
struct GzipPart {
  std::span<const char> bytes = {};     ///< to be compressed
  const PackedImage* packed = nullptr;  ///< compressed already, in place of `bytes`
};

/// Compresses `parts` to one gzip stream (RFC 1952) without a time stamp and passes its bytes to
/// `write` in order. The last part must not be packed. Bytes are compressed in independent pieces
/// of a fixed size, so that the stream does not depend on the number of threads. The stream depends
/// on the library and, with ISA-L, may depend on the processor; its decompressed content does not.
void gzip(std::span<const GzipPart> parts, const GzipSettings& settings,
          const std::function<void(std::span<const char>)>& write);

/// A piece of a deflate stream.
struct DeflatedPiece {
  std::vector<char> bytes;  ///< end on a whole byte; do not refer to earlier bytes
  std::uint32_t crc = 0;    ///< CRC-32 of the uncompressed bytes
};
/// Deflates `piece` by ISA-L; `last` ends the stream. Returns false if the build has no ISA-L.
[[nodiscard]] bool deflate_by_isal(std::span<const char> piece, bool last, DeflatedPiece& to);

}  // namespace spex
