// Decompression of untrusted gzip streams.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "reference/core/error.hpp"
#include "reference/fits/bytes.hpp"
#include "reference/fits/read_at.hpp"

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

/// Upper limit of a gzip file's content, 4 GiB.
constexpr std::size_t most_unzipped = std::size_t{1} << 32;

/// Reads the content of a gzip file sequentially. The file may hold several streams; bytes after
/// the last stream are ignored. The compressed bytes are read in pieces, never as a whole.
class GzipReader {
 public:
  /// Reads the file of `size` bytes through `read_at`; `path` is its name in errors.
  GzipReader(ReadAt read_at, std::size_t size, std::string path, std::size_t most = most_unzipped);

  /// Fills `to` with the next bytes and returns their number, which is less than to.size() only at
  /// the end of the file. Throws Error(data) if a stream is damaged or cut, or if the content
  /// exceeds `most` bytes.
  [[nodiscard]] std::size_t read(std::span<char> to);
  /// Reads the rest of the file, so that all checksums are verified; returns its size, bytes.
  std::size_t skip_rest();

  /// A size to reserve: the size that the file states, limited by the usual compression ratio of
  /// images.
  [[nodiscard]] std::size_t expected_size() const;

 private:
  /// The next unconsumed compressed bytes, at least `least` bytes unless the file ends.
  std::span<const char> window(std::size_t least);
  [[nodiscard]] Error damaged(const std::string& why) const;

  ReadAt read_at_;
  std::size_t size_;
  std::string path_;
  std::size_t most_;
  std::size_t made_ = 0;
  std::size_t at_ = 0;  // offset in the file of the first byte not yet read
  Bytes buffer_;
  std::size_t begin_ = 0, end_ = 0;  // unconsumed range of the buffer
  Inflater inflater_;
  bool within_stream_ = false;
};

/// The whole content of the gzip file of `size` bytes that `read_at` reads. Memory grows with the
/// actual content, not with the size that a trailer states. Throws as GzipReader does.
[[nodiscard]] Bytes unzip(const ReadAt& read_at, std::size_t size, const std::string& path,
                          std::size_t most = most_unzipped);
/// The same for a gzip file in memory.
[[nodiscard]] Bytes unzip(std::span<const char> bytes, const std::string& path,
                          std::size_t most = most_unzipped);

}  // namespace spex
