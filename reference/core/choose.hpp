// Looks up an enumerator by its name.
#pragma once

#include <string>
#include <vector>

#include "reference/core/error.hpp"

namespace spex {

/// Returns the choice whose to_string equals `text`. Throws Error(usage) that lists all choices;
/// `name` is the option's name.
template <class Choice>
[[nodiscard]] Choice choose(const char* name, const std::string& text,
                            const std::vector<Choice>& choices) {
  std::string expected;
  for (const Choice choice : choices) {
    if (to_string(choice) == text) return choice;
    expected += (expected.empty() ? "" : " or ") + to_string(choice);
  }
  throw usage_error(name, "unknown '" + text + "'", expected);
}

}  // namespace spex
