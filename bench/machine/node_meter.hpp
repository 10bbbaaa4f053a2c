// Reads the node's power and energy from a counter that this user may read.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace spex::bench {

struct NodeReading {
  std::optional<double> energy_j;  ///< of a counter that only rises, with an arbitrary zero
  std::optional<double> power_w;   ///< now, or the meter's own average
};

/// Uses the first of these that can be read:
///
///     cray-pm       /sys/cray/pm_counters: energy and power of the node
///     rapl          /sys/class/powercap: energy of the platform (psys), or of the CPU packages
///                   and their memory
///     power-meter   /sys/class/hwmon: power of the node by its management controller (ACPI, IPMI)
class NodeMeter {
 public:
  /// `sys` is the path of /sys.
  explicit NodeMeter(const std::string& sys = "/sys");

  /// cray-pm, rapl or power-meter; empty without a counter.
  [[nodiscard]] const std::string& source() const { return source_; }
  /// What the counter covers; without one, the reason.
  [[nodiscard]] const std::string& covers() const { return covers_; }
  /// Values are missing if a counter can no longer be read. RAPL counters that wrap around to zero
  /// are continued, if this is called once a minute.
  [[nodiscard]] NodeReading read();

 private:
  struct Counter {
    std::string path;
    double unit = 1;   // J or W per count
    double range = 0;  // value at which the counter wraps around
    double last = 0, sum = 0;
  };

  std::string source_, covers_;
  std::vector<Counter> energy_;
  Counter power_;
};

}  // namespace spex::bench
