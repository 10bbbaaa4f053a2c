// Gzip streams of files that are written.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "reference/model/packed_image.hpp"

namespace spex {

/// How a .gz file is written.
struct GzipSettings {
  /// 1: Huffman codes and near repeats only, by ISA-L where the build has it; 2 to 9: zlib's
  /// levels.
  int level = 1;
  /// That compress; the bytes are the same.
  int threads = 1;
};

constexpr int fastest_gzip_level = 1;  ///< the first level
constexpr int last_gzip_level = 9;     ///< the level of the smallest files

/// A part of what a gzip stream holds.
struct GzipPart {
  std::span<const char> bytes = {};     ///< to be compressed
  const PackedImage* packed = nullptr;  ///< compressed already, in place of `bytes`
};

/// Makes one gzip stream (RFC 1952) of `parts`, the last of which is not packed, without a time
/// stamp, and gives its bytes to `write` in their order. Bytes are compressed in pieces of a fixed
/// size, each by itself, so that the stream does not depend on the number of threads. It does
/// depend on the library and, with ISA-L, may depend on the processor; what the stream holds does
/// not.
void gzip(std::span<const GzipPart> parts, const GzipSettings& settings,
          const std::function<void(std::span<const char>)>& write);

/// A piece of a deflate stream.
struct DeflatedPiece {
  std::vector<char> bytes;  ///< end on a whole byte, and refer to nothing before them
  std::uint32_t crc = 0;    ///< CRC-32 of what they hold
};
/// Deflates `piece` by ISA-L; `last` ends the stream. False where the build has no ISA-L.
[[nodiscard]] bool deflate_by_isal(std::span<const char> piece, bool last, DeflatedPiece& to);

}  // namespace spex
