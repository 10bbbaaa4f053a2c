#include "reference/fits/read/block_header.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include <endian.h>

namespace spex {
namespace {

constexpr unsigned lengths_of_lengths = 19;
constexpr unsigned literal_codes = 286, distance_codes = 30;
constexpr unsigned end_of_block = 256;
constexpr unsigned longest_length_code = 7, longest_code = 15;

// At least 57 bits of the stream from bit `at` on; 8 bytes must be there.
std::uint64_t bits_at(const char* bytes, std::size_t at) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes + at / 8, sizeof word);
  return le64toh(word) >> (at % 8);
}

// The code of code lengths: symbol and number of bits by the next 7 bits.
struct LengthCode {
  std::array<std::uint8_t, 128> symbol{}, bits{};

  // From `count` 3-bit lengths in `word`, which must make a complete code.
  LengthCode(std::uint64_t word, unsigned count) {
    static constexpr std::array<std::uint8_t, lengths_of_lengths> order{
        16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    std::array<unsigned, lengths_of_lengths> length{};
    for (unsigned i = 0; i < count; ++i) length[order[i]] = word >> (3 * i) & 7U;
    unsigned code = 0;  // of 7 bits, the first in the stream highest
    for (unsigned l = 1; l <= longest_length_code; ++l)
      for (unsigned s = 0; s < lengths_of_lengths; ++s) {
        if (length[s] != l) continue;
        unsigned reversed = 0;
        for (unsigned k = 0; k < l; ++k) reversed |= (code >> (6 - k) & 1U) << k;
        for (unsigned k = reversed; k < symbol.size(); k += 1U << l) {
          symbol[k] = static_cast<std::uint8_t>(s);
          bits[k] = static_cast<std::uint8_t>(l);
        }
        code += 128U >> l;
      }
  }
};

// Whether the lengths make a code that uses all words of 15 bits.
bool is_complete(std::span<const std::uint8_t> lengths) {
  unsigned words = 0;
  for (const std::uint8_t length : lengths)
    if (length > 0) words += (1U << longest_code) >> length;
  return words == 1U << longest_code;
}

// Whether the lengths of both codes, which begin at bit `at`, are complete codes.
bool has_complete_codes(const char* bytes, std::size_t at, const LengthCode& code,
                        unsigned literals, unsigned distances) {
  std::array<std::uint8_t, literal_codes + distance_codes> lengths{};
  const unsigned count = literals + distances;
  for (unsigned i = 0; i < count;) {
    std::uint64_t word = bits_at(bytes, at);
    const unsigned symbol = code.symbol[word & 127U];
    const unsigned bits = code.bits[word & 127U];
    word >>= bits;
    at += bits;
    if (symbol < 16) {
      lengths[i++] = static_cast<std::uint8_t>(symbol);
      continue;
    }
    const unsigned extra = symbol == 16 ? 2 : symbol == 17 ? 3 : 7;
    const unsigned times =
        (symbol == 18 ? 11U : 3U) + static_cast<unsigned>(word & ((1U << extra) - 1));
    at += extra;
    if (i + times > count || (symbol == 16 && i == 0)) return false;
    const std::uint8_t value = symbol == 16 ? lengths[i - 1] : std::uint8_t{0};
    std::fill_n(lengths.begin() + i, times, value);
    i += times;
  }
  const std::span<const std::uint8_t> all(lengths);
  const auto distance = all.subspan(literals, distances);
  // A block without distances, or with one, has an incomplete code of them.
  const auto used = std::count_if(distance.begin(), distance.end(),
                                  [](std::uint8_t length) { return length > 0; });
  return lengths[end_of_block] > 0 && is_complete(all.first(literals)) &&
         (used <= 1 || is_complete(distance));
}

bool is_dynamic_block(const char* bytes, std::size_t at) {
  constexpr unsigned not_last_and_dynamic = 4;
  const std::uint64_t head = bits_at(bytes, at);
  if ((head & 7U) != not_last_and_dynamic) return false;
  const unsigned literals = (head >> 3 & 31U) + 257, distances = (head >> 8 & 31U) + 1;
  if (literals > literal_codes || distances > distance_codes) return false;
  const unsigned count = (head >> 13 & 15U) + 4;
  const std::size_t lengths = at + 17;
  const std::uint64_t word = bits_at(bytes, lengths);
  unsigned words = 0;  // of 7 bits, that the code uses
  for (unsigned k = 0; k < count; ++k)
    if (const unsigned length = word >> (3 * k) & 7U; length > 0) words += 128U >> length;
  if (words != 128) return false;
  return has_complete_codes(bytes, lengths + 3 * count, LengthCode(word, count), literals,
                            distances);
}

}  // namespace

std::optional<std::size_t> find_dynamic_block(std::span<const char> bytes, std::size_t from) {
  if (bytes.size() < max_header_bytes) return {};
  const std::size_t end = 8 * (bytes.size() - max_header_bytes);
  for (std::size_t at = from; at < end; ++at)
    if (is_dynamic_block(bytes.data(), at)) return at;
  return {};
}

}  // namespace spex
