// The library of astronomy that the build has.
#pragma once

#include <string>

namespace spex {

/// ERFA's version; "none" where the build has no barycentric correction.
[[nodiscard]] std::string erfa_version();

}  // namespace spex
