#include "bench/machine/cpu_health.hpp"

#include <algorithm>
#include <optional>

#include "reference/core/sys_files.hpp"

namespace spex::bench {
namespace {

void add(const std::optional<double>& more, std::optional<double>& sum) {
  if (more) sum = sum.value_or(0) + *more;
}

}  // namespace

CpuHealth read_cpu_health(const std::string& sys) {
  CpuHealth found;
  for (const std::string& controller : entries_of(sys + "/devices/system/edac/mc")) {
    add(number_in(controller + "/ce_count"), found.memory_corrected);
    add(number_in(controller + "/ue_count"), found.memory_uncorrected);
  }
  // All CPUs of a package have its counter.
  std::optional<double> package;
  for (const std::string& cpu : entries_of(sys + "/devices/system/cpu")) {
    const std::string throttle = cpu + "/thermal_throttle";
    add(number_in(throttle + "/core_throttle_count"), found.throttled);
    if (const auto count = number_in(throttle + "/package_throttle_count"))
      package = std::max(package.value_or(0), *count);
  }
  add(package, found.throttled);
  return found;
}

}  // namespace spex::bench
