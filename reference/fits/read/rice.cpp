#include "reference/fits/read/rice.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace spex {
namespace {

// Reads bits of a stream, highest bit of each byte first. After the end it returns zeros and sets a
// flag.
class BitReader {
 public:
  explicit BitReader(std::span<const unsigned char> bytes) : bytes_(bytes) {}

  [[nodiscard]] bool ended() const { return ended_; }

  /// The next `count` bits, 0 to 32.
  std::uint32_t take(int count) {
    if (held_ < count) fill();
    if (held_ < count) {
      ended_ = true;
      return 0;
    }
    if (count == 0) return 0;
    const auto value = static_cast<std::uint32_t>(buffer_ >> (64 - count));
    drop(count);
    return value;
  }

  /// Counts the zeros before the next 1 bit, and consumes the zeros and the 1.
  std::uint32_t take_zeros() {
    std::uint32_t zeros = 0;
    while (buffer_ == 0) {
      zeros += static_cast<std::uint32_t>(held_);
      held_ = 0;
      fill();
      if (held_ == 0) {
        ended_ = true;
        return 0;
      }
    }
    const int before = std::countl_zero(buffer_);
    drop(before);
    drop(1);
    return zeros + static_cast<std::uint32_t>(before);
  }

 private:
  void drop(int count) {
    buffer_ <<= count;
    held_ -= count;
  }
  void fill() {
    for (; held_ <= 56 && at_ < bytes_.size(); held_ += 8)
      buffer_ |= static_cast<std::uint64_t>(bytes_[at_++]) << (56 - held_);
  }

  std::span<const unsigned char> bytes_;
  std::size_t at_ = 0;
  std::uint64_t buffer_ = 0;  // unread bits, highest first, then zeros
  int held_ = 0;
  bool ended_ = false;
};

// Table of section 10.4.1: bits of a block's code, and the code of uncompressed differences.
template <class T>
struct Code;
template <>
struct Code<std::uint8_t> {
  static constexpr int bits = 3;
  static constexpr int plain = 6;
};
template <>
struct Code<std::int16_t> {
  static constexpr int bits = 4;
  static constexpr int plain = 14;
};
template <>
struct Code<std::int32_t> {
  static constexpr int bits = 5;
  static constexpr int plain = 25;
};

template <class T>
bool decode(std::span<const unsigned char> stream, int block, std::span<T> pixels) {
  constexpr int pixel_bits = 8 * static_cast<int>(sizeof(T));
  BitReader bits(stream);
  std::uint32_t last = bits.take(pixel_bits);
  for (std::size_t begin = 0; begin < pixels.size();) {
    const int code = static_cast<int>(bits.take(Code<T>::bits)) - 1;
    const std::size_t end = std::min(pixels.size(), begin + static_cast<std::size_t>(block));
    if (bits.ended()) return false;
    if (code < 0) {  // all differences are 0: most blocks of a mask
      std::fill_n(pixels.data() + begin, end - begin, static_cast<T>(last));
      begin = end;
      continue;
    }
    for (; begin < end; ++begin) {
      std::uint32_t coded = 0;
      if (code == Code<T>::plain) {
        coded = bits.take(pixel_bits);
      } else {
        const std::uint32_t high = bits.take_zeros();
        coded = (high << code) | bits.take(code);
      }
      if (bits.ended()) return false;
      // Even codes are non-negative differences, odd codes negative differences; sums wrap.
      last += (coded & 1U) == 0 ? coded >> 1 : ~(coded >> 1);
      pixels[begin] = static_cast<T>(last);
    }
  }
  return !bits.ended();
}

}  // namespace

bool rice_decode(std::span<const unsigned char> stream, int block, std::span<std::uint8_t> pixels) {
  return decode(stream, block, pixels);
}
bool rice_decode(std::span<const unsigned char> stream, int block, std::span<std::int16_t> pixels) {
  return decode(stream, block, pixels);
}
bool rice_decode(std::span<const unsigned char> stream, int block, std::span<std::int32_t> pixels) {
  return decode(stream, block, pixels);
}

}  // namespace spex
