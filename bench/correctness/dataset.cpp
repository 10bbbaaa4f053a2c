#include "bench/correctness/dataset.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <random>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>

#include "bench/correctness/file_hash.hpp"
#include "bench/measure/machine.hpp"
#include "bench/measure/read_json.hpp"
#include "reference/core/error.hpp"
#include "reference/core/version.hpp"
#include "reference/fits/atomic_write.hpp"

namespace spex::bench {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* manifest_name = "manifest.json";
constexpr double simulation_limit_s = 3600;

Json generator_json(const Case& one, std::int64_t seed) {
  return {{"program", "spex-sim"},
          {"version", version()},
          {"seed", seed},
          {"size", one.size},
          {"cameras", fmt::format("{}", fmt::join(one.camera_list(), ","))},
          {"compression", one.compress}};
}

std::vector<InputFrame> frames_in(const std::string& folder, const Case& one) {
  const std::string suffix = one.compress == "none" ? "" : "." + one.compress;
  std::vector<InputFrame> frames;
  for (const std::string& camera : one.camera_list()) {
    const auto file = [&](const char* kind, const std::string& end) {
      return (fs::path(folder) / fmt::format("{}-{}-00000001.fits{}", kind, camera, end)).string();
    };
    InputFrame frame;
    frame.camera = camera;
    frame.preproc = file("preproc", suffix);
    frame.psf = file("psf", "");
    frame.truth = file("truth", "");
    frames.push_back(std::move(frame));
  }
  return frames;
}

std::vector<std::string> paths_of(const std::vector<InputFrame>& frames) {
  std::vector<std::string> paths;
  for (const InputFrame& frame : frames)
    for (const std::string& path : {frame.preproc, frame.psf, frame.truth}) paths.push_back(path);
  return paths;
}

// Hashes the files; whether all of them are there.
bool hash_frames(std::vector<InputFrame>& frames) {
  const std::vector<std::optional<std::string>> hashes = hash_files(paths_of(frames));
  for (std::size_t i = 0; i < frames.size(); ++i) {
    frames[i].preproc_sha256 = hashes[3 * i].value_or("");
    frames[i].psf_sha256 = hashes[3 * i + 1].value_or("");
    frames[i].truth_sha256 = hashes[3 * i + 2].value_or("");
  }
  return std::find(hashes.begin(), hashes.end(), std::nullopt) == hashes.end();
}

Json files_json(const InputFrame& frame) {
  Json list = Json::array();
  for (const auto& [path, sha256] : {std::pair{frame.preproc, frame.preproc_sha256},
                                     {frame.psf, frame.psf_sha256},
                                     {frame.truth, frame.truth_sha256}})
    list.push_back({{"camera", frame.camera},
                    {"file", fs::path(path).filename().string()},
                    {"bytes", fs::file_size(path)},
                    {"sha256", sha256}});
  return list;
}

Json manifest_of(const Case& one, std::int64_t seed, const std::vector<InputFrame>& frames) {
  Json manifest{{"generator", generator_json(one, seed)}, {"frames", Json::array()}};
  for (const InputFrame& frame : frames)
    for (Json& file : files_json(frame)) manifest["frames"].push_back(std::move(file));
  return manifest;
}

// Whether the folder holds what its manifest says, and that is this case of this seed.
bool is_whole(const std::string& folder, const Case& one, std::int64_t seed,
              std::vector<InputFrame>& frames) {
  const std::optional<Json> manifest = read_json_file(fs::path(folder) / manifest_name);
  return manifest && hash_frames(frames) && *manifest == manifest_of(one, seed, frames);
}

// The case's frames of `cameras`, commas between, in a new folder.
void simulate(const Case& one, std::int64_t seed, const std::string& cameras,
              const std::string& folder, const Programs& programs, Signals& signals) {
  fs::remove_all(folder);
  fs::create_directories(folder);
  Command command;
  command.argv = {programs.spex_sim, "--output",   folder,       "--on-grid", "--cameras",
                  cameras,           "--size",     one.size,     "--seed",    std::to_string(seed),
                  "--compress",      one.compress, "--loglevel", "warn"};
  command.log = fs::path(folder) / "spex-sim.log";
  command.time_limit_s = simulation_limit_s;
  const CommandResult result = run_command(command, signals);
  if (result.interrupted) throw data_error(folder, "interrupted", "a simulated exposure");
  if (result.status != 0)
    throw data_error(folder, "spex-sim failed, " + end_of(result, command.log),
                     "a simulated exposure");
}

// One frame of those that were kept, drawn by lot, must come out the same once more.
void check_one(const Case& one, const Dataset& dataset, const std::string& data,
               const Programs& programs, Signals& signals) {
  std::random_device random;
  const InputFrame& kept = dataset.frames.at(
      std::uniform_int_distribution<std::size_t>(0, dataset.frames.size() - 1)(random));
  spdlog::info("of the kept inputs of the case {}, seed {}, {} is simulated once more, to be sure",
               one.name, dataset.planned, kept.camera);
  const std::string folder = fs::path(data) / "inputs" / ".again";
  Case alone = one;
  alone.cameras = kept.camera;
  simulate(one, dataset.seed, kept.camera, folder, programs, signals);
  std::vector<InputFrame> again = frames_in(folder, alone);
  const bool same = hash_frames(again) && again[0].preproc_sha256 == kept.preproc_sha256 &&
                    again[0].psf_sha256 == kept.psf_sha256 &&
                    again[0].truth_sha256 == kept.truth_sha256;
  fs::remove_all(folder);
  if (!same)
    throw data_error(kept.preproc, "is not what spex-sim makes",
                     "inputs that nobody changed: another --data");
}

dev_t device_of(const std::string& path) {
  struct stat about {};
  if (stat(path.c_str(), &about) != 0)
    throw data_error(path, std::strerror(errno), "a file or folder that can be read");
  return about.st_dev;
}

// Inputs and outputs share the file system that the result names. By a link they would not.
void check_file_system(const std::string& path, const std::string& data) {
  const std::string outputs = fs::path(data) / "outputs";
  if (device_of(path) != device_of(outputs))
    throw data_error(path, "lies on another file system than " + outputs,
                     "inputs and outputs on one; --data chooses it");
}

Dataset kept_or_made(const Case& one, int planned, Seeds& seeds, const std::string& data,
                     const Programs& programs, Signals& signals) {
  Dataset dataset;
  // The folder's name does not give a drawn seed away.
  dataset.folder =
      fs::path(folder_of_inputs(data, seeds.source())) / fmt::format("{}-{}", one.name, planned);
  dataset.planned = planned;
  dataset.seed = seeds.of(one.name, planned);
  dataset.frames = frames_in(dataset.folder, one);
  if (is_whole(dataset.folder, one, dataset.seed, dataset.frames)) {
    check_one(one, dataset, data, programs, signals);
    return dataset;
  }
  spdlog::info("simulating {} frame(s) of the case {}, seed {}{}", one.camera_list().size(),
               one.name, planned,
               seeds.source() == SeedSource::drawn ? " by another that is drawn" : "");
  simulate(one, dataset.seed, fmt::format("{}", fmt::join(one.camera_list(), ",")), dataset.folder,
           programs, signals);
  if (!hash_frames(dataset.frames))
    throw data_error(dataset.folder, "not all frames were simulated", "readable files");
  const std::string text = manifest_of(one, dataset.seed, dataset.frames).dump(1) + "\n";
  atomic_write(fs::path(dataset.folder) / manifest_name, {text.begin(), text.end()});
  return dataset;
}

}  // namespace

std::string folder_of_inputs(const std::string& data, SeedSource seeds) {
  const fs::path all = fs::path(data) / "inputs";
  return seeds == SeedSource::drawn ? all / "drawn" : all;
}

Dataset prepare_dataset(const Case& one, int planned, Seeds& seeds, const std::string& data,
                        const Programs& programs, Signals& signals) {
  // Before an exposure is made there.
  if (const std::string inputs = fs::path(data) / "inputs"; fs::exists(inputs))
    check_file_system(inputs, data);
  Dataset dataset = kept_or_made(one, planned, seeds, data, programs, signals);
  for (const InputFrame& frame : dataset.frames)
    for (const std::string& path : {frame.preproc, frame.psf}) check_file_system(path, data);
  return dataset;
}

std::string changed_file(const Dataset& dataset) {
  std::vector<InputFrame> now = dataset.frames;
  static_cast<void>(hash_frames(now));
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (now[i].preproc_sha256 != dataset.frames[i].preproc_sha256) return now[i].preproc;
    if (now[i].psf_sha256 != dataset.frames[i].psf_sha256) return now[i].psf;
    if (now[i].truth_sha256 != dataset.frames[i].truth_sha256) return now[i].truth;
  }
  return {};
}

Json inputs_json(const Case& one, SeedSource seeds, const std::string& data) {
  return {{"generator", generator_json(one, one.seed)},
          {"seeds", to_string(seeds)},
          {"storage", file_system_of(data)},
          {"frames", Json::array()}};
}

void add_inputs(const Dataset& dataset, int frames, Json& inputs) {
  Json& files = inputs.at("frames");
  if (std::any_of(files.begin(), files.end(),
                  [&](const Json& file) { return file.at("seed") == dataset.seed; }))
    return;
  for (int k = 0; k < frames; ++k)
    for (Json& file : files_json(dataset.frames.at(k))) {
      file["seed"] = dataset.seed;
      files.push_back(std::move(file));
    }
}

void sort_by_camera(std::vector<ListedFrame>& frames) {
  std::sort(frames.begin(), frames.end(), [](const ListedFrame& a, const ListedFrame& b) {
    return a.input->camera < b.input->camera;
  });
}

void write_frame_list(const std::vector<ListedFrame>& frames, const std::string& path) {
  std::string text;
  for (const ListedFrame& frame : frames)
    text += fmt::format("{} {} {} {}\n", frame.input->camera, frame.input->preproc,
                        frame.input->psf, frame.output);
  atomic_write(path, {text.begin(), text.end()});
}

}  // namespace spex::bench
