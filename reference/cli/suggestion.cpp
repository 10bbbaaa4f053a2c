#include "reference/cli/suggestion.hpp"

#include <algorithm>
#include <cstddef>

namespace spex {

int edit_distance(const std::string& a, const std::string& b) {
  // d[i][j]: distance of the first i letters of a and the first j letters of b.
  std::vector<std::vector<int>> d(a.size() + 1, std::vector<int>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = static_cast<int>(i);
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i)
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int replaced = d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[a.size()][b.size()];
}

std::string suggestion(const std::string& name, const std::vector<std::string>& known) {
  constexpr std::size_t long_name = 6;
  int nearest = name.size() < long_name ? 2 : 3;  // must be nearer than this
  std::string found;
  for (const std::string& one : known) {
    const int distance = edit_distance(name, one);
    if (distance >= nearest) continue;
    nearest = distance;
    found = one;
  }
  return found;
}

}  // namespace spex
