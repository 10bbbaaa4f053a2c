// Assembles patches to a frame (extraction.md, section 7).
#pragma once

#include <cstdint>
#include <vector>

#include "reference/layout/patches.hpp"
#include "reference/model/extracted.hpp"
#include "reference/model/frame.hpp"
#include "reference/model/patch_result.hpp"

namespace spex {

struct ExtractInputs;

/// Counts of a frame's patches by status, of its bins, and of its fibers by the fit of their PSF.
struct PatchCounts {
  int patches = 0;      ///< patches of the frame
  int guarded = 0;      ///< solved as a whole because a guard of section 5.1 rejected the method
  int fell_back = 0;    ///< solved by eigh because the method failed
  int failed = 0;       ///< not solved
  int direct = 0;       ///< for `--flux frame`: flux solved directly, not by sweeps
  long bins = 0;        ///< bins of the frame
  long dark = 0;        ///< bins without a usable pixel (ivar 0)
  long overflowed = 0;  ///< bins that float32 could not hold
  /// Spectra whose row of FIBERMAP, taken by place, has another FIBER.
  int other_fibers = 0;
  long beyond = 0;     ///< bins beyond the wavelengths of their fiber (extraction.md, section 2.1)
  long pulled = 0;     ///< bins whose flux the prior pulls (section 4.1)
  int failed_fit = 0;  ///< fibers whose PSF has a STATUS other than 0
  int unfitted = 0;    ///< fibers of bundles whose PSF was not fitted
  int tails = 0;       ///< fibers whose PSF has tails, which are ignored
  long rejected_pixels = 0;  ///< rejected pixels of the frame's bundles (section 5.3)
  int rejecting = 0;         ///< patches with such a pixel
  int reject_rounds = 0;     ///< rounds of the bundle that took most
};

/// Copies the results of all `patches` (in the same order) into a frame of the requested fibers:
/// flux / dw, ivar dw^2, MASK bits SOMEBADPIX, ALLBADPIX, BAD2DFIT and NODATA. Bins that float32
/// cannot hold are zeroed (drop_overflows.hpp). Patches are placed in the given order, so that sums
/// do not depend on the number of ranks.
[[nodiscard]] Frame assemble_frame(const ExtractInputs& inputs, const std::vector<Patch>& patches,
                                   const std::vector<PatchResult>& results);

/// The same from an extractor's output. If the output already contains the whole frame, uses that
/// frame and sets its MASK.
[[nodiscard]] Frame take_frame(const ExtractInputs& inputs, const std::vector<Patch>& patches,
                               Extracted& extracted);

/// A frame of the requested fibers with no extracted data; MASK is not set. R is in single
/// precision if `inputs.wanted` is a frame as it is written.
[[nodiscard]] Frame empty_frame(const ExtractInputs& inputs);

/// Copies a patch's spectra into a frame from empty_frame(). Several threads may place patches.
void place_patch(const Patch& patch, const PatchResult& result, Frame& frame);

/// Sums the patches' models in the given order.
[[nodiscard]] ModelImage assemble_model(int nx, int ny, const std::vector<PatchResult>& results);

/// The rejected pixels of the bundles of all results, as y nx + x of the CCD, ascending. The
/// results hold the patches of the first wavelength step, as those of every frame do.
[[nodiscard]] std::vector<std::uint32_t> rejected_pixels(const std::vector<PatchResult>& results);

/// Counts the results by status, and the rejected pixels.
[[nodiscard]] PatchCounts count_patches(const std::vector<PatchResult>& results);
/// The same, including the bins of the assembled `frame`.
[[nodiscard]] PatchCounts count_patches_and_bins(const Frame& frame,
                                                 const std::vector<PatchResult>& results);

}  // namespace spex
