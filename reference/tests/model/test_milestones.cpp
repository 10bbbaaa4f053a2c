// The table of milestones, and the list that CMake generates from its source for scripts.
#include <fstream>
#include <set>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "reference/model/milestones.hpp"
#include "spex_test_paths.hpp"

namespace spex {
namespace {

TEST(Milestones, NamesFindTheirRows) {
  std::set<std::pair<Device, std::string_view>> names;
  for (const MilestoneTraits& one : milestones) {
    EXPECT_TRUE(names.insert({one.device, one.name}).second) << one.name;
    EXPECT_EQ(traits(find_milestone(one.name).value()).name, one.name);
    EXPECT_EQ(&traits(one.milestone), &one);
    EXPECT_EQ(to_string(one.milestone), one.name);
  }
  EXPECT_EQ(find_milestone("direct"), Milestone::direct);
  EXPECT_FALSE(find_milestone("first").has_value());
  EXPECT_FALSE(find_milestone("").has_value());
}

TEST(Milestones, DefaultOfADeviceComesFirst) {
  std::size_t count = 0;
  for (const Device device : {Device::cpu, Device::gpu}) {
    const std::vector<Milestone> of_device = milestones_of(device);
    count += of_device.size();
    EXPECT_EQ(of_device.front(), default_milestone(device));
    EXPECT_EQ(std::set(of_device.begin(), of_device.end()).size(), of_device.size());
    for (const Milestone one : of_device) EXPECT_EQ(traits(one).device, device);
  }
  EXPECT_EQ(count, milestones.size());
}

// An engine belongs to one device and supports what the schedule and the batch require.
TEST(Milestones, RowsAreConsistent) {
  for (const MilestoneTraits& one : milestones) {
    SCOPED_TRACE(one.name);
    const bool cpu = one.engine == Engine::cpu_sparse || one.engine == Engine::cpu_dense;
    EXPECT_EQ(cpu, one.device == Device::cpu);
    EXPECT_EQ(one.engine == Engine::gpu_eigh, !cpu && one.method == Method::eigh);
    const auto of_lapack = [](EighRoutine routine) {
      return routine == EighRoutine::dsyevr || routine == EighRoutine::dsyevd;
    };
    if (cpu) {
      EXPECT_TRUE(of_lapack(one.eigh.N) && of_lapack(one.eigh.blocks));
      EXPECT_EQ(one.eigh.f, SolveRoutine::eigenvectors);
    }
    if (one.engine == Engine::gpu_eigh) {
      EXPECT_NE(one.eigh.N, EighRoutine::dsyevr);
      EXPECT_NE(one.eigh.blocks, EighRoutine::dsyevr);
      EXPECT_NE(one.eigh.f, SolveRoutine::eigenvectors);
    }
    // A rank that has some patches of a subbundle cannot batch the subbundle.
    EXPECT_FALSE(one.eigh.batch_patches() && one.unit == WorkUnit::patch);
  }
}

TEST(Milestones, GeneratedListMatchesTheTable) {
  std::ifstream file(SPEX_BINARY_DIR "/generated/milestones.json");
  const nlohmann::json listed = nlohmann::json::parse(file);
  for (const auto& [device, key] : {std::pair{Device::cpu, "cpu"}, {Device::gpu, "gpu"}}) {
    std::vector<std::string> names;
    for (const MilestoneTraits& one : milestones)
      if (one.device == device) names.emplace_back(one.name);
    EXPECT_EQ(listed.at(key).get<std::vector<std::string>>(), names);
  }
}

}  // namespace
}  // namespace spex
