// The kinds of PSF that can be read (extraction.md, section 1).
#pragma once

#include <optional>
#include <string>

#include "reference/model/psf.hpp"

namespace spex {

/// Where a PSF has its traces.
enum class PsfLayout {
  trace_hdus,  ///< HDUs XTRACE and YTRACE: version 3
  one_table,   ///< rows X and Y of its only table: versions 1 and 2, and GAUSS-HERMITE2
  coeff_hdus,  ///< HDUs XCOEFF and YCOEFF: SPOTGRID, MONOSPOT and PCA-PIX
};

/// The kind that PSFTYPE names. Throws Error(data) `file: hdu: ...` unless it is of the layout, and
/// PSFVER of a Gauss-Hermite kind is, as a number or as text; quotes, blanks and capitals do not
/// count. Absent keywords say nothing; without PSFTYPE the kind is GAUSS-HERMITE, which is none of
/// coeff_hdus.
PsfKind check_psf_kind(const std::string& file, const std::string& hdu,
                       const std::optional<std::string>& psftype,
                       const std::optional<std::string>& psfver,
                       PsfLayout layout = PsfLayout::trace_hdus);

}  // namespace spex
