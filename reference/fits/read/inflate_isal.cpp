// Inflater by ISA-L.
#include <algorithm>
#include <limits>

#include <isa-l/igzip_lib.h>

#include "reference/fits/read/inflate.hpp"

namespace spex {
namespace {

// Uses zlib's messages.
const char* text_of(int code) {
  switch (code) {
    case ISAL_INVALID_BLOCK:
      return "invalid block";
    case ISAL_INVALID_SYMBOL:
      return "invalid code";
    case ISAL_INVALID_LOOKBACK:
      return "invalid distance too far back";
    case ISAL_INVALID_WRAPPER:
      return "incorrect header check";
    case ISAL_UNSUPPORTED_METHOD:
      return "unknown compression method";
    case ISAL_INCORRECT_CHECKSUM:
      return "incorrect data check";
    default:
      return "a damaged stream";
  }
}

}  // namespace

struct Inflater::Stream {
  inflate_state state;
};

void Inflater::End::operator()(Stream* stream) const noexcept {
  delete stream;
}

Inflater::Inflater() : stream_(new Stream) {
  reset();
}

void Inflater::reset() {
  isal_inflate_init(&stream_->state);
  stream_->state.crc_flag = ISAL_GZIP;
}

void Inflater::resume(const StreamPlace& place) {
  inflate_state& state = stream_->state;
  isal_inflate_init(&state);
  // The gzip header is past; the trailer is compared with these.
  state.crc_flag = ISAL_GZIP_NO_HDR_VER;
  state.crc = place.crc;
  state.total_out = static_cast<std::uint32_t>(place.size);
  // ISA-L copies the window.
  if (!place.window.empty())
    isal_inflate_set_dict(&state,
                          reinterpret_cast<unsigned char*>(const_cast<char*>(place.window.data())),
                          static_cast<std::uint32_t>(place.window.size()));
  if (const std::size_t used = place.bit % 8; used > 0) {
    state.read_in = static_cast<std::uint64_t>(place.last) >> used;
    state.read_in_length = static_cast<int>(8 - used);
  }
}

Inflater::Step Inflater::step(std::span<const char> from, std::span<char> to) {
  constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max();
  inflate_state& state = stream_->state;
  // ISA-L does not write to its input.
  state.next_in = reinterpret_cast<unsigned char*>(const_cast<char*>(from.data()));
  state.avail_in = static_cast<std::uint32_t>(std::min(from.size(), most));
  state.next_out = reinterpret_cast<unsigned char*>(to.data());
  state.avail_out = static_cast<std::uint32_t>(std::min(to.size(), most));
  const std::uint32_t in = state.avail_in, out = state.avail_out;
  const int code = isal_inflate(&state);
  Step step;
  step.read = in - state.avail_in;
  step.made = out - state.avail_out;
  step.ended = state.block_state == ISAL_BLOCK_FINISH;
  if (code < 0) step.wrong = text_of(code);
  return step;
}

const char* inflate_library() {
  return "ISA-L";
}

}  // namespace spex
