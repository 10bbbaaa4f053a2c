// Gzip streams of untrusted bytes.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "reference/core/error.hpp"
#include "reference/fits/bytes.hpp"
#include "reference/fits/read_at.hpp"

namespace spex {

/// Inflates one gzip stream after the other, piece by piece: by ISA-L where the build has it, else
/// by zlib.
class Inflater {
 public:
  Inflater();

  /// Forgets the current stream; the next bytes begin another one.
  void reset();

  /// What a step did.
  struct Step {
    std::size_t read = 0;  ///< bytes of the stream that were consumed
    std::size_t made = 0;  ///< bytes that were inflated
    bool ended = false;    ///< the stream is complete, and its checksum is right
    std::string wrong;     ///< what is damaged; empty where nothing is
  };
  /// Inflates the next bytes of a stream, `from`, to `to`, until one of them is used up or the
  /// stream ends.
  [[nodiscard]] Step step(std::span<const char> from, std::span<char> to);

  /// True where `stream` starts with one whole gzip stream of exactly `to.size()` bytes, which are
  /// then in `to`.
  [[nodiscard]] bool inflate(std::span<const unsigned char> stream, std::span<unsigned char> to);

 private:
  struct Stream;
  struct End {
    void operator()(Stream* stream) const noexcept;
  };
  std::unique_ptr<Stream, End> stream_;
};

/// The library that inflates: "ISA-L" or "zlib".
[[nodiscard]] const char* inflate_library();

/// Whether bytes start as a gzip file does.
[[nodiscard]] bool is_gzip(std::span<const char> bytes);

/// Most bytes that a gzip file may hold, 4 GiB.
constexpr std::size_t most_unzipped = std::size_t{1} << 32;

/// Reads what a gzip file holds from its start to its end: one stream or several; bytes behind the
/// last stream are ignored. The compressed bytes are read in pieces and are never in memory as a
/// whole.
class GzipReader {
 public:
  /// Of the file of `size` bytes that `read_at` reads; `path` is what errors call it.
  GzipReader(ReadAt read_at, std::size_t size, std::string path, std::size_t most = most_unzipped);

  /// Fills `to` with the next bytes; returns their number, which is smaller at the end of the file
  /// only. Throws Error(data) where a stream is damaged or cut, or where the file holds more than
  /// `most` bytes.
  [[nodiscard]] std::size_t read(std::span<char> to);
  /// Reads the rest, so that all checksums are verified.
  void skip_rest();

  /// Bytes to make room for: what the file states to hold, but no more than images usually do.
  [[nodiscard]] std::size_t expected_size() const;

 private:
  /// The compressed bytes that follow those consumed, at least `least` of them where there are.
  std::span<const char> window(std::size_t least);
  [[nodiscard]] Error damaged(const std::string& why) const;

  ReadAt read_at_;
  std::size_t size_;
  std::string path_;
  std::size_t most_;
  std::size_t made_ = 0;
  std::size_t at_ = 0;  // of the file: the first byte that has not been read
  Bytes buffer_;
  std::size_t begin_ = 0, end_ = 0;  // of the buffer: bytes that have not been consumed
  Inflater inflater_;
  bool within_stream_ = false;
};

/// All that the gzip file of `size` bytes holds that `read_at` reads. Memory grows with what the
/// streams hold, whatever their trailers say. Throws as GzipReader.
[[nodiscard]] Bytes unzip(const ReadAt& read_at, std::size_t size, const std::string& path,
                          std::size_t most = most_unzipped);
/// The same of a gzip file in memory.
[[nodiscard]] Bytes unzip(std::span<const char> bytes, const std::string& path,
                          std::size_t most = most_unzipped);

}  // namespace spex
