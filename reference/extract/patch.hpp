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

/// What a patch is extracted from, besides its spots.
struct PatchInputs {
  const Pixels& pixels;           ///< of the CCD
  const ExtractOptions& options;  ///< of the extraction
  double psferr = 0;              ///< the fraction in use
  /// The flux of the whole frame in the patch's bundle, which takes the place of the patch's own
  /// solution (section 5.2); or null.
  const FrameFlux* frame = nullptr;
  /// The pixels of the bundle that were rejected, without weight in `pixels`; or null.
  const RejectedPixels* rejected = nullptr;
};

/// Extracts one patch. `spots` are those of its padded fibers and bins.
/// Never throws for what a patch holds: a patch that cannot be solved has status failed.
[[nodiscard]] PatchResult extract_patch(const Patch& patch, const PatchSpots& spots,
                                        const PatchInputs& inputs, StageTimes& times);

}  // namespace spex
