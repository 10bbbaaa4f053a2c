#include "reference/fits/big_endian.hpp"

#include "reference/core/simd/also_avx2.hpp"

namespace spex {

SPEX_ALSO_AVX2 void turn_short_words(unsigned char* words, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    std::uint16_t word = 0;
    std::memcpy(&word, words + i * sizeof word, sizeof word);
    word = htobe16(word);
    std::memcpy(words + i * sizeof word, &word, sizeof word);
  }
}

SPEX_ALSO_AVX2 void turn_words(unsigned char* words, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t word = 0;
    std::memcpy(&word, words + i * sizeof word, sizeof word);
    word = htobe32(word);
    std::memcpy(words + i * sizeof word, &word, sizeof word);
  }
}

SPEX_ALSO_AVX2 void turn_long_words(unsigned char* words, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t word = 0;
    std::memcpy(&word, words + i * sizeof word, sizeof word);
    word = htobe64(word);
    std::memcpy(words + i * sizeof word, &word, sizeof word);
  }
}

}  // namespace spex
