#include "bench/machine/node_meter.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace spex::bench {
namespace {

namespace fs = std::filesystem;

constexpr double micro = 1e-6;

// The number that a file of /sys begins with.
std::optional<double> number_in(const std::string& path) {
  std::ifstream in(path);
  double value = 0;
  if (in >> value) return value;
  return std::nullopt;
}

std::string word_in(const std::string& path) {
  std::ifstream in(path);
  std::string word;
  in >> word;
  return word;
}

// The entries of a folder in the order of their names; none where it cannot be read.
std::vector<std::string> entries_of(const std::string& folder) {
  std::vector<std::string> found;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    found.push_back(it->path().string());
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

NodeMeter::NodeMeter(const std::string& sys) {
  if (find_cray(sys) || find_rapl(sys) || find_power_meter(sys)) return;
  covers_ = "no counter of the node's power can be read (pm_counters, powercap, hwmon power_meter)";
}

bool NodeMeter::find_cray(const std::string& sys) {
  const std::string folder = sys + "/cray/pm_counters";
  if (!number_in(folder + "/energy")) return false;
  source_ = "cray-pm";
  covers_ = "the node";
  energy_path_ = folder + "/energy";
  power_path_ = folder + "/power";
  return true;
}

bool NodeMeter::find_rapl(const std::string& sys) {
  std::vector<std::string> names;
  const auto take = [&](const std::string& zone) {
    const std::optional<double> now = number_in(zone + "/energy_uj");
    if (!now) return;
    const double range = number_in(zone + "/max_energy_range_uj").value_or(0);
    counters_.push_back({zone + "/energy_uj", range, *now, 0});
    names.push_back(word_in(zone + "/name"));
  };
  // Zones are intel-rapl:0, and those within them intel-rapl:0:0; AMD's CPUs have the same names.
  std::vector<std::string> zones;
  for (const std::string& zone : entries_of(sys + "/class/powercap")) {
    const std::string name = fs::path(zone).filename();
    const auto colons = std::count(name.begin(), name.end(), ':');
    const std::string kind = word_in(zone + "/name");
    if (!name.starts_with("intel-rapl:")) continue;
    // The platform's counter has all of the others in it.
    if (kind == "psys" && number_in(zone + "/energy_uj")) {
      zones = {zone};
      break;
    }
    if ((colons == 1 && kind.starts_with("package")) || (colons == 2 && kind == "dram"))
      zones.push_back(zone);
  }
  for (const std::string& zone : zones) take(zone);
  if (counters_.empty()) return false;
  source_ = "rapl";
  covers_ = fmt::format("{}", fmt::join(names, ", "));
  return true;
}

bool NodeMeter::find_power_meter(const std::string& sys) {
  for (const std::string& monitor : entries_of(sys + "/class/hwmon")) {
    if (word_in(monitor + "/name") != "power_meter") continue;
    if (!number_in(monitor + "/power1_average")) continue;
    source_ = "power-meter";
    covers_ = "the node";
    power_path_ = monitor + "/power1_average";
    return true;
  }
  return false;
}

NodeReading NodeMeter::read() {
  NodeReading reading;
  if (source_ == "cray-pm") {
    reading.energy_j = number_in(energy_path_);
    reading.power_w = number_in(power_path_);
  } else if (source_ == "power-meter") {
    if (const auto microwatts = number_in(power_path_)) reading.power_w = *microwatts * micro;
  } else if (source_ == "rapl") {
    double sum = 0;
    for (Counter& counter : counters_) {
      const std::optional<double> now = number_in(counter.path);
      if (!now) return {};
      counter.sum_uj += *now - counter.last_uj + (*now < counter.last_uj ? counter.range_uj : 0);
      counter.last_uj = *now;
      sum += counter.sum_uj;
    }
    reading.energy_j = sum * micro;
  }
  return reading;
}

}  // namespace spex::bench
