#include "reference/tests/fuzz/mutate.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace spex::fuzz {
namespace {

constexpr std::size_t card_size = 80;
constexpr std::size_t block_size = 2880;

// Modulo gives the same sequence with every standard library; std::uniform_int_distribution does
// not.
std::size_t below(std::size_t n, std::mt19937_64& random) {
  return n == 0 ? 0 : static_cast<std::size_t>(random() % n);
}

// Offsets of the cards of all headers, without END cards.
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
  static constexpr std::array values{
      "-1", "0", "1", "2", "3", "8", "16", "999", "1000", "1000000", "2147483647", "2147483648",
      "-2147483648", "4294967296", "99999999999", "4611686018427387904", "9223372036854775807",
      "-9223372036854775808", "1E30", "-1E300", "1E999", "1E-320", "0.5", "NaN", "INF", "T", "F",
      "'text'", "''", "'", "", "(1,2)", "'8A'", "'1000000000D'", "'0D'", "'PD(9)'", "'QJ'", "'X'",
      "'(3,-1)'", "'(99999,99999,99999)'", "'RICE_1'", "'PLIO_1'", "'HCOMPRESS_1'", "'GZIP_2'",
      "'NOCOMPRESS'",
      // number formats that parsers read differently, and compression keywords
      "0         5", "                              0 5", "5 0 / 5", "0/5", "+1", "+0", "01", "1.",
      "1.9", "1E0", "1D0", "0x10", "1_0", "1,5", "'1'", "'0'", "' 0 5 '", "1&", "/ 1", "=1", "(0)",
      "(1", "''''", "'a''b'", "'a' b", "'a' / b", "'1PB(5)'", "'1QB(5)'", "'QB'", "'2PB'",
      "'0PB(0)'", "'1PE(3)'", "'1J'", "'12E5'", "'0X'", "'0X1B'", "'16A0'", "'16A-4'", "'16A4'",
      "'5U'", "'1e'", "' 1E'", "'99999999999999999999E'", "'(0,5)'", "'(5,0)'", "'(-4,4)'",
      "'(2,2)'", "'( 2 , 2 )'", "'(4611686018427387904,4)'", "'GZIP_1'", "'GZIP_1Z'", "'RICE_ONE'",
      "'rice_1'", "'NONE'", "'NO_DITHER'", "'SUBTRACTIVE_DITHER_1'", "'SUBTRACTIVE_DITHER_2'",
      "'BLOCKSIZE'", "'BYTEPIX'", "'IMAGE'", "'BINTABLE'", "'BINTABLEX'", "' BINTABLE'", "'TABLE'",
      "'A3DTABLE'", "'COMPRESSED_DATA'", "'GZIP_COMPRESSED_DATA'", "'UNCOMPRESSED_DATA'",
      "'ZSCALE'", "'ZZERO'", "'ZBLANK'", "'FIBER'", "'FIBERMAP'", "'MASK'"};
  if (below(3, random) > 0) return values[below(values.size(), random)];
  // A neighbor of the existing number; unsigned, because it may wrap.
  const auto number = static_cast<unsigned long long>(std::atoll(old.c_str()));
  return std::to_string(static_cast<long long>(below(2, random) == 0 ? number - 1 : number + 1));
}

// Keywords that CFITSIO uses as offsets, divisors, sizes or indices.
std::string dangerous_keyword(std::mt19937_64& random) {
  static constexpr std::array names{
      "SIMPLE",   "XTENSION", "BITPIX",  "NAXIS",   "NAXIS1", "NAXIS2",   "NAXIS3",   "PCOUNT",
      "GCOUNT",   "GROUPS",   "TFIELDS", "THEAP",   "BSCALE", "BZERO",    "BLANK",    "TFORM1",
      "TFORM2",   "TFORM3",   "TTYPE1",  "TTYPE2",  "TTYPE3", "TSCAL1",   "TZERO1",   "TNULL1",
      "TDIM1",    "TDIM2",    "TDIM4",   "ZIMAGE",  "ZTABLE", "ZBITPIX",  "ZNAXIS",   "ZNAXIS1",
      "ZNAXIS2",  "ZNAXIS3",  "ZTILE1",  "ZTILE2",  "ZTILE3", "ZTILELEN", "ZPCOUNT",  "ZHEAPPTR",
      "ZCMPTYPE", "ZNAME1",   "ZNAME2",  "ZVAL1",   "ZVAL2",  "ZQUANTIZ", "ZDITHER0", "ZSCALE",
      "ZZERO",    "ZBLANK",   "ZFORM1",  "ZFORM2",  "ZFORM4", "ZCTYP1",   "ZCTYP2",   "ZCTYP4",
      "EXTNAME",  "CAMERA",   "END",     "CONTINUE"};
  return names[below(names.size(), random)];
}

void write_card(char* card, const std::string& text) {
  std::string padded = text;
  padded.resize(card_size, ' ');
  std::memcpy(card, padded.data(), card_size);
}

// A keyword in a form that CFITSIO may accept as the keyword.
std::string disguised(std::string name, const std::string& value, std::mt19937_64& random) {
  std::string padded = name;
  padded.resize(8, ' ');
  switch (below(8, random)) {
    case 0:
      return fmt::format("HIERARCH {} = {}", name, value);
    case 1:
      for (char& c : padded) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      return fmt::format("{}= {}", padded, value);
    case 2:
      return fmt::format("{}={}", name, value);
    case 3:
      return fmt::format("{} x = {}", name, value);
    case 4:
      if (!name.empty()) name.insert(name.size() - 1, 1, below(2, random) == 0 ? '0' : '+');
      return fmt::format("{} = {}", name, value);
    case 5:
      return fmt::format("{}={}", padded, value);
    case 6:
      return fmt::format("CONTINUE  '{} = {}'", name, value);
    default:
      return fmt::format(" {}= {}", name, value);
  }
}

void edit_card(std::vector<char>& bytes, std::mt19937_64& random) {
  const std::vector<std::size_t> cards = header_cards(bytes);
  if (cards.empty()) return;
  char* card = bytes.data() + cards[below(cards.size(), random)];
  char* other = bytes.data() + cards[below(cards.size(), random)];
  // Prefer a card that describes the layout.
  for (int i = 0; i < 4 && std::string_view("ZTNPGBX").find(card[0]) == std::string_view::npos; ++i)
    card = bytes.data() + cards[below(cards.size(), random)];
  const std::string name(card, std::min<std::size_t>(8, std::string_view(card, 8).find(' ')));
  const std::string value = damaged_value(std::string(card + 10, 20), random);
  const std::string field = std::string(card, 8) + "= ";
  switch (below(12, random)) {
    case 0:  // a keyword's name
      card[below(8, random)] = static_cast<char>('0' + below(43, random));
      break;
    case 1:  // a blank card
      write_card(card, "");
      break;
    case 2:  // a card in another card's place
      std::memmove(other, card, card_size);
      break;
    case 3:  // any byte of the card
      card[below(card_size, random)] = static_cast<char>(below(256, random));
      break;
    case 4:  // a duplicate card
      write_card(other, field + value);
      break;
    case 5:  // a keyword in another form
      write_card(below(2, random) == 0 ? card : other, disguised(name, value, random));
      break;
    case 6: {  // a structural keyword replaces any card
      std::string keyword = dangerous_keyword(random);
      keyword.resize(8, ' ');
      write_card(other, keyword + "= " + value);
      break;
    }
    default:
      write_card(card, field + value);
  }
}

// The number in a header, as far as readable.
std::size_t number_of(std::string_view header, std::string_view key) {
  const std::size_t at = header.find(key);
  if (at == std::string_view::npos || at + card_size > header.size()) return 0;
  const std::string value(header.substr(at + 10, 20));
  return static_cast<std::size_t>(std::strtoull(value.c_str(), nullptr, 10));
}

struct Rows {
  std::size_t begin = 0;
  std::size_t size = 0;
};

// The byte ranges of all binary tables' rows.
std::vector<Rows> table_rows(std::string_view text) {
  std::vector<Rows> tables;
  for (std::size_t at = 0; at + block_size <= text.size(); at += block_size) {
    if (!text.substr(at).starts_with("XTENSION= 'BINTABLE")) continue;
    std::size_t end = at;
    while (end + card_size <= text.size() && text.substr(end, 8) != "END     ") end += card_size;
    const std::size_t data = (end / block_size + 1) * block_size;
    const std::string_view header = text.substr(at, end - at);
    const std::size_t width = number_of(header, "NAXIS1  =");
    const std::size_t rows = number_of(header, "NAXIS2  =");
    if (width > 0 && rows > 0 && width < 10000 && rows < 10000 &&
        data + width * rows <= text.size())
      tables.push_back({data, width * rows});
  }
  return tables;
}

// Mutates 4- or 8-byte numbers in the rows of a table, where array descriptors are.
void damage_cells(std::vector<char>& bytes, std::mt19937_64& random) {
  const std::vector<Rows> tables = table_rows({bytes.data(), bytes.size()});
  if (tables.empty()) return;
  const Rows rows = tables[below(tables.size(), random)];
  static constexpr std::array<std::uint64_t, 14> numbers{0,
                                                         1,
                                                         2,
                                                         3,
                                                         7,
                                                         255,
                                                         65535,
                                                         1U << 20,
                                                         0x7FFFFFFF,
                                                         0x80000000,
                                                         0xFFFFFFFF,
                                                         0x7FFFFFFFFFFFFFFF,
                                                         0x8000000000000000,
                                                         0xFFFFFFFFFFFFFFFF};
  const std::uint64_t number = numbers[below(numbers.size(), random)];
  const std::size_t width = below(2, random) == 0 ? 4 : 8;
  const std::size_t at = rows.begin + below(rows.size / width + 1, random) * width;
  for (std::size_t i = 0; i < width && at + i < bytes.size(); ++i)
    bytes[at + i] = static_cast<char>(number >> (8 * (width - 1 - i)));
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
    switch (below(20, random)) {
      case 0:
      case 1:
      case 2:
        flip_bits(bytes, random);
        break;
      case 3:
        bytes.resize(below(bytes.size(), random));
        break;
      case 4:
        damage_blocks(bytes, random);
        break;
      case 5:
      case 6:
        damage_cells(bytes, random);
        break;
      default:
        edit_card(bytes, random);
    }
  }
  return bytes;
}

std::vector<char> mutate_gzip(std::vector<char> bytes, std::mt19937_64& random) {
  constexpr std::size_t header = 10;
  constexpr std::size_t trailer = 8;
  for (std::size_t n = 1 + below(3, random); n > 0; --n) {
    switch (below(7, random)) {
      case 0:  // the flags of a name, a comment, a checksum
        if (bytes.size() > header) bytes[below(header, random)] = static_cast<char>(random());
        break;
      case 1:
        bytes.resize(below(bytes.size(), random));
        break;
      case 2: {  // a second stream after the first
        const std::vector<char> copy = bytes;
        bytes.insert(bytes.end(), copy.begin(), copy.end());
        break;
      }
      case 3:  // bytes after the stream
        for (std::size_t i = below(100, random); i > 0; --i)
          bytes.push_back(static_cast<char>(random()));
        break;
      case 4:  // the checksum and length at its end
        if (bytes.size() > trailer)
          bytes[bytes.size() - 1 - below(trailer, random)] = static_cast<char>(random());
        break;
      default:
        flip_bits(bytes, random);
    }
  }
  return bytes;
}

}  // namespace spex::fuzz
