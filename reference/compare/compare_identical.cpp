#include "reference/compare/compare_identical.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "reference/compare/structure.hpp"

namespace spex {
namespace {

// Number of the first differing row, from 0; the columns must be equal.
std::optional<long long> first_different_row(const FrameTable& a, const FrameTable& b) {
  if (a.rows == b.rows) return std::nullopt;
  const auto differs = std::mismatch(a.rows.begin(), a.rows.end(), b.rows.begin(), b.rows.end());
  return (differs.first - a.rows.begin()) * b.nrow / static_cast<long long>(b.rows.size());
}

// Checks that both frames have the same HDUs with the same shapes.
Check check_same_hdus(const FrameFile& a, const FrameFile& b) {
  Check check{.hdu = "all", .what = "HDUs or table rows that differ"};
  const auto problem = [&](const std::string& hdu, const std::string& text) {
    check.add_problem(Place{hdu, {}, {}, {}}, text);
  };
  for (const FrameImage& image : b.images) {
    const FrameImage* other = a.image(image.name);
    if (other == nullptr)
      problem(image.name, "is missing");
    else if (other->shape != image.shape)
      problem(image.name, fmt::format("has shape {} (expected {})", to_string(other->shape),
                                      to_string(image.shape)));
    else
      ++check.compared;
  }
  for (const FrameTable& table : b.tables) {
    const FrameTable* other = a.table(table.name);
    if (other == nullptr)
      problem(table.name, "is missing");
    else if (other->columns != table.columns)
      problem(table.name, "has other columns");
    else if (const auto row = first_different_row(*other, table))
      check.add_problem(Place{table.name, a.specmin + *row, {}, {}}, "row differs");
    else
      ++check.compared;
  }
  for (const FrameImage& image : a.images)
    if (b.image(image.name) == nullptr) problem(image.name, "is not in the expected frame");
  for (const FrameTable& table : a.tables)
    if (b.table(table.name) == nullptr) problem(table.name, "is not in the expected frame");
  return check;
}

}  // namespace

std::vector<Check> compare_identical(const FrameFile& result, const FrameFile& expected) {
  std::vector<Check> checks = {check_same_hdus(result, expected), check_finite(result)};
  // Values of differing shapes cannot be compared.
  if (!checks.front().ok()) return checks;
  for (const FrameImage& image : expected.images) {
    const FrameImage& other = *result.image(image.name);
    Check check{.hdu = image.name, .what = "difference"};
    for (std::size_t i = 0; i < image.value.size(); ++i)
      check.add(std::abs(other.value[i] - image.value[i]), 0,
                [&] { return element_place(result, other, i); });
    checks.push_back(check);
  }
  return checks;
}

}  // namespace spex
