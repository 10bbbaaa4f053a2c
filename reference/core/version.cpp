#include "reference/core/version.hpp"

#include <cblas.h>
#include <fmt/format.h>

#include "spex_version.hpp"

namespace spex {

std::string version() {
  return SPEX_VERSION;
}

std::string version_text(const std::string& program) {
  return fmt::format("{} (spexbench) {}\n{}, {}; CFITSIO {}; {}", program, SPEX_VERSION,
                     SPEX_COMPILER, SPEX_BUILD_TYPE, SPEX_CFITSIO_VERSION, openblas_get_config());
}

}  // namespace spex
