#include "bench/result/utc.hpp"

#include <chrono>

#include <fmt/chrono.h>

namespace spex::bench {

std::string utc_text(double unix_seconds) {
  const std::chrono::system_clock::time_point time{
      std::chrono::seconds(static_cast<long long>(unix_seconds))};
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}Z",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(time)));
}

double unix_now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace spex::bench
