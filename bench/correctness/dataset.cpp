#include "bench/correctness/dataset.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include "bench/correctness/file_hash.hpp"
#include "bench/measure/machine.hpp"
#include "reference/core/error.hpp"
#include "reference/core/version.hpp"
#include "reference/io/atomic_write.hpp"

namespace spex::bench {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* manifest_name = "manifest.json";
constexpr double simulation_limit_s = 3600;

Json generator_json(const Case& one) {
  return {{"program", "spex-sim"},
          {"version", version()},
          {"seed", one.seed},
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
    frames.push_back({camera, file("preproc", suffix), file("psf", ""), file("truth", "")});
  }
  return frames;
}

// The manifest, where it fits the files and the case.
Json usable_manifest(const std::string& folder, const Case& one) {
  std::ifstream in(fs::path(folder) / manifest_name);
  const Json manifest = Json::parse(in, nullptr, false);
  if (manifest.is_discarded() || manifest.value("generator", Json()) != generator_json(one))
    return {};
  for (const Json& file : manifest.at("frames")) {
    std::error_code error;
    const auto bytes = fs::file_size(fs::path(folder) / file.at("file").get<std::string>(), error);
    if (error || bytes != file.at("bytes").get<std::uintmax_t>()) return {};
  }
  return manifest;
}

Json make_manifest(const std::string& folder, const Case& one) {
  const std::vector<InputFrame> frames = frames_in(folder, one);
  std::vector<std::string> paths;
  for (const InputFrame& frame : frames) {
    paths.push_back(frame.preproc);
    paths.push_back(frame.psf);
  }
  const std::vector<std::optional<std::string>> hashes = hash_files(paths);
  Json manifest;
  manifest["generator"] = generator_json(one);
  manifest["frames"] = Json::array();
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (!hashes[i]) throw data_error(paths[i], "was not simulated", "a readable file");
    manifest["frames"].push_back({{"camera", frames[i / 2].camera},
                                  {"file", fs::path(paths[i]).filename().string()},
                                  {"bytes", fs::file_size(paths[i])},
                                  {"sha256", *hashes[i]}});
  }
  const std::string text = manifest.dump(1) + "\n";
  atomic_write(fs::path(folder) / manifest_name, {text.begin(), text.end()});
  return manifest;
}

void simulate(const Case& one, const std::string& folder, const Programs& programs,
              Signals& signals) {
  spdlog::info("simulating {} frame(s) of the case {}", one.camera_list().size(), one.name);
  fs::remove_all(folder);
  fs::create_directories(folder);
  Command command;
  command.argv = {programs.spex_sim,
                  "--output",
                  folder,
                  "--on-grid",
                  "--cameras",
                  fmt::format("{}", fmt::join(one.camera_list(), ",")),
                  "--size",
                  one.size,
                  "--seed",
                  std::to_string(one.seed),
                  "--compress",
                  one.compress,
                  "--loglevel",
                  "warn"};
  command.log = fs::path(folder) / "spex-sim.log";
  command.time_limit_s = simulation_limit_s;
  const CommandResult result = run_command(command, signals);
  if (result.status != 0)
    throw data_error(folder, "spex-sim failed: " + last_words(command.log), "a simulated exposure");
}

}  // namespace

Dataset prepare_dataset(const Case& one, const std::string& data, const Programs& programs,
                        Signals& signals) {
  Dataset dataset;
  dataset.folder = fs::path(data) / one.name;
  Json manifest = usable_manifest(dataset.folder, one);
  if (manifest.is_null()) {
    simulate(one, dataset.folder, programs, signals);
    manifest = make_manifest(dataset.folder, one);
  }
  dataset.frames = frames_in(dataset.folder, one);
  dataset.inputs = {
      {"generator", manifest.at("generator")}, {"storage", ""}, {"frames", manifest.at("frames")}};
  return dataset;
}

Json inputs_not_made(const Case& one, const std::string& data_folder) {
  return {{"generator", generator_json(one)},
          {"storage", file_system_of(data_folder)},
          {"frames", Json::array()}};
}

Json inputs_of(const Dataset& dataset, int count) {
  Json inputs = dataset.inputs;
  Json& files = inputs["frames"];
  // Two files a frame, image and PSF.
  files.erase(files.begin() + 2 * count, files.end());
  return inputs;
}

std::string output_of(const std::string& outputs, const std::string& camera) {
  return fs::path(outputs) / fmt::format("frame-{}.fits", camera);
}

std::string write_frame_list(const Dataset& dataset, int count, const std::string& outputs) {
  std::vector<InputFrame> frames(dataset.frames.begin(), dataset.frames.begin() + count);
  std::sort(frames.begin(), frames.end(),
            [](const InputFrame& a, const InputFrame& b) { return a.camera < b.camera; });
  const std::string path = fs::path(outputs) / "frames.txt";
  std::ofstream out(path);
  for (const InputFrame& frame : frames)
    out << frame.camera << ' ' << frame.preproc << ' ' << frame.psf << ' '
        << output_of(outputs, frame.camera) << '\n';
  out.close();
  if (!out) throw data_error(path, "cannot be written", "room for it");
  return path;
}

}  // namespace spex::bench
