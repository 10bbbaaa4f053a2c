// Names that a user may have meant.
#pragma once

#include <string>
#include <vector>

namespace spex {

/// Letters to insert, delete, replace or swap with their neighbour that make `b` of `a`.
[[nodiscard]] int edit_distance(const std::string& a, const std::string& b);

/// The name of `known` that is nearest to `name`, at a distance of 1, or 2 from six letters on; the
/// first of several. Empty where none is so near.
[[nodiscard]] std::string suggestion(const std::string& name,
                                     const std::vector<std::string>& known);

}  // namespace spex
