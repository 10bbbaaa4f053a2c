#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/campaign/campaign.hpp"
#include "bench/correctness/file_hash.hpp"
#include "bench/measure/machine.hpp"
#include "bench/measure/read_json.hpp"
#include "bench/measure/sample.hpp"
#include "bench/submission/submission.hpp"
#include "reference/core/error.hpp"

namespace spex::bench {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

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

// Of the first result: what all of them were run on and by.
Json system_of(const Files& files) {
  for (const auto& [name, text] : files) {
    if (!name.starts_with("results/")) continue;
    const Json json = read_json(text).value_or(Json());
    if (json.is_object() && json.contains("build"))
      return {{"build", json.at("build")},
              {"system", json.at("system")},
              {"programs", json.at("programs")}};
  }
  return {};
}

}  // namespace

Files collect_submission(const std::string& out, const std::string& description) {
  if (!fs::is_regular_file(kept_plan_path(out)))
    throw data_error(out, "holds no results of this version", "the --out of spex-bench");
  Files files;
  add_folder(out, "results", ".json", files);
  add_folder(fs::path(out) / "logs", "logs", ".log", files);
  const Json system = system_of(files);
  if (system.is_null()) throw data_error(out, "holds no results", "the --out of spex-bench");
  files.emplace("plan.json", bytes_of(kept_plan_path(out)));
  files.emplace("system.json", system.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
  if (!description.empty()) files.emplace("description.txt", description);

  Json manifest{{"schema", {{"name", "spexbench-submission"}, {"major", 1}, {"minor", 0}}},
                {"made_utc", utc_text(unix_now())},
                {"made_by", build_json().at("commit")},
                {"commit", system.at("build").at("commit")},
                {"files", Json::array()}};
  std::string key = bytes_of(kept_key_path(out));
  manifest["seal_key"] = key.substr(0, key.find('\n'));
  for (const auto& [name, text] : files)
    manifest["files"].push_back(
        {{"name", name}, {"bytes", text.size()}, {"sha256", hash_text(text)}});
  files.emplace("manifest.json", manifest.dump(1) + "\n");
  return files;
}

}  // namespace spex::bench
