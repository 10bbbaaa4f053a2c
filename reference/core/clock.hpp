// Time, as what counts it is given it.
#pragma once

#include <chrono>
#include <functional>

namespace spex {

/// Seconds since some moment, never going back. Tests have clocks of their own.
using Clock = std::function<double()>;

/// The machine's steady clock.
[[nodiscard]] inline double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace spex
