#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "bench/machine/visible_gpus.hpp"
#include "bench/run/launch.hpp"
#include "reference/core/error.hpp"
#include "reference/model/milestones.hpp"

namespace spex::bench {
namespace {

// NVML's view of a node: four equal GPUs, the third with two instances.
std::vector<GpuIdentity> node() {
  return {{"GPU-aaaa-0", "NVIDIA H200", {}},
          {"GPU-abbb-1", "NVIDIA H200", {}},
          {"GPU-cccc-2", "NVIDIA H200", {"MIG-m0", "MIG-m1"}},
          {"GPU-dddd-3", "NVIDIA H200", {}}};
}

std::vector<int> indices(const std::optional<std::string>& visible) {
  std::vector<int> found;
  for (const VisibleGpu& gpu : visible_gpus(node(), visible, "")) found.push_back(gpu.nvml_index);
  return found;
}

TEST(VisibleGpus, AreThoseOfCuda) {
  const std::vector<std::pair<std::optional<std::string>, std::vector<int>>> cases{
      {std::nullopt, {0, 1, 2, 3}},
      {"", {}},
      {"-1", {}},
      {"none", {}},
      // Indices, up to the first invalid one.
      {"2,0", {2, 0}},
      {"1, 3", {1, 3}},
      {"1,-1,2", {1}},
      {"1,4,2", {1}},
      {"3,GPU-aaaa-0", {3}},
      // UUIDs and unique prefixes.
      {"GPU-dddd-3,GPU-ab", {3, 1}},
      {"GPU-a", {}},
      {"GPU-dddd-3,GPU-e,GPU-cccc-2", {3}},
      // A GPU named twice leaves none.
      {"1,1", {}},
      {"GPU-dd,GPU-dddd", {}},
      // CUDA shows only one instance.
      {"MIG-m1,MIG-m0", {2}},
      {"MIG-none", {}}};
  for (const auto& [visible, expected] : cases)
    EXPECT_EQ(indices(visible), expected) << visible.value_or("absent");
  EXPECT_EQ(visible_gpus(node(), "MIG-m1", "").front().cuda_name, "MIG-m1");
}

TEST(VisibleGpus, IndicesOfDifferentModelsNeedAnOrder) {
  std::vector<GpuIdentity> mixed = node();
  mixed[1].model = "NVIDIA T400";
  EXPECT_THROW(static_cast<void>(visible_gpus(mixed, "0", "")), Error);
  EXPECT_THROW(static_cast<void>(visible_gpus(mixed, "0", "FASTEST_FIRST")), Error);
  EXPECT_EQ(visible_gpus(mixed, "1", "PCI_BUS_ID").front().nvml_index, 1);
  EXPECT_EQ(visible_gpus(mixed, "GPU-cc", "").front().nvml_index, 2);
  EXPECT_EQ(visible_gpus(mixed, std::nullopt, "").size(), 4U);
}

// A run gets the monitored GPUs by name, for any number of GPUs.
TEST(VisibleGpus, AreNamedInTheLaunch) {
  Machine machine;
  machine.visible = visible_gpus(node(), "3,1", "");
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
TEST(VisibleGpus, OneOfSeveralCanBeChosen) {
  Machine machine;
  machine.visible = visible_gpus(node(), "3,1,0", "");
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
TEST(VisibleGpus, SlurmSelectsUnderSrun) {
  Machine machine;
  machine.visible = visible_gpus(node(), std::nullopt, "");
  Entry entry;
  entry.milestone = Milestone::pipeline;
  entry.gpus = 2;
  const LaunchRecord launch = make_launch(
      entry, machine, {.launcher = {.syntax = LauncherSyntax::srun, .program = "srun"}}, {}, {});
  EXPECT_FALSE(launch.environment.contains("CUDA_VISIBLE_DEVICES"));
}

}  // namespace
}  // namespace spex::bench
