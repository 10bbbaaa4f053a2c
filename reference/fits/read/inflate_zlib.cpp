// Inflater by zlib, for builds without ISA-L.
#include <algorithm>
#include <limits>
#include <new>
#include <stdexcept>

#include <zlib.h>

#include "reference/fits/read/inflate.hpp"

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

void Inflater::reset() {
  inflateReset(&stream_->z);
}

Inflater::Step Inflater::step(std::span<const char> from, std::span<char> to) {
  constexpr std::size_t most = std::numeric_limits<unsigned>::max();
  z_stream& z = stream_->z;
  z.next_in = reinterpret_cast<unsigned char*>(const_cast<char*>(from.data()));  // not written to
  z.avail_in = static_cast<unsigned>(std::min(from.size(), most));
  z.next_out = reinterpret_cast<unsigned char*>(to.data());
  z.avail_out = static_cast<unsigned>(std::min(to.size(), most));
  const unsigned in = z.avail_in, out = z.avail_out;
  const int code = ::inflate(&z, Z_NO_FLUSH);
  Step step;
  step.read = in - z.avail_in;
  step.made = out - z.avail_out;
  step.ended = code == Z_STREAM_END;
  if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
    step.wrong = z.msg == nullptr ? "a damaged stream" : z.msg;
  return step;
}

void Inflater::resume(const StreamPlace& /*place*/) {
  throw std::logic_error("zlib inflates with one thread");
}

const char* inflate_library() {
  return "zlib";
}

}  // namespace spex
