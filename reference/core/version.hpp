// The build, as --version and file headers describe it.
#pragma once

#include <string>
#include <vector>

namespace spex {

/// Version of the project, e.g. "1.0.0".
[[nodiscard]] std::string version();

/// A library that results depend on.
struct Dependency {
  std::string name;     ///< "spexbench", "cfitsio" ...
  std::string version;  ///< as the library reports it
};

/// The project itself and the libraries that affect numbers, for file headers.
[[nodiscard]] std::vector<Dependency> dependencies();

/// The text of --version: program, version, commit, compiler and libraries.
[[nodiscard]] std::string version_text(const std::string& program);

}  // namespace spex
