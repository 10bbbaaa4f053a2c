// The exit statuses of all programs (docs/results.md).
#pragma once

namespace spex::status {

inline constexpr int done = 0;          ///< or: a comparison, a verdict passes
inline constexpr int failed = 1;        ///< a file is wrong, or the work failed
inline constexpr int usage = 2;         ///< the command line is wrong
inline constexpr int incorrect = 3;     ///< a comparison fails, or what was to be timed is wrong
inline constexpr int slow = 4;          ///< right, but slower than it must be
inline constexpr int unhealthy = 5;     ///< the machine is
inline constexpr int inconclusive = 6;  ///< the timing is too scattered to say
inline constexpr int incomplete = 7;  ///< frames without inputs were skipped; all others are there
inline constexpr int skipped = 77;    ///< there is no GPU, or the test's data are not here

}  // namespace spex::status
