#include "reference/frame/production_paths.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>

namespace spex {
namespace {

// Empty if the variable is not set.
std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

std::string specprod_root(const std::string& specprod) {
  std::string name = specprod.empty() ? environment("SPECPROD") : specprod;
  if (name.empty() || name.find('/') != std::string::npos) return name;
  if (const std::string redux = environment("DESI_SPECTRO_REDUX"); !redux.empty())
    return (std::filesystem::path(redux) / name).string();
  const std::string root = environment("DESI_ROOT");
  if (root.empty()) return "";
  return (std::filesystem::path(root) / "spectro" / "redux" / name).string();
}

std::string compression_suffix() {
  std::string type = environment("DESI_COMPRESSION");
  std::transform(type.begin(), type.end(), type.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return type == "NONE" ? "" : ".gz";
}

std::vector<PathRoot> roots_of_environment() {
  std::vector<PathRoot> roots;
  const auto add = [&](const std::string& folder, const char* name) {
    if (!folder.empty()) roots.push_back({folder, name});
  };
  add(environment("DESI_SPECTRO_CALIB"), "SPCALIB");
  const std::string production = specprod_root();
  add(production, "SPECPROD");
  const std::string root = environment("DESI_ROOT");
  const std::string readonly = environment("DESI_ROOT_READONLY");
  if (!root.empty() && !readonly.empty() && production.starts_with(root))
    add(readonly + production.substr(root.size()), "SPECPROD");
  return roots;
}

std::string shorten_path(const std::string& path, const std::vector<PathRoot>& roots) {
  for (const PathRoot& root : roots)
    if (path.starts_with(root.folder)) return root.name + path.substr(root.folder.size());
  return path;
}

}  // namespace spex
