#include "reference/core/header_word.hpp"

#include <algorithm>
#include <cctype>

namespace spex {

std::string header_word(std::string_view text) {
  constexpr std::string_view around = " \t'\"";
  const std::size_t first = std::min(text.find_first_not_of(around), text.size());
  std::string word(text.substr(first, text.find_last_not_of(around) + 1 - first));
  std::ranges::transform(word, word.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return word;
}

}  // namespace spex
