// The cameras that a simulation is asked for.
#pragma once

#include <string>
#include <vector>

#include "reference/model/camera.hpp"

namespace spex {

/// "b0,r0,z0", or "all" for the 30 of an exposure; in the order given. Throws Error(usage) for an
/// unknown camera, one named twice, or none.
[[nodiscard]] std::vector<Camera> parse_cameras(const std::string& text);

}  // namespace spex
