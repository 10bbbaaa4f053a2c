// A function that extracts patches, by CPU or GPU.
#pragma once

#include <functional>
#include <vector>

#include "reference/core/stage_times.hpp"
#include "reference/layout/patches.hpp"
#include "reference/model/extracted.hpp"

namespace spex {

struct ExtractInputs;

/// A function that extracts patches of a frame in this process, by CPU or GPU, as extract_patches
/// does.
using PatchExtractor =
    std::function<Extracted(const ExtractInputs& inputs, const std::vector<Patch>& patches,
                            StageTimes& times, const std::function<void(long)>& done)>;

/// The CPU reference implementation on `threads` threads.
[[nodiscard]] PatchExtractor cpu_extractor(int threads);

}  // namespace spex
