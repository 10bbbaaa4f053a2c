// Inflates gzip streams.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace spex {

/// Bytes in front of a block to which its matches may refer.
inline constexpr std::size_t deflate_window = std::size_t{1} << 15;

/// The last 32 KiB of `before` and `bytes`, or all of both.
[[nodiscard]] std::vector<char> last_window(std::span<const char> before,
                                            std::span<const char> bytes);

/// A place in a gzip file's first stream where a block begins.
struct StreamPlace {
  std::size_t bit = 0;            ///< of the file, where the block begins
  unsigned char last = 0;         ///< the byte with this bit, if that is not its first one
  std::vector<char> window = {};  ///< the last 32 KiB before it, or all
  std::uint32_t crc = 0;          ///< CRC-32 of all bytes before it
  std::size_t size = 0;           ///< number of these
};

/// Inflates gzip streams one after another, piece by piece, by ISA-L if available, else by zlib.
class Inflater {
 public:
  Inflater();

  /// Resets the state; the next bytes begin another stream.
  void reset();

  /// The result of a step.
  struct Step {
    std::size_t read = 0;  ///< compressed bytes consumed
    std::size_t made = 0;  ///< bytes produced
    bool ended = false;    ///< the stream is complete and its checksum is correct
    std::string wrong;     ///< the fault of a damaged stream; else empty
  };
  /// Inflates the next bytes of a stream from `from` to `to`, until either is exhausted or the
  /// stream ends.
  [[nodiscard]] Step step(std::span<const char> from, std::span<char> to);

  /// Returns true if `stream` starts with one whole gzip stream of exactly `to.size()` bytes, which
  /// are then in `to`.
  [[nodiscard]] bool inflate(std::span<const unsigned char> stream, std::span<unsigned char> to);

  /// Goes on at a place in a stream; the next bytes are those after its byte `last`. Not by zlib.
  void resume(const StreamPlace& place);

 private:
  struct Stream;
  struct End {
    void operator()(Stream* stream) const noexcept;
  };
  std::unique_ptr<Stream, End> stream_;
};

/// The inflate library: "ISA-L" or "zlib".
[[nodiscard]] const char* inflate_library();

/// Whether bytes start as a gzip file does.
[[nodiscard]] bool is_gzip(std::span<const char> bytes);

}  // namespace spex
