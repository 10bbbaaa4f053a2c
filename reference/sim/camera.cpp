#include "reference/sim/camera.hpp"

#include <algorithm>
#include <sstream>

#include "reference/core/error.hpp"

namespace spex {

std::vector<Camera> parse_cameras(const std::string& text) {
  if (text == "all") return all_cameras();
  std::vector<Camera> cameras;
  std::istringstream names(text + ",");
  for (std::string name; std::getline(names, name, ',');) {
    const std::optional<Camera> camera = parse_camera(name);
    if (!camera)
      throw usage_error("--cameras", "unknown camera '" + name + "'",
                        "b0 to b9, r0 to r9, z0 to z9, with commas between them, or all");
    if (std::ranges::find(cameras, name, &Camera::name) != cameras.end())
      throw usage_error("--cameras", "'" + name + "' is named twice", "each camera once");
    cameras.push_back(*camera);
  }
  return cameras;
}

}  // namespace spex
