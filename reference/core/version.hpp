// The build, as --version and file headers name it.
#pragma once

#include <string>

namespace spex {

/// Version of the project, e.g. "0.1.0".
[[nodiscard]] std::string version();

/// What --version prints: the program, its version and commit, and what it was built with.
[[nodiscard]] std::string version_text(const std::string& program);

}  // namespace spex
