#include "bench/correctness/expected_frames.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include "bench/measure/command.hpp"
#include "reference/core/error.hpp"

namespace spex::bench {
namespace {

namespace fs = std::filesystem;
constexpr double reference_limit_s = 7200;

}  // namespace

ExpectedStore::ExpectedStore(std::string folder) : folder_(std::move(folder)) {
  fs::remove_all(folder_);
  fs::create_directories(folder_);
}

ExpectedStore::Known& ExpectedStore::known(const Entry& entry) {
  std::vector<std::string> options = entry.result_options();
  // Methods must agree, so they share what is expected.
  if (const auto method = std::find(options.begin(), options.end(), "--method");
      method != options.end())
    options.erase(method, std::min(method + 2, options.end()));
  const std::string key = fmt::format("{} {}", entry.case_name, fmt::join(options, " "));
  const auto [found, is_new] = known_.try_emplace(key);
  if (is_new) {
    found->second.folder = fs::path(folder_) / std::to_string(known_.size());
    fs::create_directories(found->second.folder);
  }
  return found->second;
}

const ExpectedFrames& ExpectedStore::of(const Entry& entry, const Dataset& dataset, int frames,
                                        const std::optional<Reference>& reference,
                                        const Programs& programs, Signals& signals) {
  Known& expected = known(entry);
  if (!reference || expected.reference_made) return expected.frames;
  Dataset wanted = dataset;
  wanted.frames.resize(static_cast<std::size_t>(frames));
  std::erase_if(wanted.frames, [&](const InputFrame& frame) {
    const auto& cameras = reference->cameras;
    return std::find(cameras.begin(), cameras.end(), frame.camera) == cameras.end();
  });
  expected.reference_made = true;
  if (wanted.frames.empty()) return expected.frames;
  spdlog::info("{}: {} frame(s) by spex-cpu, to be held to", entry.id, wanted.frames.size());
  const std::string list =
      write_frame_list(wanted, static_cast<int>(wanted.frames.size()), expected.folder);
  const Launch launch = make_reference_launch(entry, reference->method, programs, {"--list", list});
  Command command{launch.argv, launch.environment, fs::path(expected.folder) / "log",
                  reference_limit_s};
  const CommandResult result = run_command(command, signals);
  if (result.status != 0)
    throw data_error(list, "spex-cpu failed: " + last_words(command.log), "frames to be held to");
  for (const InputFrame& frame : wanted.frames)
    expected.frames[frame.camera] = {output_of(expected.folder, frame.camera), "spex-cpu"};
  return expected.frames;
}

void ExpectedStore::adopt(const Entry& entry, const Validation& validation,
                          const std::string& outputs) {
  Known& expected = known(entry);
  for (const FrameValidation& frame : validation.frames()) {
    if (!frame.pass() || expected.frames.contains(frame.camera)) continue;
    const std::string kept = output_of(expected.folder, frame.camera);
    fs::rename(output_of(outputs, frame.camera), kept);
    expected.frames[frame.camera] = {kept, entry.id};
  }
}

}  // namespace spex::bench
