// The driver's list of GPUs, with fake trees of /proc and /dev.
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mpi/run/locate_gpus.hpp"
#include "reference/tests/support/scratch.hpp"

namespace spex::mpi {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

// A node of four GPUs. Their device files are not in the order of their PCI addresses.
class LocateGpus : public testing::Test {
 protected:
  LocateGpus() {
    fs::create_directories(dev());
    add("0000:03:00.0", 2, "GPU-aaaa");
    add("0000:41:00.0", 3, "GPU-bbbb");
    add("0000:82:00.0", 0, "GPU-cccc");
    add("0000:c1:00.0", 1, "GPU-dddd");
  }

  fs::path proc() const { return fs::path(folder_.file("proc")); }
  fs::path dev() const { return fs::path(folder_.file("dev")); }
  fs::path device_file(int minor) const { return dev() / ("nvidia" + std::to_string(minor)); }
  void add(const std::string& bus_id, int minor, const std::string& uuid,
           const std::string& model = "NVIDIA A100-SXM4-40GB", const std::string& excluded = "No") {
    fs::create_directories(proc() / "gpus" / bus_id);
    std::ofstream(proc() / "gpus" / bus_id / "information")
        << "Model: \t\t " << model << "\nIRQ:   \t\t 300\nGPU UUID: \t " << uuid
        << "\nBus Location: \t " << bus_id << "\nDevice Minor: \t " << minor << "\nGPU Excluded:\t "
        << excluded << '\n';
    std::ofstream(device_file(minor)) << "";
  }
  // "NAME BUS_ID" of each GPU.
  std::vector<std::string> located(const char* visible) const {
    std::vector<std::string> found;
    for (const LocatedGpu& gpu : locate_gpus(visible, proc(), dev()))
      found.push_back(gpu.name + " " + gpu.bus_id);
    return found;
  }

  test::ScratchFolder folder_;
};

TEST_F(LocateGpus, AllByAddress) {
  EXPECT_THAT(located(nullptr), ElementsAre("GPU-aaaa 0000:03:00.0", "GPU-bbbb 0000:41:00.0",
                                            "GPU-cccc 0000:82:00.0", "GPU-dddd 0000:c1:00.0"));
}

TEST_F(LocateGpus, ThoseOfTheVariable) {
  EXPECT_THAT(located("3, 0"), ElementsAre("GPU-dddd 0000:c1:00.0", "GPU-aaaa 0000:03:00.0"));
  EXPECT_THAT(located("GPU-bb"), ElementsAre("GPU-bbbb 0000:41:00.0"));
  EXPECT_THAT(located("none"), IsEmpty());
  EXPECT_THAT(located("MIG-1234"), IsEmpty());
}

// A scheduler may allow a job only some GPUs; CUDA numbers those.
TEST_F(LocateGpus, NoneThatThisProcessMayNotOpen) {
  fs::remove(device_file(2));
  EXPECT_EQ(located(nullptr).size(), 3);
  EXPECT_THAT(located("0"), ElementsAre("GPU-bbbb 0000:41:00.0"));
}

TEST_F(LocateGpus, NoneThatTheDriverExcludes) {
  add("0000:41:00.0", 3, "GPU-bbbb", "NVIDIA A100-SXM4-40GB", "Yes");
  EXPECT_EQ(located(nullptr).size(), 3);
}

TEST_F(LocateGpus, NoneOfSeveralModels) {
  add("0000:e1:00.0", 4, "GPU-eeee", "NVIDIA T400");
  EXPECT_THAT(located(nullptr), IsEmpty());
  EXPECT_THAT(located("0"), IsEmpty());
}

TEST_F(LocateGpus, NoneWithMig) {
  fs::create_directories(proc() / "capabilities/gpu1/mig/config");
  EXPECT_EQ(located(nullptr).size(), 4);
  fs::create_directories(proc() / "capabilities/gpu1/mig/gi7");
  EXPECT_THAT(located(nullptr), IsEmpty());
}

TEST_F(LocateGpus, NoneWithoutUuids) {
  add("0000:41:00.0", 3, "GPU-????");
  EXPECT_THAT(located(nullptr), IsEmpty());
}

TEST_F(LocateGpus, NoneWithoutTheDriversFolder) {
  EXPECT_THAT(locate_gpus(nullptr, folder_.file("missing"), dev()), IsEmpty());
  EXPECT_THAT(locate_gpus("0,1", folder_.file("missing"), dev()), IsEmpty());
}

// The driver starts a GPU only for the ranks that use it.
TEST(DealtGpus, AreThoseOfThisRank) {
  const Communicator world = Communicator::world();
  const int rank = world.rank(), ranks = world.size();
  const std::vector<LocatedGpu> all{{"w", "a"}, {"x", "b"}, {"y", "c"}, {"z", "d"}};
  std::string expected;
  for (int gpu = rank % 4; gpu < 4; gpu += ranks)
    expected += (expected.empty() ? "" : ",") + all[static_cast<std::size_t>(gpu)].name;
  EXPECT_EQ(dealt_gpus(all, 4, world), expected);
  EXPECT_EQ(dealt_gpus(all, 1, world), expected.substr(0, 1));
}

TEST(DealtGpus, AreNoneIfRanksSeeDifferentGpus) {
  const Communicator world = Communicator::world();
  EXPECT_EQ(dealt_gpus({}, 4, world), "");
  EXPECT_EQ(dealt_gpus({{"w", std::to_string(world.rank())}}, 4, world),
            world.size() == 1 ? "w" : "");
}

}  // namespace
}  // namespace spex::mpi
