#include "reference/model/camera.hpp"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <stdexcept>

#include "reference/core/error.hpp"

namespace spex {
namespace {

constexpr int spectrographs = 10;

// Parses one word of a camera list; returns nothing if the word is not a list of cameras.
std::vector<Camera> cameras_of(std::string_view word) {
  std::vector<Camera> cameras;
  std::string letters;
  bool has_digit = true;
  for (const char c : word) {
    const char letter = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (letter == 'a' || find_arm({&letter, 1}) != nullptr) {
      if (!has_digit) return {};
      letters = letter == 'a' ? "brz" : std::string(1, letter);
      has_digit = false;
    } else if (c >= '0' && c <= '9' && !letters.empty()) {
      for (const char arm : letters) cameras.push_back({arm, c - '0'});
      has_digit = true;
    } else {
      return {};
    }
  }
  return has_digit ? cameras : std::vector<Camera>{};
}

}  // namespace

const ArmTraits* find_arm(std::string_view camera) {
  if (camera.empty()) return nullptr;
  const auto found = std::ranges::find(arms, camera.front(), &ArmTraits::letter);
  return found == arms.end() ? nullptr : &*found;
}

const ArmTraits& arm_of(const Camera& camera) {
  const ArmTraits* arm = find_arm({&camera.arm, 1});
  if (arm == nullptr) throw std::logic_error("the arm of the camera is unknown");
  return *arm;
}

std::optional<Camera> parse_camera(std::string_view name) {
  if (name.size() != 2 || find_arm(name) == nullptr || name[1] < '0' || name[1] > '9')
    return std::nullopt;
  return Camera{name[0], name[1] - '0'};
}

const ArmTraits* arm_of_camera(std::string_view name) {
  return parse_camera(name) ? find_arm(name) : nullptr;
}

std::vector<Camera> parse_cameras(const std::string& text) {
  if (text == "all") return all_cameras();
  std::vector<Camera> cameras;
  std::istringstream words(text + ",");
  for (std::string word; std::getline(words, word, ',');) {
    const std::vector<Camera> found = cameras_of(word);
    if (found.empty())
      throw usage_error("--cameras", "'" + word + "' is not a camera",
                        "names such as b0, r0 and z0, commas between; a0 means all three");
    for (const Camera& camera : found)
      if (std::ranges::find(cameras, camera.name(), &Camera::name) == cameras.end())
        cameras.push_back(camera);
  }
  return cameras;
}

std::vector<Camera> all_cameras() {
  std::vector<Camera> cameras;
  for (int spectrograph = 0; spectrograph < spectrographs; ++spectrograph)
    for (const ArmTraits& arm : arms) cameras.push_back({arm.letter, spectrograph});
  return cameras;
}

}  // namespace spex
