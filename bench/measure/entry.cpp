#include "bench/measure/entry.hpp"

#include <algorithm>
#include <sstream>

#include "reference/model/camera.hpp"

namespace spex::bench {

std::vector<std::string> Case::camera_list() const {
  std::vector<std::string> list;
  if (cameras == "all") {
    for (const Camera& camera : all_cameras()) list.push_back(camera.name());
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
    all.push_back(std::to_string(fibers_a_bundle * *bundles));
  }
  return all;
}

int seed_of_run(const Case& one, const Entry& entry, int index, int begun_before) {
  constexpr int seeds_of_a_beginning = 100;
  if (one.seeds) return one.seed + (index + begun_before) % *one.seeds;
  return one.seed + entry.first_seed + index + seeds_of_a_beginning * begun_before;
}

std::string Entry::method() const {
  std::string method = to_string(traits(milestone).method);
  for (std::size_t k = 0; k < options.size(); ++k) {
    const std::string& word = options[k];
    const std::size_t end = word.find('=');
    // The extractors take abbreviations: --me is none of another option.
    const std::string name = word.substr(0, end);
    if (name.size() < 4 || !std::string("--method").starts_with(name)) continue;
    if (end != std::string::npos)
      method = word.substr(end + 1);
    else if (k + 1 < options.size())
      method = options[k + 1];
  }
  return method;
}

bool has_fpnh(const Entry& entry, const Case& one) {
  const auto cuts = [](const std::string& word) {
    for (const char* name : {"--wavelength", "--specmin", "--nspec"})
      if (word.substr(0, word.find('=')) == name) return true;
    // A short option may have its value without a blank.
    return word.starts_with("-w") || word.starts_with("-s") || word.starts_with("-n");
  };
  return one.size == "full" && !entry.bundles && !entry.alone &&
         std::none_of(entry.options.begin(), entry.options.end(), cuts);
}

}  // namespace spex::bench
