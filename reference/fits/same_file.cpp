#include "reference/fits/same_file.hpp"

#include <filesystem>
#include <set>
#include <system_error>

#include "reference/core/error.hpp"
#include "reference/fits/file_forms.hpp"

namespace spex {

std::string canonical_name(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  // Make the path absolute first: weakly_canonical leaves a missing "f" relative but resolves
  // "./f".
  return fs::weakly_canonical(fs::absolute(path), ignored).string();
}

bool same_file(const std::string& a, const std::string& b) {
  return !a.empty() && !b.empty() && canonical_name(a) == canonical_name(b);
}

void refuse_overwriting(const std::vector<std::string>& written,
                        const std::vector<std::string>& read) {
  std::set<std::string> inputs;
  std::set<std::string> outputs;
  for (const std::string& name : read)
    if (!name.empty()) inputs.insert(canonical_name(find_form(name)));
  for (const std::string& name : written) {
    if (name.empty()) continue;
    const std::string file = canonical_name(name);
    if (inputs.contains(file))
      throw usage_error(name, "would overwrite an input", "another name for the output");
    if (!outputs.insert(name_of_all_forms(name)).second)
      throw usage_error(name, "is the name of both outputs", "two names");
  }
}

}  // namespace spex
