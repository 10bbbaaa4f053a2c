#include "bench/correctness/reference_store.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include "bench/correctness/file_hash.hpp"
#include "bench/measure/command.hpp"
#include "reference/core/error.hpp"
#include "reference/fits/atomic_write.hpp"

namespace spex::bench {
namespace {

namespace fs = std::filesystem;
constexpr double seconds_a_frame = 3600;
constexpr const char* hash_extension = ".sha256";

// Beside a frame: its hash, written once it was made.
std::string hash_path(const std::string& frame) {
  return fs::path(frame).replace_extension(hash_extension);
}

constexpr const char* links_name = "inputs";

// A link to `file` among the links of `folder`, named by what the file holds, with the endings of
// its own name; as seen from that folder.
std::string link_by_hash(const std::string& file, const std::string& sha256,
                         const fs::path& folder) {
  const std::string name = fs::path(file).filename();
  const fs::path link =
      fs::path(links_name) / (sha256 + name.substr(std::min(name.find('.'), name.size())));
  fs::remove(folder / link);
  fs::create_symlink(fs::absolute(file), folder / link);
  return link;
}

// A frame names its inputs by their paths (IN_IMG, IN_PSF): by these links, which spex-cpu is given
// as seen from the folder of references, it is the same wherever inputs and references lie.
std::vector<InputFrame> linked_inputs(const std::vector<ListedFrame>& frames,
                                      const fs::path& folder) {
  fs::create_directories(folder / links_name);
  std::vector<InputFrame> linked;
  for (const ListedFrame& frame : frames) {
    InputFrame& input = linked.emplace_back(*frame.input);
    input.preproc = link_by_hash(input.preproc, input.preproc_sha256, folder);
    input.psf = link_by_hash(input.psf, input.psf_sha256, folder);
  }
  return linked;
}

// The folder of the frames; of drawn seeds an empty one.
std::string folder_of_frames(const std::string& owned, SeedSource seeds) {
  if (seeds == SeedSource::plan) return owned;
  const fs::path folder = fs::path(owned) / "drawn";
  fs::remove_all(folder);
  fs::create_directories(folder);
  return folder;
}

}  // namespace

bool Reference::has(const std::string& camera) const {
  return cameras.empty() || std::find(cameras.begin(), cameras.end(), camera) != cameras.end();
}

ReferenceStore::ReferenceStore(OwnedFolder folder, std::string spex_cpu_sha256, SeedSource seeds)
    : owned_(std::move(folder)),
      folder_(folder_of_frames(owned_.path(), seeds)),
      spex_cpu_sha256_(std::move(spex_cpu_sha256)) {}

std::string ReferenceStore::path_of(const Entry& entry, const InputFrame& frame,
                                    const Reference& reference) const {
  if (!reference.has(frame.camera)) return {};
  const std::string what =
      fmt::format("{} {} {} {} {}", frame.preproc_sha256, frame.psf_sha256, spex_cpu_sha256_,
                  reference.method, fmt::join(reference_options(entry), " "));
  return fs::path(folder_) / (hash_text(what) + ".fits");
}

bool ReferenceStore::holds(const std::string& path) {
  const auto [found, is_new] = checked_.try_emplace(path);
  if (is_new) {
    std::string written;
    std::getline(std::ifstream(hash_path(path)), written);
    if (hash_file(path) == written) found->second = written;
  }
  return !found->second.empty();
}

std::string ReferenceStore::sha256_of(const std::string& path) const {
  const auto found = checked_.find(path);
  return found == checked_.end() ? "" : found->second;
}

void ReferenceStore::prepare(const Entry& entry, const Dataset& dataset, int frames,
                             const Reference& reference, const Programs& programs,
                             Signals& signals) {
  std::vector<ListedFrame> missing, kept;
  for (int k = 0; k < frames; ++k) {
    const InputFrame& frame = dataset.frames.at(k);
    const std::string path = path_of(entry, frame, reference);
    if (path.empty()) continue;
    const bool is_new = !checked_.contains(path);
    if (!holds(path))
      missing.push_back({&frame, path});
    else if (is_new)
      kept.push_back({&frame, path});
  }
  if (missing.empty() && kept.empty()) return;
  ListedFrame again;
  if (!kept.empty()) {
    std::random_device random;
    again = kept[std::uniform_int_distribution<std::size_t>(0, kept.size() - 1)(random)];
    spdlog::info("{}: of {} kept frames of seed {}, {} is made once more, to be sure", entry.id,
                 kept.size(), dataset.planned, again.input->camera);
  }
  if (!missing.empty())
    spdlog::info("{}: {} reference frame(s) of seed {} by spex-cpu", entry.id, missing.size(),
                 dataset.planned);
  make(missing, again, entry, reference, programs, signals);
}

void ReferenceStore::make(const std::vector<ListedFrame>& missing, const ListedFrame& again,
                          const Entry& entry, const Reference& reference, const Programs& programs,
                          Signals& signals) {
  std::vector<ListedFrame> all = missing;
  const std::string copy = fs::path(folder_) / "again.fits";
  if (again.input != nullptr) all.push_back({again.input, copy});
  const std::vector<InputFrame> inputs = linked_inputs(all, folder_);
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].input = &inputs[i];
    all[i].output = fs::absolute(all[i].output);
  }
  const std::string list = fs::absolute(fs::path(folder_) / "frames.txt");
  write_frame_list(all, list);
  const Launch launch = make_reference_launch(entry, reference.method, programs, {"--list", list});
  Command command;
  command.argv = launch.argv;
  command.environment = launch.environment;
  command.folder = folder_;
  command.log = fs::path(folder_) / "spex-cpu.log";
  command.time_limit_s = seconds_a_frame * static_cast<double>(all.size());
  const CommandResult result = run_command(command, signals);
  fs::remove_all(fs::path(folder_) / links_name);
  if (result.interrupted) throw data_error(list, "interrupted", "reference frames");
  if (result.status != 0)
    throw data_error(list, "spex-cpu failed, " + end_of(result, command.log), "reference frames");
  std::vector<std::string> paths;
  for (const ListedFrame& frame : missing) paths.push_back(frame.output);
  const std::vector<std::optional<std::string>> hashes = hash_files(paths);
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (!hashes[i]) throw data_error(paths[i], "was not made", "a reference frame");
    atomic_write(hash_path(paths[i]), *hashes[i]);
    checked_[paths[i]] = *hashes[i];
  }
  if (again.input == nullptr) return;
  const std::optional<std::string> hash = hash_file(copy);
  fs::remove(copy);
  if (hash && hash == hash_file(again.output)) return;
  // Who has changed one may have changed others, which another draw would not meet.
  forget_all();
  throw data_error(again.output, "is not what spex-cpu makes of its input",
                   "reference frames that nobody changed; all of the folder are made again now");
}

void ReferenceStore::forget_all() {
  checked_.clear();
  std::vector<fs::path> hashes;
  for (const auto& file : fs::directory_iterator(folder_))
    if (file.path().extension() == hash_extension) hashes.push_back(file.path());
  for (const fs::path& hash : hashes) fs::remove(hash);
}

}  // namespace spex::bench
