#include "reference/fuzz/mutate.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

namespace spex::fuzz {
namespace {

constexpr std::size_t card_size = 80;
constexpr std::size_t block_size = 2880;

// Modulo keeps the sequence the same with every standard library, which std::uniform_int_
// distribution does not promise.
std::size_t below(std::size_t n, std::mt19937_64& random) {
  return n == 0 ? 0 : static_cast<std::size_t>(random() % n);
}

// Where the cards of all headers start, END cards left out.
std::vector<std::size_t> header_cards(const std::vector<char>& bytes) {
  std::vector<std::size_t> cards;
  bool in_header = false;
  for (std::size_t block = 0; block + block_size <= bytes.size(); block += block_size) {
    const std::string_view text(bytes.data() + block, block_size);
    in_header = in_header || text.starts_with("SIMPLE  =") || text.starts_with("XTENSION=");
    for (std::size_t at = 0; in_header && at < block_size; at += card_size) {
      if (text.substr(at, 8) == "END     ")
        in_header = false;
      else
        cards.push_back(block + at);
    }
  }
  return cards;
}

void flip_bits(std::vector<char>& bytes, std::mt19937_64& random) {
  for (std::size_t n = 1 + below(8, random); n > 0 && !bytes.empty(); --n)
    bytes[below(bytes.size(), random)] ^= static_cast<char>(1U << below(8, random));
}

std::string damaged_value(const std::string& old, std::mt19937_64& random) {
  static constexpr std::array values{"-1",
                                     "0",
                                     "1",
                                     "2",
                                     "3",
                                     "8",
                                     "16",
                                     "999",
                                     "1000",
                                     "1000000",
                                     "2147483647",
                                     "2147483648",
                                     "-2147483648",
                                     "4294967296",
                                     "99999999999",
                                     "4611686018427387904",
                                     "9223372036854775807",
                                     "-9223372036854775808",
                                     "1E30",
                                     "-1E300",
                                     "1E999",
                                     "1E-320",
                                     "0.5",
                                     "NaN",
                                     "INF",
                                     "T",
                                     "F",
                                     "'text'",
                                     "''",
                                     "'",
                                     "",
                                     "(1,2)",
                                     "'8A'",
                                     "'1000000000D'",
                                     "'0D'",
                                     "'PD(9)'",
                                     "'QJ'",
                                     "'X'",
                                     "'(3,-1)'",
                                     "'(99999,99999,99999)'",
                                     "'RICE_1'",
                                     "'PLIO_1'",
                                     "'HCOMPRESS_1'",
                                     "'GZIP_2'",
                                     "'NOCOMPRESS'"};
  if (below(3, random) > 0) return values[below(values.size(), random)];
  // A neighbour of the number that is there; unsigned, because it may wrap.
  const auto number = static_cast<unsigned long long>(std::atoll(old.c_str()));
  return std::to_string(static_cast<long long>(below(2, random) == 0 ? number - 1 : number + 1));
}

void edit_card(std::vector<char>& bytes, std::mt19937_64& random) {
  const std::vector<std::size_t> cards = header_cards(bytes);
  if (cards.empty()) return;
  char* card = bytes.data() + cards[below(cards.size(), random)];
  char* other = bytes.data() + cards[below(cards.size(), random)];
  switch (below(8, random)) {
    case 0:  // a keyword's name
      card[below(8, random)] = static_cast<char>('0' + below(43, random));
      break;
    case 1:  // a blank card
      std::fill_n(card, card_size, ' ');
      break;
    case 2:  // a card in another's place
      std::memmove(other, card, card_size);
      break;
    case 3:  // any byte of the card
      card[below(card_size, random)] = static_cast<char>(below(256, random));
      break;
    default: {
      std::string value = damaged_value(std::string(card + 10, 20), random);
      value.resize(card_size - 10, ' ');
      std::memcpy(card + 8, "= ", 2);
      std::memcpy(card + 10, value.data(), value.size());
    }
  }
}

void damage_blocks(std::vector<char>& bytes, std::mt19937_64& random) {
  const std::size_t blocks = bytes.size() / block_size;
  if (blocks == 0) return;
  const auto block = [&](std::size_t i) {
    return bytes.begin() + static_cast<std::ptrdiff_t>(i * block_size);
  };
  const std::size_t i = below(blocks, random);
  const std::size_t j = below(blocks, random);
  switch (below(3, random)) {
    case 0: {
      const std::vector<char> copy(block(i), block(i) + block_size);
      bytes.insert(block(j), copy.begin(), copy.end());
      break;
    }
    case 1:
      bytes.erase(block(i), block(i) + block_size);
      break;
    default:
      if (i != j) std::swap_ranges(block(i), block(i) + block_size, block(j));
  }
}

}  // namespace

std::vector<char> mutate(std::vector<char> bytes, std::mt19937_64& random) {
  for (std::size_t n = 1 + below(4, random); n > 0; --n) {
    switch (below(10, random)) {
      case 0:
      case 1:
        flip_bits(bytes, random);
        break;
      case 2:
        bytes.resize(below(bytes.size(), random));
        break;
      case 3:
        damage_blocks(bytes, random);
        break;
      default:
        edit_card(bytes, random);
    }
  }
  return bytes;
}

}  // namespace spex::fuzz
