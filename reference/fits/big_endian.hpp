// Numbers in the byte order of FITS, and back.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include <endian.h>

#include "reference/fits/read_at.hpp"

namespace spex {

/// Turns `count` words of 4 bytes from the processor's byte order into that of FITS, or back; they
/// need not be aligned.
void turn_words(unsigned char* words, std::size_t count);
/// The same of words of 8 bytes.
void turn_long_words(unsigned char* words, std::size_t count);

/// Writes `count` numbers as To, the largest byte first; `to` need not be aligned.
template <class To, class From>
void store_big_endian(const From* from, std::size_t count, unsigned char* to) {
  static_assert(sizeof(To) == 4 || sizeof(To) == 8);
  for (std::size_t i = 0; i < count; ++i) {
    const To value = static_cast<To>(from[i]);
    std::memcpy(to + i * sizeof value, &value, sizeof value);
  }
  if constexpr (sizeof(To) == 4)
    turn_words(to, count);
  else
    turn_long_words(to, count);
}

/// Appends `count` numbers of 4 bytes that stand at `offset` of a file. False where the file has
/// less; what was appended is then of no use.
template <class T>
bool append_big_endian(const ReadAt& read_at, long long offset, std::size_t count,
                       std::vector<T>& to) {
  static_assert(sizeof(T) == sizeof(std::uint32_t));
  constexpr std::size_t most = std::size_t{1} << 16;  // numbers that stay in a cache
  to.reserve(to.size() + count);
  while (count > 0) {
    const std::size_t n = std::min(most, count);
    const auto bytes = static_cast<long long>(n * sizeof(T));
    to.resize(to.size() + n);
    auto* const numbers = reinterpret_cast<char*>(to.data() + to.size() - n);
    if (read_at(offset, numbers, bytes) != bytes) return false;
    turn_words(reinterpret_cast<unsigned char*>(numbers), n);
    offset += bytes;
    count -= n;
  }
  return true;
}

}  // namespace spex
