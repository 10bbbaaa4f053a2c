// Conversion between native and big-endian (FITS) byte order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include <endian.h>

#include "reference/fits/read_at.hpp"

namespace spex {

/// Swaps the bytes of `count` 4-byte words between native and FITS byte order; no alignment
/// required.
void turn_words(unsigned char* words, std::size_t count);
/// The same for 8-byte words.
void turn_long_words(unsigned char* words, std::size_t count);

/// Writes `count` numbers as big-endian To; `to` need not be aligned.
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

/// Appends `count` 4-byte numbers that begin at `offset` of a file. Returns false if the file is
/// too short; the appended numbers are then undefined.
template <class T>
bool append_big_endian(const ReadAt& read_at, long long offset, std::size_t count,
                       std::vector<T>& to) {
  static_assert(sizeof(T) == sizeof(std::uint32_t));
  constexpr std::size_t most = std::size_t{1} << 16;  // numbers that fit in the cache
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
