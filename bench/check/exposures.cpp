#include "bench/check/exposures.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <random>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include "bench/machine/machine.hpp"
#include "bench/result/file_hash.hpp"
#include "bench/run/command.hpp"
#include "reference/core/error.hpp"
#include "reference/core/version.hpp"
#include "reference/fits/write/atomic_write.hpp"

namespace spex::bench {
namespace {

namespace fs = std::filesystem;

constexpr double simulation_limit_s = 3600;
constexpr const char* digest_name = "inputs.sha256";
// Increased when the same options of spex-sim give other files.
constexpr int form_of_inputs = 2;

// Random seed above 2^32 (plans are below) and below 2^53 (exact in JSON).
std::int64_t draw_seed() {
  constexpr std::int64_t min = std::int64_t{1} << 32, max = (std::int64_t{1} << 53) - 1;
  std::random_device random;
  return std::uniform_int_distribution<std::int64_t>(min, max)(random);
}

// Hash of the list of hashes of all images and PSFs; "" if a file is missing.
std::string digest_of(const Exposure& exposure) {
  std::vector<std::string> paths;
  for (const InputFrame& frame : exposure.frames) {
    paths.push_back(frame.preproc);
    paths.push_back(frame.psf);
  }
  return hash_of_files(paths);
}

// Describes a kept exposure: its case and digest.
std::string kept_text(const Exposure& exposure) {
  return fmt::format("{} form {} {} {} {}\n", version(), form_of_inputs, exposure.plan_case->size,
                     fmt::join(exposure.plan_case->cameras, ","), exposure.sha256);
}

}  // namespace

Exposures::Exposures(std::string data, bool drawn, const Programs& programs, Signals& signals)
    : data_(std::move(data)),
      folder_(fs::path(data_) / "inputs" / (drawn ? "drawn" : "")),
      drawn_(drawn),
      programs_(programs),
      signals_(signals) {}

Exposure Exposures::at(const Case& plan_case, std::int64_t seed) const {
  Exposure exposure{&plan_case, "", seed, "", {}};
  // The folder's name must not reveal a drawn seed.
  const std::string name = drawn_
                               ? hash_text(fmt::format("{} {}", plan_case.name, seed)).substr(0, 16)
                               : fmt::format("{}-{}", plan_case.name, seed);
  exposure.folder = fs::path(folder_) / name;
  const std::string ending = plan_case.compress == "none" ? "" : "." + plan_case.compress;
  for (const std::string& camera : plan_case.cameras) {
    const auto file = [&](const char* kind, const std::string& end) {
      return (fs::path(exposure.folder) / fmt::format("{}-{}-00000001.fits{}", kind, camera, end))
          .string();
    };
    exposure.frames.push_back(
        {camera, file("preproc", ending), file("psf", ""), file("truth", "")});
  }
  return exposure;
}

Exposure Exposures::make(const Case& plan_case, int planned_seed) {
  Exposure exposure = at(plan_case, drawn_ ? draw_seed() : std::int64_t{planned_seed});
  const std::string kept = fs::path(exposure.folder) / digest_name;
  if (!drawn_ && fs::exists(kept)) {
    exposure.sha256 = digest_of(exposure);
    std::string text;
    std::getline(std::ifstream(kept), text);
    if (text + "\n" == kept_text(exposure)) return exposure;
  }
  spdlog::info("simulating {} frame(s) of the case {}", plan_case.cameras.size(), plan_case.name);
  fs::remove_all(exposure.folder);
  fs::create_directories(exposure.folder);
  simulate(exposure, "inputs");
  exposure.sha256 = digest_of(exposure);
  if (exposure.sha256.empty())
    throw data_error(exposure.folder, "not all frames were simulated", "readable files");
  if (!drawn_) atomic_write(kept, kept_text(exposure));
  return exposure;
}

std::optional<Exposure> Exposures::find(const Case& plan_case, std::int64_t seed,
                                        const std::string& sha256) const {
  Exposure exposure = at(plan_case, seed);
  exposure.sha256 = sha256;
  if (digest_of(exposure) != sha256) return std::nullopt;
  return exposure;
}

void Exposures::make_truths(const Exposure& exposure) {
  if (digest_of(exposure) != exposure.sha256)
    throw data_error(exposure.folder, "the inputs changed after they were made",
                     "files that nobody changes");
  simulate(exposure, "truth");
}

void Exposures::simulate(const Exposure& exposure, const char* files) {
  const Case& plan_case = *exposure.plan_case;
  const std::string cameras = fmt::format("{}", fmt::join(plan_case.cameras, ","));
  must_run(
      {.argv = {programs_.spex_sim, "--output", exposure.folder, "--on-grid", "--cameras", cameras,
                "--size", plan_case.size, "--seed", std::to_string(exposure.seed), "--compress",
                plan_case.compress, "--files", files, "--overwrite", "--loglevel", "warn"},
       .log = fs::path(data_) / "spex-sim.log",
       .time_limit_s = simulation_limit_s},
      exposure.folder, "a simulated exposure", signals_);
}

void Exposures::remove_truths(const Exposure& exposure) {
  std::error_code error;
  for (const InputFrame& frame : exposure.frames) fs::remove(frame.truth, error);
}

void Exposures::remove(const Exposure& exposure) const {
  std::error_code error;
  if (drawn_) fs::remove_all(exposure.folder, error);
}

void Exposures::clear() const {
  if (drawn_) fs::remove_all(folder_);
}

InputsRecord Exposures::record(const Case& plan_case) const {
  return {{"spex-sim", version(), plan_case.size,
           fmt::format("{}", fmt::join(plan_case.cameras, ",")), plan_case.compress},
          drawn_ ? "drawn" : "plan",
          file_system_of(data_),
          "warm: the inputs are written, or hashed, just before the run"};
}

std::vector<ExposureFrame> frames_of(const std::vector<Exposure>& exposures, int frames) {
  std::vector<ExposureFrame> found;
  for (std::size_t e = 0; e < exposures.size(); ++e)
    for (int k = 0; k < frames; ++k) found.push_back({e, k});
  std::ranges::sort(found, {}, [&](const ExposureFrame& frame) {
    return std::tie(frame.exposure, exposures[frame.exposure].frames.at(frame.frame).camera);
  });
  return found;
}

void write_frame_list(const std::vector<ListedFrame>& frames, const std::string& path) {
  std::string text;
  for (const ListedFrame& frame : frames)
    text += fmt::format("{} {} {} {}\n", frame.input->camera, frame.input->preproc,
                        frame.input->psf, frame.output);
  atomic_write(path, {text.begin(), text.end()});
}

}  // namespace spex::bench
