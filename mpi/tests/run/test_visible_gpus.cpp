// How CUDA interprets CUDA_VISIBLE_DEVICES.
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "mpi/run/visible_gpus.hpp"
#include "reference/core/error.hpp"

namespace spex::mpi {
namespace {

// A node of four equal GPUs, the third with two instances.
std::vector<GpuIdentity> node() {
  return {{"GPU-aaaa-0", "NVIDIA H200", {}},
          {"GPU-abbb-1", "NVIDIA H200", {}},
          {"GPU-cccc-2", "NVIDIA H200", {"MIG-m0", "MIG-m1"}},
          {"GPU-dddd-3", "NVIDIA H200", {}}};
}

std::vector<int> indices(const char* visible) {
  std::vector<int> found;
  for (const VisibleGpu& gpu : visible_gpus(node(), visible, "")) found.push_back(gpu.index);
  return found;
}

TEST(VisibleGpus, AreThoseOfCuda) {
  const std::vector<std::pair<const char*, std::vector<int>>> cases{
      {nullptr, {0, 1, 2, 3}},
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
    EXPECT_EQ(indices(visible), expected) << (visible == nullptr ? "not set" : visible);
  EXPECT_EQ(visible_gpus(node(), "MIG-m1", "").front().name, "MIG-m1");
}

TEST(VisibleGpus, IndicesOfDifferentModelsNeedAnOrder) {
  std::vector<GpuIdentity> mixed = node();
  mixed[1].model = "NVIDIA T400";
  EXPECT_THROW(static_cast<void>(visible_gpus(mixed, "0", "")), Error);
  EXPECT_THROW(static_cast<void>(visible_gpus(mixed, "0", "FASTEST_FIRST")), Error);
  EXPECT_EQ(visible_gpus(mixed, "1", "PCI_BUS_ID").front().index, 1);
  EXPECT_EQ(visible_gpus(mixed, "GPU-cc", "").front().index, 2);
  EXPECT_EQ(visible_gpus(mixed, nullptr, "").size(), 4U);
}

}  // namespace
}  // namespace spex::mpi
