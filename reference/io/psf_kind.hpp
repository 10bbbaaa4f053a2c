// The kinds of PSF that can be read (extraction.md, section 1).
#pragma once

#include <optional>
#include <string>

namespace spex {

/// Throws Error(data) `file: hdu: ...` unless PSFTYPE is GAUSS-HERMITE and PSFVER is 3, as a number
/// or as text; quotes, blanks and capitals do not count. Absent keywords say nothing.
void check_psf_kind(const std::string& file, const std::string& hdu,
                    const std::optional<std::string>& psftype,
                    const std::optional<std::string>& psfver);

}  // namespace spex
