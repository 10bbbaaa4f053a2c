#include "reference/fits/inflate_fast.hpp"

#include <algorithm>
#include <memory>
#include <new>

#include <libdeflate.h>

#include "reference/fits/inflate.hpp"

namespace spex {
namespace {

struct Free {
  void operator()(libdeflate_decompressor* one) const noexcept {
    libdeflate_free_decompressor(one);
  }
};
using Decompressor = std::unique_ptr<libdeflate_decompressor, Free>;

// A stream's last four bytes are its length, modulo 2^32, lowest first; where several follow each
// other, that of the last.
std::size_t stated_length(std::span<const char> bytes) {
  std::size_t length = 0;
  for (std::size_t k = 0; k < 4; ++k)
    length |= static_cast<std::size_t>(static_cast<unsigned char>(bytes[bytes.size() - 4 + k]))
              << (8 * k);
  return length;
}

}  // namespace

std::optional<Bytes> inflate_fast(std::span<const char> bytes, std::size_t most) {
  constexpr std::size_t shortest = 18;      // a stream's header and trailer
  constexpr std::size_t usual_ratio = 16;   // of images, with room
  constexpr std::size_t most_ratio = 1032;  // that deflate can reach
  const Decompressor decompressor(libdeflate_alloc_decompressor());
  if (!decompressor) throw std::bad_alloc();
  Bytes out;
  for (std::size_t at = 0; is_gzip(bytes.subspan(at));) {
    const std::span<const char> stream = bytes.subspan(at);
    if (stream.size() < shortest) return std::nullopt;
    const std::size_t begin = out.size();
    const std::size_t room = std::min(most - begin, most_ratio * stream.size());
    std::size_t size = std::min({stated_length(stream), usual_ratio * stream.size(), room});
    std::size_t read = 0;
    std::size_t made = 0;
    for (;;) {
      out.resize(begin + size);
      const libdeflate_result result = libdeflate_gzip_decompress_ex(
          decompressor.get(), stream.data(), stream.size(), out.data() + begin, size, &read, &made);
      if (result == LIBDEFLATE_SUCCESS) break;
      if (result != LIBDEFLATE_INSUFFICIENT_SPACE || size == room) return std::nullopt;
      size = std::min(std::max(2 * size, usual_ratio * stream.size()), room);
    }
    out.resize(begin + made);
    at += read;
  }
  return out;
}

}  // namespace spex
