// The driver's list of GPUs, with fake trees of /proc and /dev.
#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mpi/run/visible_devices.hpp"
#include "reference/tests/support/scratch.hpp"

namespace spex::mpi {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

// A node of four GPUs. Their device numbers are not in the order of their PCI addresses.
class VisibleDevices : public testing::Test {
 protected:
  VisibleDevices() {
    fs::create_directories(dev());
    add("0000:03:00.0", 2, "GPU-aaaa");
    add("0000:41:00.0", 3, "GPU-bbbb");
    add("0000:82:00.0", 0, "GPU-cccc");
    add("0000:c1:00.0", 1, "GPU-cddd");
  }

  fs::path proc() const { return fs::path(folder_.file("proc")); }
  fs::path dev() const { return fs::path(folder_.file("dev")); }
  void add(const std::string& bus_id, int minor, const std::string& uuid,
           const std::string& model = "NVIDIA A100-SXM4-40GB", const std::string& excluded = "No") {
    fs::create_directories(proc() / "gpus" / bus_id);
    std::ofstream(proc() / "gpus" / bus_id / "information")
        << "Model: \t\t " << model << "\nIRQ:   \t\t 300\nGPU UUID: \t " << uuid
        << "\nBus Location: \t " << bus_id << "\nDevice Minor: \t " << minor << "\nGPU Excluded:\t "
        << excluded << '\n';
    std::ofstream(device_file(minor)) << "";
  }
  fs::path device_file(int minor) const { return dev() / ("nvidia" + std::to_string(minor)); }
  std::vector<VisibleDevice> visible(const char* variable) const {
    return visible_devices(variable, proc(), dev());
  }

  test::ScratchFolder folder_;
};

TEST_F(VisibleDevices, AreAllByAddressIfTheVariableIsUnset) {
  const VisibleDevice a{"0", "0000:03:00.0"}, b{"1", "0000:41:00.0"}, c{"2", "0000:82:00.0"},
      d{"3", "0000:c1:00.0"};
  EXPECT_THAT(visible(nullptr), ElementsAre(a, b, c, d));
}

TEST_F(VisibleDevices, AreThoseOfTheVariable) {
  const VisibleDevice last{"3", "0000:c1:00.0"}, first{"0", "0000:03:00.0"};
  EXPECT_THAT(visible("3, 0"), ElementsAre(last, first));
  const VisibleDevice by_uuid{"GPU-bbbb", "0000:41:00.0"}, by_start{"GPU-cd", "0000:c1:00.0"};
  EXPECT_THAT(visible("GPU-bbbb,GPU-cd"), ElementsAre(by_uuid, by_start));
}

TEST_F(VisibleDevices, AreUnknownForOtherValues) {
  for (const char* other :
       {"", "-1", "none", "4", "0,x", "0,,1", "0,0", "0,GPU-aaaa", "GPU-c", "GPU-eeee", "MIG-1234"})
    EXPECT_THAT(visible(other), IsEmpty()) << other;
}

// A scheduler may allow a job only some GPUs; CUDA numbers those.
TEST_F(VisibleDevices, LackThoseThatThisProcessMayNotOpen) {
  fs::remove(device_file(2));
  const VisibleDevice first{"0", "0000:41:00.0"};
  ASSERT_EQ(visible(nullptr).size(), 3);
  EXPECT_EQ(visible(nullptr).front(), first);
  EXPECT_THAT(visible("0"), ElementsAre(first));
}

TEST_F(VisibleDevices, LackThoseThatTheDriverExcludes) {
  add("0000:41:00.0", 3, "GPU-bbbb", "NVIDIA A100-SXM4-40GB", "Yes");
  EXPECT_EQ(visible(nullptr).size(), 3);
}

// CUDA counts the fastest model first.
TEST_F(VisibleDevices, AreUnknownForSeveralModels) {
  add("0000:e1:00.0", 4, "GPU-eeee", "NVIDIA T400");
  EXPECT_THAT(visible(nullptr), IsEmpty());
}

TEST_F(VisibleDevices, AreUnknownWithMig) {
  fs::create_directories(proc() / "capabilities/gpu1/mig/config");
  EXPECT_EQ(visible(nullptr).size(), 4);
  fs::create_directories(proc() / "capabilities/gpu1/mig/gi7");
  EXPECT_THAT(visible(nullptr), IsEmpty());
}

TEST_F(VisibleDevices, AreUnknownWithoutTheDriversFolder) {
  EXPECT_THAT(visible_devices(nullptr, folder_.file("missing"), dev()), IsEmpty());
  EXPECT_THAT(visible_devices("0,1", folder_.file("missing"), dev()), IsEmpty());
}

// The driver starts a GPU only for the ranks that use it.
TEST(NamesOfDealt, AreThoseOfThisRank) {
  const Communicator world = Communicator::world();
  const int rank = world.rank(), ranks = world.size();
  const std::vector<VisibleDevice> visible{{"3", "a"}, {"2", "b"}, {"1", "c"}, {"0", "d"}};
  std::string expected;
  for (int device = rank % 4; device < 4; device += ranks)
    expected += (expected.empty() ? "" : ",") + visible[static_cast<std::size_t>(device)].name;
  EXPECT_EQ(names_of_dealt(visible, 4, world), expected);
  EXPECT_EQ(names_of_dealt(visible, 1, world), expected.substr(0, 1));
}

TEST(NamesOfDealt, AreNoneIfRanksSeeDifferentGpus) {
  const Communicator world = Communicator::world();
  EXPECT_EQ(names_of_dealt({}, 4, world), "");
  const std::vector<VisibleDevice> of_rank{{"0", std::to_string(world.rank())}};
  EXPECT_EQ(names_of_dealt(of_rank, 4, world), world.size() == 1 ? "0" : "");
}

}  // namespace
}  // namespace spex::mpi
