#include "bench/plan/shipped_files.hpp"

#include <filesystem>

namespace spex::bench {

namespace {

namespace fs = std::filesystem;

}  // namespace

std::string shipped_folder() {
  const fs::path programs = fs::read_symlink("/proc/self/exe").parent_path();
  return (programs / SPEX_SHIPPED_FROM_PROGRAMS).lexically_normal();
}

std::string shipped_golden_cases() {
  return fs::path(shipped_folder()) / "golden" / "cases.json";
}

std::string plan_file(const std::string& name) {
  if (name.find('/') != std::string::npos || fs::is_regular_file(name)) return name;
  const fs::path shipped = fs::path(shipped_folder()) / "bench" / "plans" / (name + ".json");
  return fs::exists(shipped) ? shipped.string() : name;
}

}  // namespace spex::bench
