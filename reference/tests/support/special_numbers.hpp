// Numbers that no sum or comparison expects.
#pragma once

#include <limits>

namespace spex::test {

inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double inf = std::numeric_limits<double>::infinity();

}  // namespace spex::test
