// Compares MASK with DESI's pipeline, bit by bit.
#pragma once

#include "reference/compare/production/bin_states.hpp"
#include "reference/compare/production/difference.hpp"
#include "reference/compare/production/patch_grid.hpp"

namespace spex {

/// Adds the bits that differ. A bit is expected to differ
///
/// - in a dropped patch, where production's MASK is 0 (or BADCOLUMN)
/// - SOMEBADPIX, ALLBADPIX in ours alone: in bins whose spots reach beyond the CCD (without a PSF:
///   if all bins from there to an end of the grid have the bit); production counts no masked light
///   there
/// - ALLBADPIX in ours alone, if both have SOMEBADPIX: production requires a fraction of exactly 1
/// - NODATA in ours alone: in bins beyond float32
/// - BAD2DFIT: if each frame follows a rule (frame/bad_2d_fits.hpp) by its own CHI2PIX, in all of
/// its
///   bins; rules or CHI2PIX then differ
/// - BADCOLUMN in production alone, which desi_proc sets after the extraction
void compare_masks(const PipelinePair& pair, const PatchGrid& grid, const BinStates& states,
                   Differences& differences);

}  // namespace spex
