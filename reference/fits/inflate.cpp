#include "reference/fits/inflate.hpp"

#include <algorithm>
#include <limits>
#include <new>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <zlib.h>

#include "reference/core/error.hpp"
#include "reference/fits/inflate_fast.hpp"

namespace spex {

struct Inflater::Stream {
  z_stream z{};
};

void Inflater::End::operator()(Stream* stream) const noexcept {
  inflateEnd(&stream->z);
  delete stream;
}

Inflater::Inflater() {
  constexpr int gzip_header = 15 + 16;
  auto stream = std::make_unique<Stream>();
  if (inflateInit2(&stream->z, gzip_header) != Z_OK) throw std::bad_alloc();
  stream_.reset(stream.release());
}

bool Inflater::inflate(std::span<const unsigned char> stream, std::span<unsigned char> to) {
  constexpr std::size_t most = std::numeric_limits<unsigned>::max();
  z_stream& z = stream_->z;
  if (stream.size() > most || to.size() > most || inflateReset(&z) != Z_OK) return false;
  z.next_in = const_cast<unsigned char*>(stream.data());  // zlib does not write to it
  z.avail_in = static_cast<unsigned>(stream.size());
  z.next_out = to.data();
  z.avail_out = static_cast<unsigned>(to.size());
  return ::inflate(&z, Z_FINISH) == Z_STREAM_END && z.avail_out == 0;
}

std::string Inflater::inflate_all(std::span<const char> bytes, std::size_t most, Bytes& out) {
  constexpr std::size_t piece = std::size_t{1} << 22;
  z_stream& z = stream_->z;
  inflateReset(&z);
  const auto give = [&](std::size_t at) {
    z.next_in = reinterpret_cast<unsigned char*>(const_cast<char*>(bytes.data())) + at;
    z.avail_in = static_cast<unsigned>(std::min(bytes.size() - at, std::size_t{1} << 30));
  };
  std::size_t at = 0;
  Bytes buffer(std::min(piece, std::max<std::size_t>(4096, 4 * bytes.size())));
  while (true) {
    give(at);
    z.next_out = reinterpret_cast<unsigned char*>(buffer.data());
    z.avail_out = static_cast<unsigned>(buffer.size());
    const unsigned before = z.avail_in;
    const int code = ::inflate(&z, Z_NO_FLUSH);
    const std::size_t made = buffer.size() - z.avail_out;
    at += before - z.avail_in;
    if (made > most - out.size()) return fmt::format("more than {} bytes", most);
    out.insert(out.end(), buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(made));
    if (code == Z_STREAM_END) {
      if (!is_gzip(bytes.subspan(at))) return "";
      inflateReset(&z);
    } else if (code == Z_BUF_ERROR || (code == Z_OK && made == 0 && at == bytes.size())) {
      return "it ends early";
    } else if (code != Z_OK) {
      return z.msg == nullptr ? "a damaged stream" : z.msg;
    }
  }
}

bool is_gzip(std::span<const char> bytes) {
  return bytes.size() >= 2 && bytes[0] == '\x1f' && bytes[1] == '\x8b';
}

Bytes unzip(std::span<const char> bytes, const std::string& path) {
  constexpr std::size_t most = std::size_t{1} << 32;
  if (std::optional<Bytes> whole = inflate_fast(bytes, most)) return std::move(*whole);
  Bytes out;
  const std::string wrong = Inflater().inflate_all(bytes, most, out);
  if (!wrong.empty())
    throw data_error(path, "cannot be decompressed: " + wrong, "a whole gzip file");
  return out;
}

}  // namespace spex
