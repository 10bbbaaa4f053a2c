// Inflates one gzip stream by several threads.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "reference/fits/read/inflate.hpp"
#include "reference/fits/read_at.hpp"

namespace spex {

/// The threads that inflate a gzip file, and the size of their parts of it.
struct InflateThreads {
  int count = 1;                            ///< 1: the calling thread alone; 16 at most are used
  std::size_t part = std::size_t{1} << 21;  ///< compressed bytes
};

/// Threads that inflate chunks of a file's first gzip stream ahead of its reader. A chunk begins
/// and ends where dynamic blocks seem to begin. It counts only if the chunk before it ends exactly
/// where it begins. At the first doubt there are no more chunks; the reader goes on alone from the
/// last one's end, so that its bytes and errors are those of one thread.
class InflateAhead {
 public:
  InflateAhead() = default;
  InflateAhead(const InflateAhead&) = delete;
  InflateAhead& operator=(const InflateAhead&) = delete;
  virtual ~InflateAhead() = default;

  /// Copies the next bytes, and returns their number; 0 if there are no more ahead. Throws what
  /// reading the file throws.
  [[nodiscard]] virtual std::size_t read(std::span<char> to) = 0;
  /// Where the bytes end that read() has returned, once it has returned 0.
  [[nodiscard]] virtual const StreamPlace& place() const = 0;
};

/// Starts threads on the file of `size` bytes that `read_at` reads, which must be thread-safe.
/// Returns nullptr for one thread, for a file of few parts, and in builds without ISA-L.
[[nodiscard]] std::unique_ptr<InflateAhead> inflate_ahead(const ReadAt& read_at, std::size_t size,
                                                          const InflateThreads& threads);

}  // namespace spex
