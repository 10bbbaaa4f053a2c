// The extraction of one patch (extraction.md, sections 3 to 6).
#pragma once

#include "reference/core/stage_times.hpp"
#include "reference/extract/decorrelate.hpp"
#include "reference/extract/frame_flux.hpp"
#include "reference/extract/reject_pixels.hpp"
#include "reference/layout/patches.hpp"
#include "reference/model/extract_options.hpp"
#include "reference/model/patch_result.hpp"
#include "reference/model/preproc.hpp"

namespace spex {

/// The blocks of N that belong to the core spectra of a patch; `ndiag` is the largest distance from
/// the diagonal of R, in bins.
[[nodiscard]] BlockRange core_blocks(const Patch& patch, int ndiag);

/// Extracts one patch. `spots` are those of its padded fibers and bins; psferr is the fraction in
/// use. `frame`, where given, is the flux of the whole frame in the patch's bundle, and takes the
/// place of the patch's own solution (section 5.2). `rejected`, where given, are the pixels of the
/// bundle that were rejected, without weight in `pixels`.
/// Never throws for what a patch holds: a patch that cannot be solved has status failed.
[[nodiscard]] PatchResult extract_patch(const Patch& patch, const PatchSpots& spots,
                                        const Pixels& pixels, const ExtractOptions& options,
                                        double psferr, StageTimes& times,
                                        const FrameFlux* frame = nullptr,
                                        const RejectedPixels* rejected = nullptr);

}  // namespace spex
