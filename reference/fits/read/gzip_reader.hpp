// Decompression of untrusted gzip files.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "reference/core/error.hpp"
#include "reference/fits/bytes.hpp"
#include "reference/fits/read/inflate.hpp"
#include "reference/fits/read/inflate_ahead.hpp"
#include "reference/fits/read_at.hpp"

namespace spex {

/// Upper limit of a gzip file's content, 4 GiB.
constexpr std::size_t max_unzipped = std::size_t{1} << 32;

/// Reads the content of a gzip file sequentially. The file may hold several streams; bytes after
/// the last stream are ignored. The compressed bytes are read in pieces, never as a whole. With
/// several threads the first stream is inflated ahead (InflateAhead); bytes and errors are the
/// same.
class GzipReader {
 public:
  /// Reads the file of `size` bytes through `read_at`; `path` is its name in errors.
  GzipReader(ReadAt read_at, std::size_t size, std::string path, std::size_t most = max_unzipped,
             const InflateThreads& threads = {});

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
  /// The next bytes of a stream, inflated by this thread: all that fit, or up to the end of the
  /// stream or of the compressed bytes at hand.
  std::size_t inflate(std::span<char> to);
  /// Inflates the rest by this thread.
  void go_on_alone();
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
  std::unique_ptr<InflateAhead> ahead_;  // of the first bytes; null after them
};

}  // namespace spex
