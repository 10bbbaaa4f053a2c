// What the node says of its own power, where it has a counter that this user may read.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace spex::bench {

struct NodeReading {
  std::optional<double> energy_j;  ///< of a counter that only rises; its zero means nothing
  std::optional<double> power_w;   ///< now, or the meter's own average
};

/// The first of these that can be read:
///
///     cray-pm       /sys/cray/pm_counters: energy and power of the node
///     rapl          /sys/class/powercap: energy of the CPU packages, and of their memory where it
///                   is told apart; the platform's (psys) where there is one
///     power-meter   /sys/class/hwmon: power of the node by its management controller (ACPI, IPMI)
class NodeMeter {
 public:
  /// `sys` is where the system's /sys is.
  explicit NodeMeter(const std::string& sys = "/sys");

  /// cray-pm, rapl or power-meter; empty where there is none.
  [[nodiscard]] const std::string& source() const { return source_; }
  /// What it counts, in words; where there is none, why.
  [[nodiscard]] const std::string& covers() const { return covers_; }
  /// Nothing in it where a counter cannot be read any more. Counters of RAPL that began again from
  /// zero are continued, where this is called more often than they do: every minute is enough.
  [[nodiscard]] NodeReading read();

 private:
  struct Counter {
    std::string path;
    double unit = 1;   // of its numbers, in J or W
    double range = 0;  // at which it begins again
    double last = 0, sum = 0;
  };

  std::string source_, covers_;
  std::vector<Counter> energy_;
  Counter power_;
};

}  // namespace spex::bench
