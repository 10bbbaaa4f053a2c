#include "reference/io/check_headers.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "reference/core/error.hpp"

namespace spex {
namespace {

constexpr long long block_size = 2880;
constexpr std::size_t card_size = 80;
constexpr long long most_axes = 8;
constexpr long long most_columns = 999;
// No lossless compression of tiles makes less than a byte of this many pixels (PLIO: two bytes of
// up to 4095 zeros; deflate: 1 to 1032).
constexpr long long most_pixels_a_byte = 4096;
constexpr long long longest_size = 1LL << 50;

std::string_view without_spaces(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

// Keywords that say how an HDU's bytes are laid out; each must stand once.
bool is_structural(std::string_view key) {
  static constexpr std::array<std::string_view, 17> keys{
      "SIMPLE",  "XTENSION", "BITPIX",   "NAXIS",    "PCOUNT",  "GCOUNT",
      "TFIELDS", "TFORM",    "ZIMAGE",   "ZTABLE",   "ZBITPIX", "ZPCOUNT",
      "ZNAXIS",  "ZTILE",    "ZTILELEN", "ZCMPTYPE", "ZFORM"};
  const std::string_view stem = key.substr(0, key.find_last_not_of("0123456789") + 1);
  return std::find(keys.begin(), keys.end(), stem) != keys.end();
}

// One header: values of its structural keywords as text, and the order of its first cards.
class Header {
 public:
  Header(std::string path, int number) : path_(std::move(path)), number_(number) {}

  [[nodiscard]] Error error(const std::string& wrong, const std::string& expected) const {
    return data_error(path_, fmt::format("HDU number {}: {}", number_, wrong), expected);
  }

  void add(std::string_view card) {
    const std::string key(without_spaces(card.substr(0, 8)));
    if (!is_structural(key)) return;
    if (card.substr(8, 2) != "= ") throw error("keyword " + key + " has no value", "a value");
    std::string_view value = card.substr(10);
    if (without_spaces(value).starts_with('\''))
      value = value.substr(0, value.find('\'', value.find('\'') + 1) + 1);
    else
      value = value.substr(0, value.find('/'));
    if (!values_.emplace(key, without_spaces(value)).second)
      throw error(fmt::format("keyword {} stands twice", key), "once");
    if (order_.size() < 16) order_.push_back(key);
  }

  [[nodiscard]] bool has(const std::string& key) const { return values_.contains(key); }
  [[nodiscard]] std::string text(const std::string& key) const {
    const auto found = values_.find(key);
    return found == values_.end() ? "" : found->second;
  }

  // A whole number from least to most; `fallback` where the keyword is absent.
  [[nodiscard]] long long number(const std::string& key, long long least, long long most,
                                 std::optional<long long> fallback = {}) const {
    const auto found = values_.find(key);
    if (found == values_.end()) {
      if (fallback) return *fallback;
      throw error("has no keyword " + key, "one");
    }
    const std::string& value = found->second;
    long long result = 0;
    const char* first = value.data() + (value.starts_with('+') ? 1 : 0);
    const char* last = value.data() + value.size();
    const auto [end, code] = std::from_chars(first, last, result);
    if (code != std::errc() || end != last || result < least || result > most)
      throw error(fmt::format("{} = {}", key, value),
                  fmt::format("a whole number from {} to {}", least, most));
    return result;
  }

  // CFITSIO reads the mandatory keywords by their place.
  void check_place(std::size_t place, const std::string& key) const {
    if (place >= order_.size() || order_[place] != key)
      throw error("has no keyword " + key + " in its place",
                  fmt::format("it as structural keyword {}", place + 1));
  }

  // Product of the values of stem1 ... stemN, each at least `least`.
  [[nodiscard]] long long product(const std::string& stem, long long n, long long least) const {
    long long product = 1;
    for (long long i = 1; i <= n; ++i) {
      const std::string key = fmt::format("{}{}", stem, i);
      const long long axis = number(key, least, longest_size);
      if (axis > 0 && product > longest_size / axis)
        throw error(fmt::format("{} = {} makes too many elements", key, axis),
                    fmt::format("at most {} in all", longest_size));
      product *= axis;
    }
    return product;
  }

 private:
  std::string path_;
  int number_;
  std::map<std::string, std::string> values_;
  std::vector<std::string> order_;
};

// A tile-compressed image in a table of `rows` rows, `bytes` of data.
void check_compressed_image(const Header& header, long long rows, long long bytes) {
  constexpr long long most_compressed_axes = 6;  // CFITSIO's MAX_COMPRESS_DIM
  const long long naxis = header.number("ZNAXIS", 1, most_compressed_axes);
  static_cast<void>(header.number("ZBITPIX", -64, 64));
  const long long pixels = header.product("ZNAXIS", naxis, 1);
  const long long most_pixels = bytes * most_pixels_a_byte;
  long long tiles = 1;
  long long tile_pixels = 1;
  for (long long i = 1; i <= naxis; ++i) {
    const long long axis = header.number(fmt::format("ZNAXIS{}", i), 1, longest_size);
    const long long tile = header.number(fmt::format("ZTILE{}", i), 1, axis, i == 1 ? axis : 1);
    tiles *= (axis + tile - 1) / tile;
    tile_pixels *= tile;
  }
  if (tiles != rows)
    throw header.error(fmt::format("{} compressed tiles in {} rows", tiles, rows), "a row a tile");
  if (pixels > most_pixels)
    throw header.error(fmt::format("{} pixels compressed to {} bytes", pixels, bytes),
                       fmt::format("at most {}", most_pixels));
}

// A tile-compressed table, in the same way.
void check_compressed_table(const Header& header, long long rows, long long bytes) {
  const long long width = header.number("ZNAXIS1", 0, longest_size);
  const long long all = header.number("ZNAXIS2", 0, longest_size);
  const long long heap = header.number("ZPCOUNT", 0, longest_size, 0);
  const long long tile = header.number("ZTILELEN", 1, std::max(1LL, all), std::max(1LL, all));
  if ((all + tile - 1) / tile != rows)
    throw header.error(fmt::format("{} rows in tiles of {}", all, tile),
                       fmt::format("{} tiles", rows));
  const long long most = bytes * most_pixels_a_byte;
  if ((width > 0 && all > most / width) || heap > most)
    throw header.error(
        fmt::format("{} x {} and {} bytes compressed to {}", width, all, heap, bytes),
        fmt::format("at most {}", most));
}

void check_table(const Header& header, long long bytes) {
  const long long columns = header.number("TFIELDS", 0, most_columns);
  for (long long i = 1; i <= columns; ++i)
    if (!header.has(fmt::format("TFORM{}", i)))
      throw header.error(fmt::format("has no keyword TFORM{}", i), "a TFORM a column");
  const long long rows = header.number("NAXIS2", 0, longest_size);
  if (rows > 0 && header.number("NAXIS1", 0, longest_size) == 0)
    throw header.error(fmt::format("{} rows of no bytes", rows), "NAXIS1 > 0");
  if (header.text("ZIMAGE") == "T") check_compressed_image(header, rows, bytes);
  if (header.text("ZTABLE") == "T") check_compressed_table(header, rows, bytes);
}

// Bytes of the data behind a header, without padding.
long long check_header(const Header& header, bool primary) {
  std::size_t place = 0;
  header.check_place(place++, primary ? "SIMPLE" : "XTENSION");
  header.check_place(place++, "BITPIX");
  header.check_place(place++, "NAXIS");
  const long long naxis = header.number("NAXIS", 0, most_axes);
  for (long long i = 1; i <= naxis; ++i) header.check_place(place++, fmt::format("NAXIS{}", i));
  long long heap = 0;
  if (!primary) {
    header.check_place(place++, "PCOUNT");
    header.check_place(place++, "GCOUNT");
    heap = header.number("PCOUNT", 0, longest_size);
    static_cast<void>(header.number("GCOUNT", 1, 1));
  }
  const long long bits = header.number("BITPIX", -64, 64);
  static constexpr std::array<long long, 6> known{8, 16, 32, 64, -32, -64};
  if (std::find(known.begin(), known.end(), bits) == known.end())
    throw header.error(fmt::format("BITPIX = {}", bits), "8, 16, 32, 64, -32 or -64");
  const long long elements = naxis == 0 ? 0 : header.product("NAXIS", naxis, 0);
  const long long bytes = (elements + heap) * (std::abs(bits) / 8);
  const std::string kind = header.text("XTENSION");
  if (kind.starts_with("'BINTABLE") || kind.starts_with("'TABLE")) {
    header.check_place(place, "TFIELDS");
    if (bits != 8 || naxis != 2)
      throw header.error(fmt::format("a table with BITPIX = {}, NAXIS = {}", bits, naxis),
                         "8 and 2");
    check_table(header, bytes);
  }
  return bytes;
}

}  // namespace

void check_headers(const ReadAt& read_at, long long size, const std::string& path) {
  long long offset = 0;
  std::string block(block_size, '\0');
  for (int hdu = 1; offset < size; ++hdu) {
    const bool primary = hdu == 1;
    Header header(path, hdu);
    for (bool first = true, ended = false; !ended; first = false, offset += block_size) {
      const long long count = read_at(offset, block.data(), block_size);
      const std::string_view text(block.data(), static_cast<std::size_t>(std::max(0LL, count)));
      // Tapes padded files with blocks of zeros.
      if (first && !primary && text.find_first_not_of('\0') == std::string_view::npos) return;
      if (first && !text.starts_with(primary ? "SIMPLE  =" : "XTENSION="))
        throw header.error("does not start as a header", primary ? "SIMPLE" : "XTENSION");
      if (count < block_size)
        throw data_error(path, fmt::format("is cut short: {} bytes", size),
                         fmt::format("a whole header of HDU number {}", hdu));
      for (std::size_t at = 0; at < text.size() && !ended; at += card_size) {
        const std::string_view card = text.substr(at, card_size);
        ended = card.starts_with("END     ");
        if (!ended) header.add(card);
      }
    }
    const long long bytes = check_header(header, primary);
    offset += (bytes + block_size - 1) / block_size * block_size;
    if (offset > size)
      throw data_error(path, fmt::format("is cut short: {} bytes", size),
                       fmt::format("{} for HDU number {}", offset, hdu));
  }
}

}  // namespace spex
