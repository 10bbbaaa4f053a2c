// Conversion between native and big-endian (FITS) byte order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <endian.h>

namespace spex {

/// Swaps the bytes of `count` 2-byte words between native and FITS byte order; no alignment
/// required.
void turn_short_words(unsigned char* words, std::size_t count);
/// The same for 4-byte words.
void turn_words(unsigned char* words, std::size_t count);
/// The same for 8-byte words.
void turn_long_words(unsigned char* words, std::size_t count);

/// Turns `count` numbers in place between native and FITS byte order.
template <class T>
void turn_numbers(T* numbers, std::size_t count) {
  static_assert(sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8);
  auto* const bytes = reinterpret_cast<unsigned char*>(numbers);
  if constexpr (sizeof(T) == 2) turn_short_words(bytes, count);
  if constexpr (sizeof(T) == 4) turn_words(bytes, count);
  if constexpr (sizeof(T) == 8) turn_long_words(bytes, count);
}

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

}  // namespace spex
