#include "reference/core/version.hpp"

#include <cstddef>
#include <sstream>
#include <string_view>

#include <cblas.h>
#include <erfa.h>
#include <erfaextra.h>
#include <fmt/format.h>

#include "spex_build_info.hpp"

namespace spex {

namespace {

constexpr std::string_view commit = SPEX_COMMIT;
constexpr std::size_t abbreviated = 10;  // digits that tell commits apart

// ", commit 1234567890, changed"; empty where the sources came without git.
std::string commit_text() {
  if (commit.empty()) return "";
  return fmt::format(", commit {}{}", commit.substr(0, abbreviated), SPEX_DIRTY ? ", changed" : "");
}

// The second word of "OpenBLAS 0.3.21 DYNAMIC_ARCH ...".
std::string openblas_version() {
  std::istringstream words(openblas_get_config());
  std::string name;
  std::string number;
  words >> name >> number;
  return number;
}

}  // namespace

std::string version() {
  return SPEX_VERSION;
}

std::vector<Dependency> dependencies() {
  return {{"spexbench", version()},
          {"cfitsio", SPEX_CFITSIO_VERSION},
          {"openblas", openblas_version()},
          {"erfa", eraVersion()}};
}

std::string version_text(const std::string& program) {
  return fmt::format("{} (spexbench) {}{}\n{}, {}; CFITSIO {}; ERFA {}; {}", program, SPEX_VERSION,
                     commit_text(), SPEX_BUILD_COMPILER, SPEX_BUILD_TYPE, SPEX_CFITSIO_VERSION,
                     eraVersion(), openblas_get_config());
}

}  // namespace spex
