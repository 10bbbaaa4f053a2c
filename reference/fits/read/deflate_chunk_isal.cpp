#include <algorithm>
#include <array>
#include <vector>

#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#include <zlib.h>

#include "reference/fits/read/deflate_chunk.hpp"
#include "reference/fits/read/inflate.hpp"

namespace spex {
namespace {

constexpr std::size_t step = std::size_t{1} << 17;  // bytes that fit in the cache

// ISA-L does not write to its input.
unsigned char* unsigned_chars(const char* bytes) {
  return reinterpret_cast<unsigned char*>(const_cast<char*>(bytes));
}

// Two windows, and for each pair of bytes the distance of its place from the end.
struct Windows {
  std::array<std::array<unsigned char, deflate_window>, 2> bytes{};
  std::vector<std::uint16_t> back = std::vector<std::uint16_t>(std::size_t{1} << 16);

  Windows() {
    std::size_t place = 0;
    for (unsigned pair = 0; place < deflate_window; ++pair) {
      const unsigned first = pair & 255U, second = pair >> 8;
      if (first == second) continue;
      bytes[0][place] = static_cast<unsigned char>(first);
      bytes[1][place] = static_cast<unsigned char>(second);
      back[pair] = static_cast<std::uint16_t>(deflate_window - place);
      ++place;
    }
  }
  [[nodiscard]] std::size_t back_of(char first, char second) const {
    const auto high = static_cast<std::size_t>(static_cast<unsigned char>(second));
    return back[static_cast<unsigned char>(first) | high << 8];
  }
};

const Windows& windows() {
  static const Windows made;
  return made;
}

// Offset behind the last difference of two results; 0 if they are equal.
std::size_t end_of_differences(std::span<const char> one, std::span<const char> other) {
  const auto equal = std::mismatch(one.rbegin(), one.rend(), other.rbegin()).first;
  return static_cast<std::size_t>(one.rend() - equal);
}

std::uint32_t crc_of(std::span<const char> bytes) {
  return crc32_gzip_refl(0, unsigned_chars(bytes.data()), bytes.size());
}

}  // namespace

std::size_t gzip_header_size(std::span<const char> bytes) {
  inflate_state state;
  isal_inflate_init(&state);
  state.next_in = unsigned_chars(bytes.data());
  state.avail_in = static_cast<std::uint32_t>(bytes.size());
  isal_gzip_header header;
  isal_gzip_header_init(&header);
  if (isal_read_gzip_header(&state, &header) != ISAL_DECOMP_OK) return 0;
  return bytes.size() - state.avail_in;
}

struct DeflateChunk::States {
  std::array<inflate_state, 2> of;

  void start(std::span<const char> stream, std::size_t begin) {
    const auto used = static_cast<int>(begin % 8);
    const std::span<const char> rest = stream.subspan((begin + 7) / 8);
    for (std::size_t k = 0; k < of.size(); ++k) {
      inflate_state& state = of[k];
      isal_inflate_init(&state);
      state.next_in = unsigned_chars(rest.data());
      state.avail_in = static_cast<std::uint32_t>(rest.size());
      if (used > 0) {
        state.read_in = static_cast<unsigned char>(stream[begin / 8]) >> used;
        state.read_in_length = 8 - used;
      }
      // ISA-L copies the window.
      isal_inflate_set_dict(&state, const_cast<unsigned char*>(windows().bytes[k].data()),
                            deflate_window);
    }
  }

  // Inflates the next bytes of result k. Returns their number, or -1 if the stream is damaged.
  std::ptrdiff_t inflate(std::size_t k, std::span<char> to) {
    inflate_state& state = of[k];
    state.next_out = unsigned_chars(to.data());
    state.avail_out = static_cast<std::uint32_t>(to.size());
    if (isal_inflate(&state) < 0) return -1;
    return static_cast<std::ptrdiff_t>(to.size() - state.avail_out);
  }

  // Whether a block begins at the last `spare` bits, and all others are used.
  [[nodiscard]] bool ends_before_a_block(std::size_t spare) const {
    const inflate_state& state = of[0];
    return state.block_state == ISAL_BLOCK_HDR && state.avail_in == 0 &&
           state.read_in_length >= 0 &&
           static_cast<std::size_t>(state.read_in_length) + 8 * state.tmp_in_size == spare;
  }
};

DeflateChunk::DeflateChunk() : states_(std::make_unique<States>()) {}
DeflateChunk::~DeflateChunk() = default;

bool DeflateChunk::inflate(std::span<const char> stream, std::size_t begin, std::size_t end,
                           std::size_t most) {
  bytes_.clear();
  other_.clear();
  head_ = 0;
  const std::size_t last = (end + 7) / 8;
  states_->start(stream.first(last), begin);
  for (std::size_t made = step; made == step;) {
    const std::size_t first = bytes_.size();
    if (first + step > most) return false;
    const bool may_copy = first < head_ + deflate_window;
    bytes_.resize(first + step);
    const std::ptrdiff_t count = states_->inflate(0, std::span(bytes_).subspan(first));
    if (count < 0) return false;
    made = static_cast<std::size_t>(count);
    bytes_.resize(first + made);
    if (!may_copy) continue;
    other_.resize(first + step);
    if (states_->inflate(1, std::span(other_).subspan(first)) != count) return false;
    other_.resize(first + made);
    const std::size_t differ =
        end_of_differences(std::span(bytes_).subspan(first), std::span(other_).subspan(first));
    if (differ > 0) head_ = first + differ;
  }
  rest_crc_ = crc_of(std::span(bytes_).subspan(head_));
  return states_->ends_before_a_block(8 * last - end);
}

bool DeflateChunk::put_window(std::span<const char> window) {
  for (std::size_t i = 0; i < head_; ++i) {
    if (bytes_[i] == other_[i]) continue;
    const std::size_t back = windows().back_of(bytes_[i], other_[i]);
    if (back > window.size()) return false;
    bytes_[i] = window[window.size() - back];
  }
  return true;
}

std::uint32_t DeflateChunk::crc() const {
  return static_cast<std::uint32_t>(crc32_combine(crc_of(std::span(bytes_).first(head_)), rest_crc_,
                                                  static_cast<z_off_t>(bytes_.size() - head_)));
}

}  // namespace spex
