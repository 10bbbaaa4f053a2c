// From patches to a frame (extraction.md, section 7).
#pragma once

#include <vector>

#include "reference/extract/extract_patches.hpp"
#include "reference/model/frame.hpp"
#include "reference/model/patch_result.hpp"

namespace spex {

/// How many patches ended how.
struct PatchCounts {
  int patches = 0;    ///< of the frame
  int guarded = 0;    ///< by a guard of section 5.1 solved as a whole
  int fell_back = 0;  ///< which eigh solved in the method's place
  int failed = 0;     ///< which could not be solved
  int direct = 0;     ///< of `--flux frame`: whose flux was not found by sweeps
  long bins = 0;      ///< of the frame
  long dark = 0;      ///< bins without a usable pixel, whose ivar is 0
};

/// Places the results of all `patches` (in the same order) in a frame of the fibers asked for:
/// flux / dw, ivar dw^2, MASK bits SOMEBADPIX, ALLBADPIX, BAD2DFIT and NODATA. Patches are placed
/// in the order given, which is what keeps sums independent of who computed them.
[[nodiscard]] Frame assemble_frame(const ExtractInputs& inputs, const std::vector<Patch>& patches,
                                   const std::vector<PatchResult>& results);

/// The same from what an extractor gave; where that is a whole frame already, it is taken from
/// there, and gains its MASK.
[[nodiscard]] Frame take_frame(const ExtractInputs& inputs, const std::vector<Patch>& patches,
                               Extracted& extracted);

/// A frame of the fibers asked for in which nothing is extracted, MASK not set. R is in float where
/// `inputs.wanted` is a frame as it is written.
[[nodiscard]] Frame empty_frame(const ExtractInputs& inputs);

/// Places a patch's spectra in the frame of `empty_frame`. Several threads may place patches.
void place_patch(const Patch& patch, const PatchResult& result, Frame& frame);

/// Sums the patches' models, in the order given.
[[nodiscard]] ModelImage assemble_model(int nx, int ny, const std::vector<PatchResult>& results);

/// Counts the results by their status.
[[nodiscard]] PatchCounts count_patches(const std::vector<PatchResult>& results);
/// The same with the bins of `frame`, into which the patches were put together.
[[nodiscard]] PatchCounts count_patches_and_bins(const Frame& frame,
                                                 const std::vector<PatchResult>& results);

/// Sets BAD2DFIT where chi2pix > 5 times its median over fibers at that wavelength and > 5 times
/// its median over the wavelengths of that fiber.
void flag_bad_2d_fits(Frame& frame);

}  // namespace spex
