#include "bench/roofline/frame_costs.hpp"

#include <map>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "bench/roofline/stage_costs.hpp"
#include "mpi/programs/exposure_cli.hpp"
#include "mpi/programs/extract_cli.hpp"
#include "reference/core/error.hpp"
#include "reference/io/read_psf.hpp"
#include "reference/layout/patches.hpp"
#include "reference/layout/wavelengths.hpp"

namespace spex::bench {
namespace {

ExtractArguments arguments_of(const Entry& entry) {
  ExtractArguments arguments;
  arguments.device = traits(entry.milestone).device;
  arguments.milestone = to_string(entry.milestone);
  return arguments;
}

void parse(CLI::App& app, const Entry& entry, const std::vector<std::string>& words) {
  std::vector<const char*> argv{"spex-bench"};
  for (const std::string& word : words) argv.push_back(word.c_str());
  try {
    app.parse(static_cast<int>(argv.size()), argv.data());
  } catch (const CLI::ParseError& error) {
    throw usage_error(entry.id, error.what(), "an extractor's options");
  }
}

// The entry's options as an extractor understands them.
ExtractOptions options_of(const Entry& entry) {
  CLI::App app;
  ExtractArguments arguments = arguments_of(entry);
  add_extract_options(app, arguments);
  std::vector<std::string> words = entry.result_options();
  words.insert(words.end(), {"-i", "image", "-p", "psf", "-o", "frame"});
  parse(app, entry, words);
  return make_job(arguments).settings.options;
}

WaveGrid grid_of(const ExtractOptions& options, const InputFrame& frame) {
  return make_wave_grid(wave_range_of(options, frame.camera, frame.preproc));
}

}  // namespace

void check_options(const Entry& entry, const std::string& division) {
  static_cast<void>(options_of(entry));
  if (division == "optimized") return;
  CLI::App app;
  ExtractArguments arguments = arguments_of(entry);
  add_extract_options(app, arguments);
  ExposureArguments many;
  add_exposure_options(app, arguments, many);
  // spex-gpu's own (gpu/programs/spex_gpu.cpp).
  std::optional<int> device, gpus;
  std::string bind;
  if (entry.on_gpu()) {
    app.add_option("--device", device);
    app.add_option("--gpus", gpus);
    app.add_option("--bind", bind);
  }
  std::vector<std::string> words = entry.run_options;
  words.insert(words.end(), {"--events", "events.json"});
  if (entry.alone)
    words.insert(words.end(), {"-i", "image", "-p", "psf", "-o", "frame"});
  else
    words.insert(words.end(), {"--list", "frames.txt"});
  parse(app, entry, words);
  if (const char* option = option_of_many(many); entry.alone && option != nullptr)
    throw usage_error(entry.id, fmt::format("'alone' with {}", option), "options of one frame");
  if (!many.schedule.empty()) static_cast<void>(parse_schedule(many.schedule));
}

nlohmann::ordered_json frame_costs(const Entry& entry, const Dataset& dataset, int frames) {
  const ExtractOptions options = options_of(entry);
  // The PSFs of a band differ by little.
  std::map<char, std::vector<StageCost>> by_band;
  std::map<Stage, StageCost> sums;
  for (int k = 0; k < frames; ++k) {
    const InputFrame& frame = dataset.frames.at(k);
    std::vector<StageCost>& costs = by_band[frame.camera.at(0)];
    if (costs.empty()) {
      costs = stage_costs(read_psf(frame.psf), grid_of(options, frame), options);
    }
    for (const StageCost& cost : costs) {
      StageCost& sum = sums.try_emplace(cost.stage, StageCost{cost.stage, 0, 0}).first->second;
      sum.flops += cost.flops;
      sum.bytes += cost.bytes;
    }
  }
  auto json = nlohmann::ordered_json::array();
  for (const auto& [stage, cost] : sums)
    json.push_back({{"stage", to_string(stage)}, {"flops", cost.flops}, {"bytes", cost.bytes}});
  return json;
}

long patch_count(const Entry& entry, const InputFrame& frame) {
  const ExtractOptions options = options_of(entry);
  const Psf psf = read_psf(frame.psf);
  return static_cast<long>(make_patches(options, grid_of(options, frame), psf.nfiber).size());
}

}  // namespace spex::bench
