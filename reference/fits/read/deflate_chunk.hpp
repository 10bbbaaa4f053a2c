// A part of a deflate stream that is inflated before the bytes in front of it are known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "reference/fits/bytes.hpp"

namespace spex {

/// The size of a gzip header at the start of `bytes`; 0 if there is no whole valid one.
[[nodiscard]] std::size_t gzip_header_size(std::span<const char> bytes);

/// Inflates chunks of a deflate stream, by ISA-L. Matches may refer to the 32 KiB in front of the
/// chunk, its window, which is not known. So the head of the chunk is inflated twice, with two
/// windows that have a different pair of bytes at each place, and never two equal bytes. Where the
/// results differ, the byte is a copy of the window's byte at the place of the pair. Once the last
/// 32 KiB hold no copies, no later byte refers to the window, and one result suffices.
class DeflateChunk {
 public:
  DeflateChunk();
  ~DeflateChunk();
  DeflateChunk(const DeflateChunk&) = delete;
  DeflateChunk& operator=(const DeflateChunk&) = delete;

  /// Inflates the blocks from bit `begin` to bit `end` of `stream`. Returns false if there is any
  /// doubt: the stream is damaged, holds more than `most` bytes, or no block ends at `end`.
  [[nodiscard]] bool inflate(std::span<const char> stream, std::size_t begin, std::size_t end,
                             std::size_t most);
  /// Replaces all copies by the bytes of the window: the last 32 KiB in front of the chunk, or all
  /// bytes if there are fewer. Returns false if a copy is of a byte before the first one.
  [[nodiscard]] bool put_window(std::span<const char> window);
  /// The inflated bytes, after put_window.
  [[nodiscard]] std::span<const char> bytes() const { return bytes_; }
  /// Their CRC-32, after put_window.
  [[nodiscard]] std::uint32_t crc() const;

 private:
  struct States;

  std::unique_ptr<States> states_;
  Bytes bytes_;
  Bytes other_;                 // the second result, of the head
  std::size_t head_ = 0;        // bytes up to the last copy
  std::uint32_t rest_crc_ = 0;  // of the bytes after them
};

}  // namespace spex
