// The CPU's milestones: how spots are shared between patches (milestones.md).
#pragma once

#include <functional>
#include <vector>

#include "reference/core/stage_times.hpp"
#include "reference/layout/patches.hpp"
#include "reference/model/patch_result.hpp"

namespace spex {

struct ExtractInputs;

/// Is given each patch and its result as soon as the patch is extracted, by the thread that
/// extracted the patch. May take arrays out of the result.
using PlaceResult = std::function<void(const Patch& patch, PatchResult& result)>;

/// Extracts `patches` on `threads` threads; results in the same order, the same bytes whatever the
/// number of threads. baseline: every patch evaluates the spots that it needs. cpu-refactor: spots
/// are evaluated once for all the patches of a bundle that are in the list.
///
/// `done(n)` is called, from any thread, when n more patches are done. `times` gains the seconds of
/// all threads, those of `place` in the stage gather. Throws Error(data) where the PSF is no PSF at
/// a wavelength asked for.
[[nodiscard]] std::vector<PatchResult> extract_patches(const ExtractInputs& inputs,
                                                       const std::vector<Patch>& patches,
                                                       int threads, StageTimes& times,
                                                       const std::function<void(long)>& done,
                                                       const PlaceResult& place = {});

}  // namespace spex
