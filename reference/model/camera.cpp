#include "reference/model/camera.hpp"

#include <algorithm>
#include <stdexcept>

namespace spex {
namespace {

constexpr int spectrographs = 10;

}  // namespace

const ArmTraits* find_arm(std::string_view camera) {
  if (camera.empty()) return nullptr;
  const auto found = std::ranges::find(arms, camera.front(), &ArmTraits::letter);
  return found == arms.end() ? nullptr : &*found;
}

const ArmTraits& arm_of(const Camera& camera) {
  const ArmTraits* arm = find_arm({&camera.arm, 1});
  if (arm == nullptr) throw std::logic_error("a camera of no known arm");
  return *arm;
}

std::optional<Camera> parse_camera(std::string_view name) {
  if (name.size() != 2 || find_arm(name) == nullptr || name[1] < '0' || name[1] > '9')
    return std::nullopt;
  return Camera{name[0], name[1] - '0'};
}

std::vector<Camera> all_cameras() {
  std::vector<Camera> cameras;
  for (int spectrograph = 0; spectrograph < spectrographs; ++spectrograph)
    for (const ArmTraits& arm : arms) cameras.push_back({arm.letter, spectrograph});
  return cameras;
}

}  // namespace spex
