#include "bench/plan/entry.hpp"

#include <algorithm>

#include "reference/model/camera.hpp"

namespace spex::bench {

std::vector<std::string> Entry::result_options() const {
  std::vector<std::string> all = options;
  if (bundles) {
    all.emplace_back("--nspec");
    all.push_back(std::to_string(fibers_a_bundle * *bundles));
  }
  return all;
}

std::vector<std::string> Entry::reference_options() const {
  std::vector<std::string> wanted = result_options();
  if (const auto own = std::find(wanted.begin(), wanted.end(), "--method"); own != wanted.end())
    wanted.erase(own, wanted.end() - own > 1 ? own + 2 : wanted.end());
  return wanted;
}

bool Reference::has(const std::string& camera) const {
  return cameras.empty() || std::find(cameras.begin(), cameras.end(), camera) != cameras.end();
}

bool has_fpnh(const Entry& entry, const Case& one) {
  const ExtractOptions& o = entry.extract;
  const bool all_of_it = !o.wavelength && o.specmin == 0 && !o.nspec;
  return one.size == "full" && !entry.bundles && !entry.alone && all_of_it;
}

}  // namespace spex::bench
