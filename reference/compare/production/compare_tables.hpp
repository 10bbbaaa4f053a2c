// Compares FIBERMAP and SCORES with DESI's pipeline, column by column.
#pragma once

#include "reference/compare/production/bin_states.hpp"
#include "reference/compare/production/difference.hpp"

namespace spex {

/// Adds the columns that are missing, have another form, or differ in a row. Expected are
///
/// - FIBERMAP: bits BADAMPB, BADAMPR, BADAMPZ of FIBERSTATUS in production alone, in fibers of
/// which
///   at least 40% of the bins are BADCOLUMN: desi_proc sets both after the extraction
/// - SCORES within 1e-6; beyond, if the scores of each frame follow its own FLUX and IVAR
void compare_tables(const PipelinePair& pair, Differences& differences);

}  // namespace spex
