// Times of day as text and numbers.
#pragma once

#include <chrono>
#include <ctime>
#include <string>

#include <fmt/chrono.h>

namespace spex::bench {

/// A time such as "2026-11-21T08:00:00Z".
[[nodiscard]] inline std::string utc_text(double unix_seconds) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}Z", fmt::gmtime(static_cast<std::time_t>(unix_seconds)));
}

/// The current time, in seconds since 1970.
[[nodiscard]] inline double unix_now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace spex::bench
