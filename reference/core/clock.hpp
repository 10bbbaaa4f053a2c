// Clocks, which are injected so that tests can control time.
#pragma once

#include <chrono>
#include <functional>

namespace spex {

/// Monotonic seconds since an arbitrary origin.
using Clock = std::function<double()>;

/// Seconds of std::chrono::steady_clock.
[[nodiscard]] inline double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace spex
