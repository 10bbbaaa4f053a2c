// What a run says of itself, held to what was asked for and what was seen from outside.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/measure/run_log.hpp"

namespace spex::bench {

/// What was asked of a run.
struct AskedOf {
  std::string program;    ///< spex-cpu or spex-gpu
  std::string milestone;  ///< by its name
  std::vector<std::string> cameras;
  int ranks = 1;
  long patches = 0;  ///< of all frames, by the options and the grid
  int nodes = 1;     ///< that the ranks are on, at most
};

/// What was seen of it; times in seconds since 1970 by this machine's clock.
struct SeenOf {
  double start = 0;                  ///< before the launcher started
  double end = 0;                    ///< after it ended
  std::optional<double> first_read;  ///< when an input was first opened
  std::optional<double> last_write;  ///< when the last output took its name
  double slack = 0.05;               ///< of the clocks of files
  std::string answer;    ///< of a file that a run has no business with (`answer_touched`); empty
  std::string unopened;  ///< an input that was not opened; empty
  double clock_was_set = 0;  ///< seconds by which somebody moved this machine's clock
  /// When a GPU's memory was first seen in use; not under MPS, whose server starts by itself.
  std::optional<double> first_gpu_use{};
  std::string gpu_not_given{};  ///< a GPU whose memory was in use, though the run was not given it
};

/// Seconds for each second of a run by which clocks are adjusted (NTP slews by half of it).
inline constexpr double clock_drift = 1e-3;

/// The part of the patches that may fail, and that may fall back to eigh.
inline constexpr double bad_patches_limit = 0.001;

/// What a line ends with that tells of a file that holds answers, or inputs of other runs.
inline constexpr const char* no_business = ", with which the run has no business";
/// Such a line: of the file that was opened, or moved, meanwhile; "" where both are.
[[nodiscard]] std::string answer_touched(const std::string& opened, const std::string& moved);

/// The first thing in which the log contradicts what was asked or seen, in a line; "" where it does
/// not: another program, milestone, frames, ranks or number of patches; an input that was not
/// opened; this machine's clock was set meanwhile; a clock that begins after the first input was
/// opened or a GPU was taken, ends before the last output was there, or is not within the run; a
/// file touched that holds an answer; a GPU used that it was not given; too many patches that
/// failed or fell back.
[[nodiscard]] std::string contradiction(const RunLog& log, const AskedOf& asked,
                                        const SeenOf& seen);

}  // namespace spex::bench
