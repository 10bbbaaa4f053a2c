#include "reference/fits/write/gzip.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <stdexcept>

#include <zlib.h>

#include "reference/core/parallel.hpp"

namespace spex {
namespace {

constexpr std::size_t piece_size = std::size_t{1} << 20;  // fits in the cache

const unsigned char* unsigned_chars(std::span<const char> bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

void deflate_by_zlib(std::span<const char> piece, int level, bool last, DeflatedPiece& to) {
  constexpr int raw = -15;  // no header of zlib or gzip
  z_stream stream{};
  if (deflateInit2(&stream, level, Z_DEFLATED, raw, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
  constexpr std::size_t flush_marker = 16;
  const auto size = static_cast<unsigned>(piece.size());
  to.bytes.resize(deflateBound(&stream, size) + flush_marker);
  stream.next_in = const_cast<unsigned char*>(unsigned_chars(piece));  // zlib does not write to it
  stream.avail_in = size;
  stream.next_out = reinterpret_cast<unsigned char*>(to.bytes.data());
  stream.avail_out = static_cast<unsigned>(to.bytes.size());
  deflate(&stream, last ? Z_FINISH : Z_FULL_FLUSH);
  to.bytes.resize(to.bytes.size() - stream.avail_out);
  deflateEnd(&stream);
  to.crc = static_cast<std::uint32_t>(crc32(0, unsigned_chars(piece), size));
}

void append_little_endian(std::uint32_t value, std::vector<char>& out) {
  for (int shift = 0; shift < 32; shift += 8) out.push_back(static_cast<char>(value >> shift));
}

// The size and CRC of the uncompressed content so far.
struct Held {
  std::uint32_t crc = 0;
  std::size_t size = 0;

  void add(std::uint32_t crc_of_more, std::size_t more) {
    crc = static_cast<std::uint32_t>(crc32_combine(crc, crc_of_more, static_cast<z_off_t>(more)));
    size += more;
  }
};

// Set `last` to end the stream.
void compress(std::span<const char> bytes, const GzipSettings& settings, bool last, Held& held,
              const std::function<void(std::span<const char>)>& write) {
  const std::size_t npieces =
      std::max<std::size_t>(1, (bytes.size() + piece_size - 1) / piece_size);
  const auto piece_of = [&](std::size_t k) {
    const std::size_t first = k * piece_size;
    return bytes.subspan(first, std::min(piece_size, bytes.size() - first));
  };
  // Compress as many pieces at a time as there are threads.
  std::vector<DeflatedPiece> round(std::min(npieces, static_cast<std::size_t>(settings.threads)));
  for (std::size_t first = 0; first < npieces; first += round.size()) {
    const std::size_t count = std::min(round.size(), npieces - first);
    parallel_for(settings.threads, static_cast<int>(count), [&](int /*thread*/, int i) {
      const std::size_t k = first + static_cast<std::size_t>(i);
      const std::span<const char> piece = piece_of(k);
      const bool ends = last && k + 1 == npieces;
      DeflatedPiece& to = round[static_cast<std::size_t>(i)];
      if (settings.level > fastest_gzip_level || !deflate_by_isal(piece, ends, to))
        deflate_by_zlib(piece, settings.level, ends, to);
    });
    for (std::size_t i = 0; i < count; ++i) {
      held.add(round[i].crc, piece_of(first + i).size());
      write(round[i].bytes);
    }
  }
}

}  // namespace

void gzip(std::span<const GzipPart> parts, const GzipSettings& settings,
          const std::function<void(std::span<const char>)>& write) {
  if (parts.empty() || parts.back().packed != nullptr)
    throw std::logic_error("the last part of a gzip stream must not be packed");
  constexpr std::array<char, 10> header{'\x1f', '\x8b', 8, 0, 0, 0, 0, 0, 0, '\xff'};
  write(header);
  Held held;
  for (const GzipPart& part : parts) {
    if (part.packed == nullptr) {
      compress(part.bytes, settings, &part == &parts.back(), held, write);
    } else {
      held.add(part.packed->crc, part.packed->size);
      write(part.packed->deflated);
    }
  }
  std::vector<char> trailer;
  append_little_endian(held.crc, trailer);
  append_little_endian(static_cast<std::uint32_t>(held.size), trailer);
  write(trailer);
}

}  // namespace spex
