// The options that spex-gpu has besides those of spex-cpu.
#pragma once

#include <optional>
#include <string>

#include <CLI/CLI.hpp>

namespace spex {

/// What they were parsed into.
struct GpuArguments {
  std::optional<int> device;  ///< GPU of every rank; those that it is dealt where absent
  std::optional<int> gpus;    ///< of a process alone; as many as its frames are worth where absent
  std::string bind = "gpu";   ///< gpu or none
};

/// Adds the options to `app`.
inline void add_gpu_options(CLI::App& app, GpuArguments& arguments) {
  app.add_option(
         "--device", arguments.device,
         "GPU of every rank; where not given, ranks of a node take those beside them, or in turn,\n"
         "and with pipeline several where there are more GPUs than ranks")
      ->group("Running");
  app.add_option("--gpus", arguments.gpus,
                 "GPUs that a process alone starts for pipeline; where not given, as many as its\n"
                 "frames are worth, as each takes its time to start: 2 for 11 frames, 3 for 31,\n"
                 "4 for 61")
      ->check(CLI::PositiveNumber)
      ->excludes("--device")
      ->group("Running");
  app.add_option(
         "--bind", arguments.bind,
         "gpu: each rank runs on the CPUs beside its GPU, of those that its launcher leaves it;\n"
         "none: wherever it may")
      ->check(CLI::IsMember({"gpu", "none"}))
      ->group("Running");
}

}  // namespace spex
