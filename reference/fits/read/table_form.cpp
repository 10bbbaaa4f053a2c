#include "reference/fits/read/table_form.hpp"

#include <charconv>

namespace spex {
namespace {

constexpr long long max_elements = 1LL << 40;

// Parses an unsigned integer at the start of `text` and removes it from `text`.
std::optional<long long> take_number(std::string_view& text) {
  long long value = 0;
  if (text.empty() || text[0] < '0' || text[0] > '9') return {};
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || value > max_elements) return {};
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

bool starts_with_digit(std::string_view text) {
  return !text.empty() && text[0] >= '0' && text[0] <= '9';
}

// Whether `text` may follow the type letter: the width of a string, or the maximal length of the
// arrays.
bool is_suffix(std::string_view text, const TableForm& form) {
  if (text.empty()) return true;
  if (form.varies()) {
    if (!text.starts_with('(')) return false;
    text.remove_prefix(1);
    return take_number(text) && text == ")";
  }
  const std::optional<long long> width = take_number(text);
  return form.type == 'A' && width && *width >= 1 && *width <= form.repeat && text.empty();
}

}  // namespace

long long element_bytes(char type) {
  switch (type) {
    case 'L':
    case 'B':
    case 'A':
      return 1;
    case 'I':
      return 2;
    case 'J':
    case 'E':
      return 4;
    case 'K':
    case 'D':
    case 'C':
      return 8;
    case 'M':
      return 16;
    default:
      return 0;
  }
}

std::optional<TableForm> parse_table_form(std::string_view text) {
  TableForm form;
  if (starts_with_digit(text)) {
    const std::optional<long long> repeat = take_number(text);
    if (!repeat) return {};
    form.repeat = *repeat;
  }
  if (text.starts_with('P') || text.starts_with('Q')) {
    form.descriptor = text[0];
    text.remove_prefix(1);
    if (form.repeat > 1) return {};
  }
  if (text.empty()) return {};
  form.type = text[0];
  text.remove_prefix(1);
  const bool bits = form.type == 'X';
  if ((!bits && element_bytes(form.type) == 0) || !is_suffix(text, form)) return {};
  if (form.varies())
    form.bytes = form.repeat * (form.descriptor == 'P' ? 8 : 16);
  else
    form.bytes = bits ? (form.repeat + 7) / 8 : form.repeat * element_bytes(form.type);
  return form;
}

}  // namespace spex
