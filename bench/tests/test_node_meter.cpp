#include <filesystem>

#include <gtest/gtest.h>

#include "bench/machine/node_meter.hpp"
#include "reference/tests/support/scratch.hpp"

namespace spex::bench {
namespace {

namespace fs = std::filesystem;

// A folder that replaces /sys.
struct FakeSys {
  const test::ScratchFolder scratch;
  const std::string root = scratch.file("sys");

  void put(const std::string& name, const std::string& text) const {
    const fs::path path = fs::path(root) / name;
    fs::create_directories(path.parent_path());
    test::write_file(path.string(), text);
  }
  void put_zone(const std::string& zone, const std::string& name, const std::string& energy) const {
    const std::string folder = "class/powercap/" + zone;
    put(folder + "/name", name + "\n");
    put(folder + "/energy_uj", energy);
    put(folder + "/max_energy_range_uj", "1000000000\n");
  }
};

TEST(NodeMeter, ExplainsAMissingCounter) {
  const FakeSys sys;
  NodeMeter meter(sys.root);
  EXPECT_EQ(meter.source(), "");
  EXPECT_NE(meter.covers(), "");
  EXPECT_FALSE(meter.read().energy_j);
  EXPECT_FALSE(meter.read().power_w);
}

TEST(NodeMeter, RaplAddsPackagesAndTheirMemory) {
  const FakeSys sys;
  sys.put_zone("intel-rapl:0", "package-0", "5000000\n");
  sys.put_zone("intel-rapl:0:0", "core", "1000000\n");
  sys.put_zone("intel-rapl:0:1", "dram", "2000000\n");
  sys.put_zone("intel-rapl:1", "package-1", "7000000\n");
  NodeMeter meter(sys.root);
  EXPECT_EQ(meter.source(), "rapl");
  EXPECT_EQ(meter.covers(), "package-0, dram, package-1");
  EXPECT_EQ(meter.read().energy_j, 0);
  sys.put_zone("intel-rapl:0", "package-0", "8000000\n");
  sys.put_zone("intel-rapl:0:0", "core", "3000000\n");
  sys.put_zone("intel-rapl:0:1", "dram", "2500000\n");
  EXPECT_EQ(meter.read().energy_j, 3.5);
}

TEST(NodeMeter, RaplCountersMayWrapAround) {
  const FakeSys sys;
  sys.put_zone("intel-rapl:0", "package-0", "999000000\n");
  NodeMeter meter(sys.root);
  sys.put_zone("intel-rapl:0", "package-0", "4000000\n");
  EXPECT_EQ(meter.read().energy_j, 5);
}

TEST(NodeMeter, ThePlatformsCounterIncludesAllOthers) {
  const FakeSys sys;
  sys.put_zone("intel-rapl:0", "package-0", "0\n");
  sys.put_zone("intel-rapl:1", "psys", "0\n");
  NodeMeter meter(sys.root);
  EXPECT_EQ(meter.covers(), "psys");
}

TEST(NodeMeter, CraysCountersComeFirst) {
  const FakeSys sys;
  sys.put_zone("intel-rapl:0", "package-0", "0\n");
  sys.put("cray/pm_counters/energy", "123456 J 1700000000 us\n");
  sys.put("cray/pm_counters/power", "812 W 1700000000 us\n");
  NodeMeter meter(sys.root);
  EXPECT_EQ(meter.source(), "cray-pm");
  EXPECT_EQ(meter.read().energy_j, 123456);
  EXPECT_EQ(meter.read().power_w, 812);
}

TEST(NodeMeter, APowerMeterOfTheController) {
  const FakeSys sys;
  sys.put("class/hwmon/hwmon0/name", "coretemp\n");
  sys.put("class/hwmon/hwmon1/name", "power_meter\n");
  sys.put("class/hwmon/hwmon1/power1_average", "430000000\n");
  NodeMeter meter(sys.root);
  EXPECT_EQ(meter.source(), "power-meter");
  EXPECT_EQ(meter.read().power_w, 430);
  EXPECT_FALSE(meter.read().energy_j);
}

}  // namespace
}  // namespace spex::bench
