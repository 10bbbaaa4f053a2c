#include "bench/machine/node_meter.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reference/core/sys_files.hpp"

namespace spex::bench {
namespace {

namespace fs = std::filesystem;

// Zones of the CPU packages and their memory, or of the platform, which includes all others. Zones
// are called intel-rapl:0, and zones within them intel-rapl:0:0; AMD CPUs have the same names.
std::vector<std::string> rapl_zones(const std::string& sys) {
  std::vector<std::string> zones;
  for (const std::string& zone : entries_of(sys + "/class/powercap")) {
    const std::string name = fs::path(zone).filename(), kind = word_in(zone + "/name");
    if (!name.starts_with("intel-rapl:")) continue;
    if (kind == "psys" && number_in(zone + "/energy_uj")) return {zone};
    const auto colons = std::count(name.begin(), name.end(), ':');
    if ((colons == 1 && kind.starts_with("package")) || (colons == 2 && kind == "dram"))
      zones.push_back(zone);
  }
  return zones;
}

}  // namespace

NodeMeter::NodeMeter(const std::string& sys) {
  constexpr double micro = 1e-6;
  const std::string cray = sys + "/cray/pm_counters";
  if (number_in(cray + "/energy")) {
    source_ = "cray-pm";
    covers_ = "the node";
    energy_.push_back({cray + "/energy"});
    power_ = {cray + "/power"};
    return;
  }
  std::vector<std::string> names;
  for (const std::string& zone : rapl_zones(sys)) {
    const std::string path = zone + "/energy_uj";
    const std::optional<double> now = number_in(path);
    if (!now) continue;
    const double range = number_in(zone + "/max_energy_range_uj").value_or(0);
    energy_.push_back({path, micro, range, *now, 0});
    names.push_back(word_in(zone + "/name"));
  }
  if (!energy_.empty()) {
    source_ = "rapl";
    covers_ = fmt::format("{}", fmt::join(names, ", "));
    return;
  }
  for (const std::string& monitor : entries_of(sys + "/class/hwmon"))
    if (word_in(monitor + "/name") == "power_meter" && number_in(monitor + "/power1_average")) {
      source_ = "power-meter";
      covers_ = "the node";
      power_ = {monitor + "/power1_average", micro};
      return;
    }
  covers_ = "no counter of the node's power can be read (pm_counters, powercap, hwmon power_meter)";
}

NodeReading NodeMeter::read() {
  NodeReading reading;
  if (const auto power = number_in(power_.path)) reading.power_w = *power * power_.unit;
  double joules = 0;
  for (Counter& counter : energy_) {
    const std::optional<double> now = number_in(counter.path);
    if (!now) return reading;
    counter.sum += *now - counter.last + (*now < counter.last ? counter.range : 0);
    counter.last = *now;
    joules += counter.sum * counter.unit;
  }
  if (!energy_.empty()) reading.energy_j = joules;
  return reading;
}

}  // namespace spex::bench
