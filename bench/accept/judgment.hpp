// The judgment of an acceptance: ACCEPT, REJECT or REPEAT, and the number that decides.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/plan/members.hpp"
#include "bench/result/derive.hpp"
#include "bench/result/record.hpp"

namespace spex::bench {

/// A required speed of an entry beside the measured one.
struct AcceptedSpeed {
  std::string entry, what, unit;
  std::optional<double> measured, low, high, coverage;
  int runs = 0, frames = 0;
  double limit = 0;
  std::optional<double> ratio, fpnh;
  std::string verdict;
  SPEX_ROWS((entry), (what),
            (unit, "s from launch to exit, or frames per node-hour", one_of("s", "FPNH")),
            (measured, "the median"), (low), (high),
            (coverage, "probability that the interval holds the median"),
            (runs, "that count; of a long run, its parts"), (frames, "that the seconds are of"),
            (limit, "at most (s), or at least (FPNH, less the margin)"),
            (ratio, "how many times as fast as required"), (fpnh, "the measured speed in FPNH"),
            (verdict, one_of("pass", "fail", "inconclusive")))
};

struct Judgment {
  std::string utc, word;
  int exit_status = 0;
  std::string target;
  std::vector<AcceptedSpeed> speeds;
  std::vector<std::string> reasons, notes;
  SPEX_ROWS((utc, utc_form), (word, one_of("ACCEPT", "REJECT", "REPEAT")),
            (exit_status, exit_statuses), (target), (speeds),
            (reasons, "why it is not ACCEPT: \"ENTRY: ...\""),
            (notes, "what a reader of an ACCEPT must know"))
};

/// ACCEPT for the status 0, REJECT for a wrong frame, a slow or an unhealthy machine, otherwise
/// REPEAT: something could not run, or scatters too much.
[[nodiscard]] std::string word_of_status(int exit_status);

/// GPUs that are slower alone than the others: the whole interval of their rate lies more than 5%
/// below the median of all. A speed for each entry of the group `alone_group`; none for fewer than
/// two GPUs.
[[nodiscard]] std::vector<AcceptedSpeed> compare_gpus(const std::vector<Record>& records);

/// Judges the records of a plan with their thresholds. `exit_status` is that of the plan.
[[nodiscard]] Judgment judge_acceptance(const std::vector<Record>& records, int exit_status,
                                        const std::string& target);

/// The speed that decides: the first that is not passed, otherwise the one nearest to its limit.
[[nodiscard]] const AcceptedSpeed* deciding(const Judgment& judgment);

/// A speed with its interval and limit: "2.52 s an exposure (2.41 to 2.73, 6 runs), at most 900 s
/// wanted".
[[nodiscard]] std::string speed_text(const AcceptedSpeed& speed);

/// The last line of the output, without its end: the word, the deciding speed with its interval,
/// limit and ratio, and what to do.
[[nodiscard]] std::string last_line(const Judgment& judgment);

/// A number with thousands separated by commas, and no decimals from 100 on.
[[nodiscard]] std::string readable(double value);

}  // namespace spex::bench
