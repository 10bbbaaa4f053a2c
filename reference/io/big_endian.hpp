// Numbers in the byte order of FITS, and back.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include <endian.h>

#include "reference/io/read_at.hpp"

namespace spex {

/// Writes `count` numbers as To, the largest byte first; `to` need not be aligned.
template <class To, class From>
void store_big_endian(const From* from, std::size_t count, unsigned char* to) {
  using Word = std::conditional_t<sizeof(To) == 4, std::uint32_t, std::uint64_t>;
  static_assert(sizeof(To) == sizeof(Word));
  for (std::size_t i = 0; i < count; ++i) {
    Word word = std::bit_cast<Word>(static_cast<To>(from[i]));
    if constexpr (sizeof(Word) == 4)
      word = htobe32(word);
    else
      word = htobe64(word);
    std::memcpy(to + i * sizeof word, &word, sizeof word);
  }
}

/// Appends `count` numbers of 4 bytes that stand at `offset` of a file. False where the file has
/// less.
template <class T>
bool append_big_endian(const ReadAt& read_at, long long offset, std::size_t count,
                       std::vector<T>& to) {
  static_assert(sizeof(T) == sizeof(std::uint32_t));
  constexpr std::size_t most = std::size_t{1} << 16;  // numbers that stay in a cache
  std::vector<T> numbers(std::min(most, count));
  to.reserve(to.size() + count);
  while (count > 0) {
    const std::size_t n = std::min(most, count);
    const auto bytes = static_cast<long long>(n * sizeof(T));
    if (read_at(offset, reinterpret_cast<char*>(numbers.data()), bytes) != bytes) return false;
    for (std::size_t i = 0; i < n; ++i)
      numbers[i] = std::bit_cast<T>(be32toh(std::bit_cast<std::uint32_t>(numbers[i])));
    to.insert(to.end(), numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(n));
    offset += bytes;
    count -= n;
  }
  return true;
}

}  // namespace spex
