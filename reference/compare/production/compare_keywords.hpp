// Compares the headers of a frame with DESI's pipeline.
#pragma once

#include "reference/compare/production/difference.hpp"
#include "reference/compare/production/pipeline_frame.hpp"

namespace spex {

/// Adds the keywords of the HDUs of both frames that are missing, have another value, or are in
/// ours alone. Expected are
///
/// - keywords that state program, versions and options of the extraction
/// - IN_IMG, IN_PSF and ORIG_PSF: other folders or compression, the same file
/// - CAMERA in capitals
/// - HELIOCOR within earth_orientation_limit
/// - BUNIT in ours alone, which production writes in the primary header and WAVELENGTH only
///
/// Numbers are equal if they have the same value in double precision.
void compare_keywords(const PipelineFrame& ours, const PipelineFrame& production,
                      Differences& differences);

}  // namespace spex
