// The exit statuses of all programs (docs/results.md).
#pragma once

namespace spex::status {

inline constexpr int done = 0;          ///< also: a comparison or a verdict passes
inline constexpr int failed = 1;        ///< a file is wrong, or the work failed
inline constexpr int usage = 2;         ///< the command line is wrong
inline constexpr int incorrect = 3;     ///< a comparison fails, or a timed result is incorrect
inline constexpr int slow = 4;          ///< correct, but slower than required
inline constexpr int unhealthy = 5;     ///< the machine is unhealthy
inline constexpr int inconclusive = 6;  ///< the timings scatter too much for a verdict
inline constexpr int incomplete =
    7;                              ///< frames without inputs were skipped; all other frames exist
inline constexpr int skipped = 77;  ///< there is no GPU, or the test data are missing

}  // namespace spex::status
