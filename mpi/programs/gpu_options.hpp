// Options of spex-gpu in addition to spex-cpu's.
#pragma once

#include <optional>
#include <string>

#include <CLI/CLI.hpp>

namespace spex {

/// The parsed options.
struct GpuArguments {
  std::optional<int> device;  ///< GPU of every rank; if absent, GPUs are dealt to ranks
  std::optional<int> gpus;  ///< GPUs of a single process; if absent, chosen by the number of frames
  std::string bind = "gpu";      ///< gpu or none
  std::string inflate = "auto";  ///< auto, on or off
};

/// Adds the options to `app`.
inline void add_gpu_options(CLI::App& app, GpuArguments& arguments) {
  app.add_option(
         "--device", arguments.device,
         "GPU of every rank; default: ranks of a node take the nearest GPUs, or take turns;\n"
         "with pipeline a rank takes several if there are more GPUs than ranks")
      ->group("Running");
  app.add_option(
         "--gpus", arguments.gpus,
         "GPUs that a single process starts for pipeline; default: 1, or 2 from 11 frames, 3\n"
         "from 31, 4 from 61, because each GPU takes time to start")
      ->check(CLI::PositiveNumber)
      ->excludes("--device")
      ->group("Running");
  app.add_option("--bind", arguments.bind,
                 "gpu: bind each rank to the CPUs near its GPU, within the launcher's binding;\n"
                 "none: do not bind")
      ->check(CLI::IsMember({"gpu", "none"}))
      ->group("Running");
  app.add_option("--gpu-inflate", arguments.inflate,
                 "on: GPUs inflate .gz images, for pipeline; off: CPUs do; default: auto, on for\n"
                 "5 frames or more of a rank on GPUs of 40 GB or more")
      ->check(CLI::IsMember({"auto", "on", "off"}))
      ->group("Running");
}

}  // namespace spex
