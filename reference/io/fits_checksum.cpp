#include "reference/io/fits_checksum.hpp"

#include <cstddef>
#include <cstring>
#include <stdexcept>

#include <arpa/inet.h>

namespace spex {
namespace {

std::uint32_t with_carries(std::uint64_t total) {
  while (total >> 32 != 0) total = (total & 0xFFFFFFFFU) + (total >> 32);
  return static_cast<std::uint32_t>(total);
}

}  // namespace

std::uint32_t fits_checksum(std::span<const unsigned char> bytes, std::uint32_t sum) {
  if (bytes.size() % 4 != 0) throw std::logic_error("FITS data that are no whole words");
  // 64 bits hold the carries of 16 GB.
  std::uint64_t total = sum;
  for (std::size_t i = 0; i < bytes.size(); i += 4) {
    std::uint32_t word = 0;
    std::memcpy(&word, bytes.data() + i, sizeof word);
    total += ntohl(word);
  }
  return with_carries(total);
}

std::uint32_t add_checksums(std::uint32_t a, std::uint32_t b) {
  return with_carries(std::uint64_t{a} + b);
}

}  // namespace spex
