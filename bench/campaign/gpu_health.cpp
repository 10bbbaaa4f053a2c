#include "bench/campaign/gpu_health.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "bench/plan/members.hpp"

namespace spex::bench {
namespace {

using Json = nlohmann::ordered_json;

Json larger(const Json& kept, const std::optional<double>& value) {
  if (!value) return kept;
  return kept.is_null() ? *value : std::max(kept.get<double>(), *value);
}

}  // namespace

void add_health(const std::vector<GpuObservation>& watched, HealthRecord& health) {
  if (watched.empty()) return;
  const bool first = health.before.is_null();
  if (first) health.before = health.during = Json::array();
  health.reason.reset();
  health.after = Json::array();
  for (std::size_t i = 0; i < watched.size(); ++i) {
    const GpuObservation& gpu = watched[i];
    health.after.push_back(json_of(gpu.after));
    if (first) {
      health.before.push_back(json_of(gpu.before));
      health.during.push_back({{"uuid", gpu.before.uuid},
                               {"throttle_reasons", Json::array()},
                               {"temperature_max_c", nullptr},
                               {"clock_sm_max_mhz", nullptr},
                               {"power_max_w", nullptr}});
    }
    Json& during = health.during.at(i);
    std::set<std::string> reasons = during.at("throttle_reasons");
    reasons.insert(gpu.throttle_reasons.begin(), gpu.throttle_reasons.end());
    during["throttle_reasons"] = reasons;
    during["temperature_max_c"] = larger(during["temperature_max_c"], gpu.temperature_max_c);
    during["clock_sm_max_mhz"] = larger(during["clock_sm_max_mhz"], gpu.clock_sm_max_mhz);
    during["power_max_w"] = larger(during["power_max_w"], gpu.power_max_w);
  }
}

}  // namespace spex::bench
