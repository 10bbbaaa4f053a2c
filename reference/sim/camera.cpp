#include "reference/sim/camera.hpp"

#include <algorithm>
#include <sstream>

#include "reference/core/error.hpp"

namespace spex {
namespace {

const std::string arms = "brz";
const std::string spectrographs = "0123456789";

Camera parse_camera(const std::string& name) {
  if (name.size() != 2 || arms.find(name[0]) == std::string::npos ||
      spectrographs.find(name[1]) == std::string::npos)
    throw usage_error("--cameras", "unknown camera '" + name + "'",
                      "b0 to b9, r0 to r9, z0 to z9, with commas between them, or all");
  return {name[0], name[1] - '0'};
}

}  // namespace

std::vector<Camera> parse_cameras(const std::string& text) {
  std::vector<Camera> cameras;
  if (text == "all") {
    for (const char spectrograph : spectrographs)
      for (const char arm : arms) cameras.push_back({arm, spectrograph - '0'});
    return cameras;
  }
  std::istringstream names(text + ",");
  for (std::string name; std::getline(names, name, ',');) {
    const Camera camera = parse_camera(name);
    if (std::any_of(cameras.begin(), cameras.end(),
                    [&](const Camera& other) { return other.name() == name; }))
      throw usage_error("--cameras", "'" + name + "' is named twice", "each camera once");
    cameras.push_back(camera);
  }
  return cameras;
}

}  // namespace spex
