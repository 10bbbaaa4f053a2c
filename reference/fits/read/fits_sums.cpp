#include "reference/fits/read/fits_sums.hpp"

#include <charconv>
#include <limits>
#include <string>

#include <fmt/format.h>

#include "reference/core/error.hpp"
#include "reference/fits/fits_checksum.hpp"
#include "reference/fits/header_cards.hpp"

namespace spex {
namespace {

// Both forms of zero of ones'-complement arithmetic are equal.
constexpr std::uint32_t negative_zero = std::numeric_limits<std::uint32_t>::max();

bool equal_sums(std::uint32_t a, std::uint32_t b) {
  return a % negative_zero == b % negative_zero;
}

// The value of a keyword, with or without quotes; "" if it is absent or blank.
std::string value_of(const FitsHdu& hdu, const char* key) {
  const auto text = card_text(hdu.header.cards(), key);
  std::string value = text ? *text : card_value(hdu.header.cards(), key).value_or("");
  value.erase(0, value.find_first_not_of(' '));
  return value;
}

}  // namespace

HduSums compare_sums(const FitsHdu& hdu, std::uint32_t datasum) {
  const auto sum_of = [](bool right) { return right ? Sum::right : Sum::wrong; };
  HduSums sums;
  if (const std::string stated = value_of(hdu, "DATASUM"); !stated.empty()) {
    std::uint32_t number = 0;
    const char* const last = stated.data() + stated.size();
    const auto [end, code] = std::from_chars(stated.data(), last, number);
    sums.data = sum_of(code == std::errc() && end == last && equal_sums(number, datasum));
  }
  // CHECKSUM makes the sum of all bytes zero.
  if (!value_of(hdu, "CHECKSUM").empty())
    sums.whole = sum_of(equal_sums(add_checksums(hdu.header_sum, datasum), negative_zero));
  return sums;
}

void require_sums(const FitsHdu& hdu, std::uint32_t datasum) {
  const HduSums sums = compare_sums(hdu, datasum);
  if (sums.data != Sum::wrong && sums.whole != Sum::wrong) return;
  throw data_error(hdu.header.path(),
                   fmt::format("{} does not have the checksum that its {} states", hdu.title(),
                               sums.data == Sum::wrong ? "DATASUM" : "CHECKSUM"),
                   "the bytes that were written; --no-checksums reads others, too");
}

}  // namespace spex
