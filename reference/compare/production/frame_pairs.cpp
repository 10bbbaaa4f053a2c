#include "reference/compare/production/frame_pairs.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "reference/core/error.hpp"
#include "reference/fits/read/fits_file.hpp"
#include "reference/frame/file_names.hpp"

namespace spex {
namespace {

namespace fs = std::filesystem;

constexpr const char* frame_names = "frame-CAMERA-EXPID.fits or .fits.gz";

using Key = std::pair<std::string, std::string>;  // EXPID, camera

// The frames of one side.
class Frames {
 public:
  // `prefers_masked`: which of two frames of a folder is taken.
  explicit Frames(bool prefers_masked) : prefers_masked_(prefers_masked) {}

  void add(const std::string& path) {
    std::error_code ignored;
    if (!fs::is_directory(path, ignored)) {
      add_file(path);
      return;
    }
    const std::size_t before = found_.size();
    add_folder(path);
    if (found_.size() == before)
      throw usage_error(path, "has no frame",
                        std::string(frame_names) + ", or folders EXPID with them");
  }

  [[nodiscard]] std::map<Key, std::string> take() && {
    std::map<Key, std::string> paths;
    for (const auto& [key, file] : found_) paths[key] = file.path;
    return paths;
  }

 private:
  struct File {
    std::string path;
    bool masked = true;
  };

  void add_folder(const fs::path& folder) {
    std::error_code code;
    std::vector<fs::path> entries;
    for (fs::directory_iterator entry(folder, code), end; !code && entry != end;
         entry.increment(code))
      entries.push_back(entry->path());
    if (code) throw data_error(folder.string(), "cannot be listed: " + code.message(), "a folder");
    std::ranges::sort(entries);
    for (const fs::path& entry : entries) {
      std::error_code ignored;
      const std::string name = entry.filename().string();
      if (is_expid(name) && fs::is_directory(entry, ignored)) {
        add_folder(entry);
        continue;
      }
      const auto parts = parse_file_name("frame", name);
      if (!parts) continue;
      const bool masked = !parts->ending.starts_with(no_badcolumn_mask);
      const std::string ending =
          masked ? parts->ending : parts->ending.substr(no_badcolumn_mask.size());
      if (ending == ".fits" || ending == ".fits.gz")
        keep({parts->expid, parts->camera}, {entry.string(), masked});
    }
  }

  void add_file(const std::string& path) {
    const FitsReader file(path);
    std::string camera = file.find_string("CAMERA").value_or("");
    std::erase_if(camera, [](char c) { return c == '\'' || c == ' '; });
    std::ranges::transform(camera, camera.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const auto expid = file.find_integer("EXPID");
    if (camera.empty() || !expid)
      throw data_error(path, "has no CAMERA and EXPID", "a frame with both keywords");
    keep({fmt::format("{:08}", *expid), camera}, {path, true});
  }

  void keep(const Key& key, const File& file) {
    const auto [place, is_new] = found_.try_emplace(key, file);
    if (is_new) return;
    if (place->second.masked == file.masked)
      throw usage_error(
          file.path,
          fmt::format("and {} are both frame {}-{}", place->second.path, key.second, key.first),
          "one file of each frame");
    if (file.masked == prefers_masked_) place->second = file;
  }

  bool prefers_masked_;
  std::map<Key, File> found_;
};

}  // namespace

std::vector<ProductionPair> pair_frames(const std::string& production,
                                        const std::vector<std::string>& ours) {
  Frames theirs(true), own(false);
  theirs.add(production);
  for (const std::string& path : ours) own.add(path);
  std::map<Key, ProductionPair> pairs;
  const auto put = [&](const std::map<Key, std::string>& paths, std::string ProductionPair::*side) {
    for (const auto& [key, path] : paths) {
      ProductionPair& pair = pairs[key];
      pair.expid = key.first;
      pair.camera = key.second;
      pair.*side = path;
    }
  };
  put(std::move(own).take(), &ProductionPair::ours);
  put(std::move(theirs).take(), &ProductionPair::production);
  std::vector<ProductionPair> all;
  for (auto& [key, pair] : pairs) all.push_back(std::move(pair));
  return all;
}

}  // namespace spex
