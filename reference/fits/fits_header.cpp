#include "reference/fits/fits_header.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

#include <fitsio.h>
#include <fmt/format.h>

namespace spex {
namespace {

std::string_view without_blanks(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

template <std::size_t N>
bool is_one_of(std::string_view key, const std::array<std::string_view, N>& keys) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

// Whether `key` (in capitals) is a structural keyword. A stem followed by a sign or leading zeros
// also counts: CFITSIO reads TFORM+1 as TFORM1.
bool is_structural(std::string_view key) {
  static constexpr std::array<std::string_view, 26> single{
      "SIMPLE",   "XTENSION", "BITPIX",  "NAXIS",   "PCOUNT",   "GCOUNT",   "GROUPS",
      "TFIELDS",  "THEAP",    "BSCALE",  "BZERO",   "BLANK",    "ZIMAGE",   "ZTABLE",
      "ZBITPIX",  "ZNAXIS",   "ZPCOUNT", "ZGCOUNT", "ZTILELEN", "ZHEAPPTR", "ZCMPTYPE",
      "ZQUANTIZ", "ZDITHER0", "ZBLANK",  "ZSCALE",  "ZZERO"};
  static constexpr std::array<std::string_view, 13> numbered{
      "NAXIS",  "TFORM", "TTYPE", "TSCAL", "TZERO", "TNULL", "TDIM",
      "ZNAXIS", "ZTILE", "ZNAME", "ZVAL",  "ZFORM", "ZCTYP"};
  if (is_one_of(key, single)) return true;
  const std::size_t stem = key.find_first_of("+-0123456789");
  return stem != std::string_view::npos && is_one_of(key.substr(0, stem), numbered);
}

// Whether the number of a structural keyword has 1 to 3 digits without a leading zero.
bool has_plain_number(std::string_view key) {
  if (key == "ZDITHER0") return true;
  const std::size_t stem = key.find_first_of("+-0123456789");
  if (stem == std::string_view::npos) return true;
  const std::string_view number = key.substr(stem);
  return number.size() <= 3 && number[0] >= '1' && number[0] <= '9' &&
         number.find_first_not_of("0123456789") == std::string_view::npos;
}

// The keyword that CFITSIO reads from the card, in capitals, as CFITSIO compares them.
std::string cfitsio_name(const std::string& card) {
  std::string copy = card;  // CFITSIO requires a mutable card
  char name[FLEN_KEYWORD] = "";
  int length = 0;
  int status = 0;
  fits_get_keyname(copy.data(), name, &length, &status);
  std::string capitals(name);
  std::transform(capitals.begin(), capitals.end(), capitals.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return capitals;
}

// The value in columns 11 to 80: a quoted string with its quotes, one word, or an empty text.
// Returns nothing if there is more than one value.
std::optional<std::string_view> value_of(std::string_view field) {
  field.remove_prefix(std::min(field.find_first_not_of(' '), field.size()));
  std::size_t end = 0;
  if (field.starts_with('\'')) {
    for (end = field.find('\'', 1);
         end != std::string_view::npos && field.substr(end + 1, 1) == "'";)
      end = field.find('\'', end + 2);
    if (end == std::string_view::npos) return {};
    ++end;
  } else {
    end = std::min(field.find_first_of(" /"), field.size());
  }
  const std::string_view rest = without_blanks(field.substr(end));
  if (!rest.empty() && !rest.starts_with('/')) return {};
  return field.substr(0, end);
}

}  // namespace

std::string card_name(std::string_view card) {
  const std::string_view field = card.substr(0, 8);
  return std::string(field.substr(0, field.find_last_not_of(' ') + 1));
}

std::string integer_card(const std::string& key, long long value) {
  std::string card = fmt::format("{:<8}= {:>20}", key, value);
  card.resize(FitsHeader::card_size, ' ');
  return card;
}

Error FitsHeader::error(const std::string& wrong, const std::string& expected) const {
  return data_error(path_, fmt::format("HDU number {}: {}", number_, wrong), expected);
}

bool FitsHeader::add(std::string_view view) {
  const auto is_text = [](char c) { return c >= ' ' && c <= '~'; };
  if (!std::all_of(view.begin(), view.end(), is_text))
    throw error(fmt::format("header card {} has a byte that is no character", cards_.size() + 1),
                "ASCII text");
  const std::string card(view);
  const std::string key = card_name(card);
  const std::string meant = cfitsio_name(card);
  if (meant == "END") {
    if (without_blanks(view) != "END" || key != "END")
      throw error(fmt::format("card '{}'", without_blanks(view)), "END alone");
    return false;
  }
  if (is_structural(meant) || is_structural(key)) {
    if (key != meant || !has_plain_number(key))
      throw error(fmt::format("keyword {} is written '{}'", meant, without_blanks(view)),
                  "its plain form");
    if (card.substr(8, 2) != "= ") throw error("keyword " + key + " has no value", "a value");
    const std::optional<std::string_view> value = value_of(view.substr(10));
    if (!value)
      throw error(fmt::format("{} = {}", key, without_blanks(view.substr(10))), "one value");
    if (!values_.emplace(key, *value).second)
      throw error(fmt::format("keyword {} occurs twice", key), "one card");
  }
  cards_.push_back(card);
  return true;
}

long long FitsHeader::number(const std::string& key, long long least, long long most,
                             std::optional<long long> fallback) const {
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

double FitsHeader::real(const std::string& key, double fallback) const {
  const auto found = values_.find(key);
  if (found == values_.end()) return fallback;
  // FITS allows the exponent letter D and a leading sign.
  std::string digits = found->second.substr(found->second.starts_with('+') ? 1 : 0);
  std::replace(digits.begin(), digits.end(), 'D', 'E');
  double value = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (code != std::errc() || end != digits.data() + digits.size() || !std::isfinite(value))
    throw error(fmt::format("{} = {}", key, found->second), "a number");
  return value;
}

std::string FitsHeader::string(const std::string& key) const {
  const auto found = values_.find(key);
  if (found == values_.end()) return "";
  const std::string_view value = found->second;
  if (!value.starts_with('\'')) throw error(fmt::format("{} = {}", key, value), "a string");
  std::string text(value.substr(1, value.size() - 2));
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

bool FitsHeader::logical(const std::string& key) const {
  const auto found = values_.find(key);
  if (found == values_.end()) return false;
  if (found->second != "T" && found->second != "F")
    throw error(fmt::format("{} = {}", key, found->second), "T or F");
  return found->second == "T";
}

long long FitsHeader::product(const std::string& stem, long long n, long long least) const {
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

void FitsHeader::check_place(std::size_t place, const std::string& key) const {
  if (place >= cards_.size() || card_name(cards_[place]) != key)
    throw error("has no keyword " + key + " in its place",
                fmt::format("it as keyword {}", place + 1));
}

}  // namespace spex
