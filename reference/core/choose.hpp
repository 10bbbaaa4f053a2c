// A choice by its name.
#pragma once

#include <string>
#include <vector>

#include "reference/core/error.hpp"

namespace spex {

/// The one of `choices` whose to_string is `text`. Throws Error(usage) that names them, which a
/// check of CLI11's does not; `name` is the option's.
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
