// The build, as --version and file headers name it.
#pragma once

#include <string>
#include <vector>

namespace spex {

/// Version of the project, e.g. "1.0.0".
[[nodiscard]] std::string version();

/// Something that results are computed with.
struct Dependency {
  std::string name;     ///< "spexbench", "cfitsio" ...
  std::string version;  ///< as it states it
};

/// The project itself and the libraries that numbers go through, for headers of files.
[[nodiscard]] std::vector<Dependency> dependencies();

/// What --version prints: the program, its version and commit, and what it was built with.
[[nodiscard]] std::string version_text(const std::string& program);

}  // namespace spex
