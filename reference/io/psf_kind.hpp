// The kinds of PSF that can be read (extraction.md, section 1).
#pragma once

#include <optional>
#include <string>

namespace spex {

/// Where a PSF has its traces.
enum class PsfLayout {
  trace_hdus,  ///< HDUs XTRACE and YTRACE: version 3
  one_table,   ///< rows X and Y of its only table: versions 1 and 2
};

/// Throws Error(data) `file: hdu: ...` unless PSFTYPE is GAUSS-HERMITE and PSFVER is of the layout,
/// as a number or as text; quotes, blanks and capitals do not count. Absent keywords say nothing.
void check_psf_kind(const std::string& file, const std::string& hdu,
                    const std::optional<std::string>& psftype,
                    const std::optional<std::string>& psfver,
                    PsfLayout layout = PsfLayout::trace_hdus);

}  // namespace spex
