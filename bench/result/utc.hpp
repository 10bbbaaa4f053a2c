// Times of day.
#pragma once

#include <string>

namespace spex::bench {

/// "2026-11-21T08:00:00Z".
[[nodiscard]] std::string utc_text(double unix_seconds);
/// Now, seconds since 1970.
[[nodiscard]] double unix_now();

}  // namespace spex::bench
