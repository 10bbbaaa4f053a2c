#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "bench/run/launch.hpp"
#include "mpi/run/visible_gpus.hpp"
#include "reference/core/error.hpp"
#include "reference/model/milestones.hpp"

namespace spex::bench {
namespace {

// A node of four equal GPUs.
std::vector<mpi::GpuIdentity> node() {
  return {{"GPU-aaaa-0", "NVIDIA H200", {}},
          {"GPU-abbb-1", "NVIDIA H200", {}},
          {"GPU-cccc-2", "NVIDIA H200", {}},
          {"GPU-dddd-3", "NVIDIA H200", {}}};
}

// A run gets the monitored GPUs by name, for any number of GPUs.
TEST(LaunchGpus, AreNamedInTheLaunch) {
  Machine machine;
  machine.visible = mpi::visible_gpus(node(), "3,1", "");
  Entry entry;
  entry.milestone = Milestone::pipeline;
  for (const int gpus : {1, 2}) {
    entry.gpus = gpus;
    const LaunchRecord launch = make_launch(entry, machine, {}, {}, {});
    EXPECT_EQ(launch.environment.at("CUDA_VISIBLE_DEVICES"),
              gpus == 1 ? "GPU-dddd-3" : "GPU-dddd-3,GPU-abbb-1");
    EXPECT_EQ(launch.environment.at("CUDA_DEVICE_ORDER"), "PCI_BUS_ID");
  }
}

// One of several GPUs alone; under srun within the step, because Slurm gives it the first ones.
TEST(LaunchGpus, OneOfSeveralCanBeChosen) {
  Machine machine;
  machine.visible = mpi::visible_gpus(node(), "3,1,0", "");
  Entry entry;
  entry.id = "gpu-1";
  entry.milestone = Milestone::pipeline;
  entry.gpus = 1;
  entry.ranks = 1;
  entry.first_gpu = 1;
  const LaunchRecord launch = make_launch(entry, machine, {}, {}, {});
  EXPECT_EQ(launch.environment.at("CUDA_VISIBLE_DEVICES"), "GPU-abbb-1");
  LaunchSettings slurm{.launcher = {.syntax = LauncherSyntax::srun, .program = "srun"}};
  const std::string line =
      fmt::format("{}", fmt::join(make_launch(entry, machine, slurm, {}, {}).argv, " "));
  EXPECT_NE(line.find("--gpus-per-node=2 --gpu-bind=none"), std::string::npos) << line;
  EXPECT_NE(line.find(" env CUDA_VISIBLE_DEVICES=GPU-abbb-1 "), std::string::npos) << line;
  machine.nodes_allocated = 2;
  EXPECT_THROW(static_cast<void>(make_launch(entry, machine, slurm, {}, {})), Error);
  slurm.nodes = 2;
  EXPECT_THROW(static_cast<void>(make_launch(entry, machine, slurm, {}, {})), Error);
}

// Under srun, Slurm selects the GPUs.
TEST(LaunchGpus, SlurmSelectsUnderSrun) {
  Machine machine;
  machine.visible = mpi::visible_gpus(node(), nullptr, "");
  Entry entry;
  entry.milestone = Milestone::pipeline;
  entry.gpus = 2;
  const LaunchRecord launch = make_launch(
      entry, machine, {.launcher = {.syntax = LauncherSyntax::srun, .program = "srun"}}, {}, {});
  EXPECT_FALSE(launch.environment.contains("CUDA_VISIBLE_DEVICES"));
}

}  // namespace
}  // namespace spex::bench
