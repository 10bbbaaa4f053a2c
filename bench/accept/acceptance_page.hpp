// The page of an acceptance, in Markdown.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/accept/judgment.hpp"
#include "bench/result/record.hpp"

namespace spex::bench {

/// Verdict, target, judged speeds, correctness of the frames, reasons, notes, machine, samples, and
/// how to judge or run again; of the last judgment, with a line for each one before.
[[nodiscard]] std::string acceptance_page(const std::vector<Record>& records,
                                          const std::vector<Judgment>& judgments);

/// Frames that were compared with a reference and the truth, over all runs.
[[nodiscard]] std::int64_t frames_compared(const Record& record);

/// The largest difference from the reference flux in units of its error. It does not decide whether
/// a frame is wrong: bins next to dark bins have a wider tolerance.
[[nodiscard]] double largest_flux_pull(const Record& record);

}  // namespace spex::bench
