// The speeds that a threshold requires of an entry, beside what was measured.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/result/derive.hpp"

namespace spex::bench {

/// A required speed.
struct JudgedSpeed {
  std::string what;                  ///< "effective FPNH", "effective seconds", ...
  bool is_rate = true;               ///< FPNH, at least; otherwise seconds of an exposure, at most
  std::optional<Statistic> found;    ///< as measured; fewer frames are scaled to an exposure
  double limit = 0;                  ///< the least FPNH, less the margin; or the most seconds
  std::string verdict;               ///< pass, fail or inconclusive
  std::vector<std::string> reasons;  ///< why it is not pass; empty if it is

  /// How many times as fast as required: below 1 is too slow. Nothing if nothing was measured.
  [[nodiscard]] std::optional<double> ratio() const;
};

/// The required speeds of a record's threshold, in its order; `fom` belongs to the record. A speed
/// whose interval is wider than the record's `quiet` allows is inconclusive, however fast it is.
[[nodiscard]] std::vector<JudgedSpeed> judge_speeds(const Record& record, const Fom& fom);

/// fail, inconclusive or pass: the first that one of the speeds is; not-judged without speeds.
[[nodiscard]] std::string worst_of(const std::vector<JudgedSpeed>& speeds);

}  // namespace spex::bench
