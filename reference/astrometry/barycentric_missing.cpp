// Replaces barycentric.cpp in builds without ERFA.
#include "reference/astrometry/barycentric.hpp"
#include "reference/core/erfa.hpp"
#include "reference/core/error.hpp"

namespace spex {

double barycentric_factor(const Pointing& /*pointing*/, const EarthOrientation& /*orientation*/,
                          const Site& /*site*/) {
  throw usage_error("--barycentric-correction", "is not supported by this build",
                    "a build with ERFA, or --heliocor");
}

std::string erfa_version() {
  return "none";
}

}  // namespace spex
