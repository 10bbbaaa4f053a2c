// The astronomy library of this build.
#pragma once

#include <string>

namespace spex {

/// ERFA's version; "none" if the build has no barycentric correction.
[[nodiscard]] std::string erfa_version();

}  // namespace spex
