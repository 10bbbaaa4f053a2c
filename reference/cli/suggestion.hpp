// Suggestions for misspelled names.
#pragma once

#include <string>
#include <vector>

namespace spex {

/// Edit distance: insertions, deletions, replacements and swaps of neighboring letters.
[[nodiscard]] int edit_distance(const std::string& a, const std::string& b);

/// The first name in `known` nearest to `name`, within a distance of 1, or 2 for names of six or
/// more letters; empty if there is none.
[[nodiscard]] std::string suggestion(const std::string& name,
                                     const std::vector<std::string>& known);

}  // namespace spex
