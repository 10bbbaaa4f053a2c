#include "reference/fits/header_cards.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <fitsio.h>
#include <fmt/format.h>

#include "reference/core/error.hpp"
#include "reference/fits/fits_header.hpp"

namespace spex {

std::optional<std::string> card_value(const std::vector<std::string>& cards,
                                      const std::string& key) {
  const auto card =
      std::ranges::find(cards, key, [](const std::string& one) { return card_name(one); });
  if (card == cards.end()) return std::nullopt;
  std::string copy = *card;  // CFITSIO requires a mutable card
  std::array<char, FLEN_VALUE> value{};
  int status = 0;
  fits_parse_value(copy.data(), value.data(), nullptr, &status);
  if (status != 0) return std::string();
  return std::string(value.data());
}

bool has_card(const std::vector<std::string>& cards, const std::string& key) {
  return card_value(cards, key).has_value();
}

std::optional<double> card_number(const std::vector<std::string>& cards, const std::string& key,
                                  const std::string& file) {
  std::optional<std::string> text = card_value(cards, key);
  if (!text) return std::nullopt;
  // FITS allows the exponent letter D and a leading sign.
  std::string digits = text->starts_with('+') ? text->substr(1) : *text;
  std::replace(digits.begin(), digits.end(), 'D', 'E');
  double value = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (code != std::errc() || end != digits.data() + digits.size() || !std::isfinite(value))
    throw data_error(file, fmt::format("keyword {} = {}", key, text->empty() ? "nothing" : *text),
                     "a number");
  return value;
}

std::optional<std::string> card_text(const std::vector<std::string>& cards,
                                     const std::string& key) {
  const std::optional<std::string> text = card_value(cards, key);
  if (!text || text->size() < 2 || !text->starts_with('\'')) return std::nullopt;
  std::string inner = text->substr(1, text->size() - 2);
  inner.erase(inner.find_last_not_of(' ') + 1);
  return inner;
}

}  // namespace spex
