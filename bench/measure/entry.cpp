#include "bench/measure/entry.hpp"

#include <sstream>

namespace spex::bench {
namespace {

constexpr int bundle_size = 25;

}  // namespace

std::vector<std::string> Case::camera_list() const {
  std::vector<std::string> list;
  if (cameras == "all") {
    for (char digit = '0'; digit <= '9'; ++digit)
      for (const char band : {'b', 'r', 'z'}) list.push_back({band, digit});
    return list;
  }
  std::istringstream words(cameras);
  for (std::string camera; std::getline(words, camera, ',');) list.push_back(camera);
  return list;
}

std::vector<std::string> Entry::result_options() const {
  std::vector<std::string> all = options;
  if (bundles) {
    all.emplace_back("--nspec");
    all.push_back(std::to_string(bundle_size * *bundles));
  }
  return all;
}

}  // namespace spex::bench
