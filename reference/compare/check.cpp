#include "reference/compare/check.hpp"

#include <cmath>

#include <fmt/format.h>

namespace spex {

std::string to_string(const Place& place) {
  std::string text;
  if (place.fiber) text = fmt::format("fiber {}", *place.fiber);
  if (place.bin && place.wavelength)
    text +=
        fmt::format("{}{:.2f} A (bin {})", text.empty() ? "" : ", ", *place.wavelength, *place.bin);
  return text;
}

void Check::keep_larger(double& kept, double value) {
  if (std::isnan(value) || value > kept) kept = std::isnan(kept) ? kept : value;
}

void Check::mark_bad(const Place& place) {
  ++bad;
  if (!first_bad) first_bad = place;
}

void Check::add_problem(const Place& place, const std::string& text) {
  ++compared;
  mark_bad(place);
  largest = beyond_rounding = static_cast<double>(bad);
  if (problem.empty()) problem = text;
}

std::string describe_failure(const Check& check) {
  const Place place = check.first_bad.value_or(Place{check.hdu, {}, {}, {}});
  const std::string where = to_string(place);
  const std::string what =
      check.problem.empty()
          ? fmt::format("{} {:.3g} (at most {:.3g})", check.what, check.largest, check.limit)
          : check.problem;
  return fmt::format("{}: {}{}{}", place.hdu, what, where.empty() ? "" : ", first at ", where);
}

}  // namespace spex
