#include "reference/fits/fits_checksum.hpp"

#include <cstddef>
#include <cstring>
#include <stdexcept>

#include <endian.h>

#include "reference/core/simd/also_avx2.hpp"

namespace spex {
namespace {

std::uint32_t with_carries(std::uint64_t total) {
  while (total >> 32 != 0) total = (total & 0xFFFFFFFFU) + (total >> 32);
  return static_cast<std::uint32_t>(total);
}

// A 64-bit sum holds the carries of 16 GB.
SPEX_ALSO_AVX2 std::uint64_t sum_of_words(const unsigned char* words, std::size_t count) {
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t word = 0;
    std::memcpy(&word, words + i * sizeof word, sizeof word);
    total += be32toh(word);
  }
  return total;
}

}  // namespace

std::uint32_t fits_checksum(std::span<const unsigned char> bytes, std::uint32_t sum) {
  constexpr std::size_t word = sizeof(std::uint32_t);
  if (bytes.size() % word != 0) throw std::logic_error("FITS data are not whole 32-bit words");
  return with_carries(sum + sum_of_words(bytes.data(), bytes.size() / word));
}

void FitsSum::add(std::span<const unsigned char> bytes) {
  constexpr std::size_t word = sizeof(std::uint32_t);
  const auto add_byte = [&] {
    total_ += std::uint64_t{bytes.front()} << (8 * (word - 1 - size_ % word));
    bytes = bytes.subspan(1);
    ++size_;
  };
  while (!bytes.empty() && size_ % word != 0) add_byte();
  const std::size_t words = bytes.size() / word;
  total_ += sum_of_words(bytes.data(), words);
  bytes = bytes.subspan(words * word);
  size_ += words * word;
  while (!bytes.empty()) add_byte();
}

std::uint32_t FitsSum::value() const {
  return with_carries(total_);
}

std::uint32_t add_checksums(std::uint32_t a, std::uint32_t b) {
  return with_carries(std::uint64_t{a} + b);
}

}  // namespace spex
