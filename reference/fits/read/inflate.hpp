// Inflates gzip streams.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace spex {

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
