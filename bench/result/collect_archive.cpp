#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>

#include <fmt/format.h>

#include "bench/result/check_archive.hpp"
#include "reference/core/error.hpp"

namespace spex::bench {
namespace {

namespace fs = std::filesystem;

std::string bytes_of(const fs::path& path) {
  const std::uintmax_t most = ArchiveLimits{}.bytes_of_file;
  if (std::error_code error; fs::file_size(path, error) > most && !error)
    throw data_error(path, "is too long", fmt::format("at most {} bytes in an archive", most));
  std::ifstream in(path, std::ios::binary);
  if (!in) throw data_error(path, "cannot be read", "a file of spex-bench");
  return {std::istreambuf_iterator<char>(in), {}};
}

void add_folder(const fs::path& folder, const std::string& under, const std::string& end,
                Files& files) {
  if (!fs::is_directory(folder)) return;
  for (const auto& entry : fs::directory_iterator(folder))
    if (const std::string name = entry.path().filename();
        fs::is_regular_file(entry.symlink_status()) && name.ends_with(end) && is_safe_name(name))
      files.emplace(fmt::format("{}/{}", under, name), bytes_of(entry.path()));
}

}  // namespace

bool is_safe_name(const std::string& name) {
  constexpr std::size_t longest = 200;
  if (name.empty() || name.size() > longest || name.back() == '/') return false;
  std::istringstream parts(name);
  for (std::string part; std::getline(parts, part, '/');)
    if (part.empty() || part.front() == '.' || part.front() == '-' ||
        part.find_first_not_of(
            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") !=
            std::string::npos)
      return false;
  return true;
}

std::string kept_plan_path(const std::string& out) {
  return fs::path(out) / "logs" / "plan.json";
}

Files collect_archive(const std::string& out, const std::string& description) {
  if (!fs::is_regular_file(kept_plan_path(out)))
    throw data_error(out, "holds no results of this version", "the --out of spex-bench");
  Files files;
  add_folder(out, "results", ".json", files);
  if (files.empty()) throw data_error(out, "holds no results", "the --out of spex-bench");
  add_folder(fs::path(out) / "logs", "logs", ".log", files);
  files.emplace("plan.json", bytes_of(kept_plan_path(out)));
  if (!description.empty()) files.emplace("description.txt", description);
  return files;
}

}  // namespace spex::bench
