#include "reference/cli/abbreviations.hpp"

#include <algorithm>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reference/core/error.hpp"

namespace spex {
namespace {

bool takes_value(const CLI::Option& option) {
  return option.get_items_expected_max() > 0;
}

// Whether a word cannot be an option's value. Values may be numbers such as -5 and -.5, the file
// "-", and a word with a blank that does not start with an option's name.
bool looks_like_option(const CLI::App& app, const std::string& word) {
  if (word.size() < 2 || word[0] != '-') return false;
  if ((word[1] >= '0' && word[1] <= '9') || word[1] == '.') return false;
  if (word[1] != '-' && app.get_option_no_throw(word.substr(0, 2)) != nullptr) return true;
  return word.substr(0, word.find('=')).find(' ') == std::string::npos;
}

// The option's full name, or `name` itself if no option starts with it.
std::string whole_name(const std::string& name, const std::vector<std::string>& all,
                       std::span<const std::string_view> first) {
  if (std::ranges::find(all, name) != all.end()) return name;
  std::vector<std::string> found;
  const auto collect = [&](const auto& names) {
    for (const auto& one : names)
      if (one.starts_with(name)) found.push_back("--" + std::string(one));
  };
  collect(first);
  if (found.empty()) collect(all);
  if (found.size() > 1)
    throw usage_error("--" + name, fmt::format("could be {}", fmt::join(found, " or ")),
                      "one of them");
  return found.empty() ? name : found.front().substr(2);
}

}  // namespace

std::vector<std::string> long_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    names.insert(names.end(), option->get_lnames().begin(), option->get_lnames().end());
  return names;
}

std::vector<std::string> write_out_options(const CLI::App& app,
                                           const std::vector<std::string>& words,
                                           std::span<const std::string_view> first) {
  const std::vector<std::string> all = long_names(app);
  std::vector<std::string> written;
  std::string waits;  // the option that expects the next word as its value
  const auto missing = [&](const std::string& after) {
    return usage_error(waits, "has no value" + after, "a value");
  };
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string word = words[i];
    if (!waits.empty()) {
      if (looks_like_option(app, word)) throw missing(", but " + word + " after it");
      waits.clear();
    } else if (word == "--") {
      written.insert(written.end(), words.begin() + static_cast<std::ptrdiff_t>(i), words.end());
      return written;
    } else if (word.starts_with("--")) {
      const std::size_t end = word.find('=');
      const std::string name =
          whole_name(word.substr(2, end == std::string::npos ? end : end - 2), all, first);
      const CLI::Option* const option = app.get_option_no_throw("--" + name);
      const bool takes = option != nullptr && takes_value(*option);
      if (end == std::string::npos) {
        word = "--" + name;
        if (takes) waits = word;
      } else if (takes) {  // two words: CLI11 finds no value in a word that ends with =
        written.push_back("--" + name);
        word.erase(0, end + 1);
      } else if (option != nullptr) {
        throw usage_error("--" + name, "takes no value", "--" + name + " alone");
      }
    } else if (word.size() > 1 && word[0] == '-') {
      // Flags, then at most one option with a value: -vi FILE, -viFILE.
      for (std::size_t letter = 1; letter < word.size(); ++letter) {
        const std::string name = std::string("-") + word[letter];
        const CLI::Option* const option = app.get_option_no_throw(name);
        if (option == nullptr) break;
        if (!takes_value(*option)) continue;
        if (letter + 1 == word.size()) {
          waits = name;
        } else if (letter == 1 && word[2] == '=') {
          written.push_back(name);
          word.erase(0, 3);
        }
        break;
      }
    }
    written.push_back(std::move(word));
  }
  if (!waits.empty()) throw missing("");
  return written;
}

}  // namespace spex
