// Tolerances of synthetic frames, and the text of a comparison's first failure.
#pragma once

#include <string>

#include "reference/compare/compare_frames.hpp"
#include "reference/tests/compare/frames.hpp"

namespace spex::test {

/// Wide limits for the tests, so that a factor of two is a small change of the flux.
inline Tolerance tolerance() {
  return {"test", 1e-3, 1e-4, 1e-5, 1e-3, 1e-5, false, false};
}

/// The same for a golden.
inline Tolerance golden() {
  Tolerance out = tolerance();
  out.golden = true;
  return out;
}

/// The first check that fails; nullptr if all pass.
inline const Check* first_failure(const Comparison& comparison) {
  for (const Check& check : comparison.checks)
    if (!check.ok()) return &check;
  return nullptr;
}

/// The first failing place, as text; "ok" if all checks pass.
inline std::string first_bad(const Comparison& comparison) {
  const Check* check = first_failure(comparison);
  if (check == nullptr) return "ok";
  if (!check->first_bad) return "no place";
  return check->first_bad->hdu + ": " + to_string(*check->first_bad);
}

/// The text of first_bad for bin (s, w) of an HDU of make_frame().
inline std::string bin(const std::string& hdu, int s, int w) {
  return hdu + ": " + to_string(Place{hdu, specmin + s, w, 6000 + 0.8 * w});
}

}  // namespace spex::test
