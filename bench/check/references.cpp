#include "bench/check/references.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include "bench/result/file_hash.hpp"
#include "bench/run/command.hpp"
#include "reference/core/error.hpp"
#include "reference/core/parallel.hpp"
#include "reference/core/progress.hpp"

namespace spex::bench {
namespace {

namespace fs = std::filesystem;
constexpr double seconds_per_frame = 3600;
constexpr int cpus_per_extractor = 4;  // of several side by side

}  // namespace

References::References(std::string folder, std::string spex_cpu_sha256, const Programs& programs,
                       Signals& signals)
    : folder_(std::move(folder)),
      spex_cpu_sha256_(std::move(spex_cpu_sha256)),
      programs_(programs),
      signals_(signals) {
  fs::create_directories(folder_);
}

std::map<std::string, std::string> References::make(const Entry& entry, const Exposure& exposure,
                                                    int frames, const Reference& reference,
                                                    int run) {
  std::map<std::string, std::string> files;
  std::map<std::string, std::vector<ListedFrame>> missing;  // by method
  for (int k = 0; k < frames; ++k) {
    const InputFrame& frame = exposure.frames.at(k);
    if (!reference.has(frame.camera)) continue;
    const std::string method = reference.method_of(frame.camera, run);
    const std::string what =
        fmt::format("{} {} {} {} {}", exposure.sha256, frame.camera, spex_cpu_sha256_, method,
                    fmt::join(entry.reference_options(), " "));
    const std::string path = fs::absolute(fs::path(folder_) / (hash_text(what) + ".fits"));
    files[frame.camera] = path;
    if (!fs::exists(path)) missing[method].push_back({&frame, path});
  }
  for (const auto& [method, listed] : missing) extract(listed, entry, method);
  return files;
}

void References::extract(const std::vector<ListedFrame>& frames, const Entry& entry,
                         const std::string& method) {
  spdlog::info("{}: {} reference frame(s) by spex-cpu, {}", entry.id, frames.size(), method);
  const std::string list = fs::path(folder_) / fmt::format("frames-{}.txt", getpid());
  write_frame_list(frames, list);
  Progress progress("reference", "frames", static_cast<long>(frames.size()),
                    spdlog::should_log(spdlog::level::info));
  std::size_t done = 0;
  // Several frames in parallel, because reading and writing one leaves most CPUs idle. Each
  // extractor has an equal part of the threads, so none is made without a frame.
  const int extractors =
      std::clamp(default_threads() / cpus_per_extractor, 1, static_cast<int>(frames.size()));
  std::vector<std::string> argv = entry.reference_options();
  argv.insert(argv.begin(), programs_.spex_cpu);
  argv.insert(argv.end(), {"--method", method, "--milestone", "cpu-refactor", "--schedule",
                           "pipeline", "--extractors", std::to_string(extractors), "--list", list});
  Command command{.argv = argv,
                  .environment = launch_environment(),
                  .log = fs::path(folder_) / fmt::format("spex-cpu-{}.log", getpid()),
                  .time_limit_s = seconds_per_frame * static_cast<double>(frames.size())};
  command.meanwhile = [&] {
    for (; done < frames.size() && fs::exists(frames[done].output); ++done) progress.advance();
  };
  must_run(command, folder_, "reference frames", signals_);
  fs::remove(list);
  fs::remove(command.log);
  for (const ListedFrame& frame : frames)
    if (!fs::exists(frame.output))
      throw data_error(frame.output, "was not made", "a reference frame");
}

void References::remove(const std::map<std::string, std::string>& files) {
  std::error_code error;
  for (const auto& [camera, path] : files) fs::remove(path, error);
}

}  // namespace spex::bench
