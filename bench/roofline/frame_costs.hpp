// What the frames of an entry cost, stage by stage, for the roofline.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "bench/correctness/dataset.hpp"
#include "bench/measure/entry.hpp"

namespace spex::bench {

/// [{"stage", "flops", "bytes"}], summed over the first `frames` of the dataset. Throws
/// Error(usage) where the entry's options are none of an extractor.
[[nodiscard]] nlohmann::ordered_json frame_costs(const Entry& entry, const Dataset& dataset,
                                                 int frames);

/// Throws Error(usage) where the entry's options are none of an extractor; nor its run_options, but
/// in the division `optimized`, whose extractor may have others.
void check_options(const Entry& entry, const std::string& division);

/// Patches of a frame of the entry, by its options and grid. Throws as `frame_costs` does.
[[nodiscard]] long patch_count(const Entry& entry, const InputFrame& frame);

}  // namespace spex::bench
