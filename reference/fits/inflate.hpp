// Gzip streams of untrusted bytes.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "reference/fits/bytes.hpp"

namespace spex {

/// Inflates gzip streams in memory, one after the other.
class Inflater {
 public:
  Inflater();

  /// True where `stream` starts with one whole gzip stream of exactly `to.size()` bytes, which are
  /// then in `to`.
  [[nodiscard]] bool inflate(std::span<const unsigned char> stream, std::span<unsigned char> to);

  /// Appends what the gzip streams `bytes` hold to `out`, bytes behind them ignored; the empty
  /// string, or what is wrong.
  [[nodiscard]] std::string inflate_all(std::span<const char> bytes, std::size_t most, Bytes& out);

 private:
  struct Stream;
  struct End {
    void operator()(Stream* stream) const noexcept;
  };
  std::unique_ptr<Stream, End> stream_;
};

/// Whether bytes start as a gzip file does.
[[nodiscard]] bool is_gzip(std::span<const char> bytes);

/// What the gzip file `bytes` holds, one stream or several, at most 4 GiB; `path` is what errors
/// call it. Throws Error(data). CFITSIO could read such a file too, but would allocate what its
/// last bytes say.
[[nodiscard]] Bytes unzip(std::span<const char> bytes, const std::string& path);

}  // namespace spex
