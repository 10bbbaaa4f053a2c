#include "reference/core/version.hpp"

#include <cstddef>
#include <string_view>

#include <fmt/format.h>

#include "reference/core/blas.hpp"
#include "reference/core/erfa.hpp"
#include "spex_build_info.hpp"

namespace spex {

namespace {

constexpr std::string_view commit = SPEX_COMMIT;
constexpr std::size_t abbreviated = 10;  // digits that identify a commit

// ", commit 1234567890, changed"; empty if the sources were not a git checkout.
std::string commit_text() {
  if (commit.empty()) return "";
  return fmt::format(", commit {}{}", commit.substr(0, abbreviated), SPEX_DIRTY ? ", changed" : "");
}

}  // namespace

std::string version() {
  return SPEX_VERSION;
}

std::vector<Dependency> dependencies() {
  const BlasLibrary blas = blas_library();
  return {{"spexbench", version()},
          {"cfitsio", SPEX_CFITSIO_VERSION},
          {blas.name, blas.version},
          {"erfa", erfa_version()}};
}

std::string version_text(const std::string& program) {
  return fmt::format("{} (spexbench) {}{}\n{}, {}; CFITSIO {}; ERFA {}; {}", program, SPEX_VERSION,
                     commit_text(), SPEX_BUILD_COMPILER, SPEX_BUILD_TYPE, SPEX_CFITSIO_VERSION,
                     erfa_version(), blas_library().configuration);
}

}  // namespace spex
