// The exit statuses that docs/results.md promises, as numbers.
#pragma once

namespace spex::test {

inline constexpr int other_status = 1;
inline constexpr int usage_status = 2;
inline constexpr int differs_status = 3;

}  // namespace spex::test
