// The fibermap rows of the extracted spectra (extraction.md, section 1).
#pragma once

#include <string>
#include <vector>

#include "reference/model/preproc.hpp"

namespace spex {

/// FIBER of spectrum 0, the PSF's fiber 0: 500 times the spectrograph of a DESI camera, else the
/// PSF's FIBERMIN. Spectrum k has this FIBER + k.
[[nodiscard]] long long first_fiber(const std::string& camera, int psf_fibermin);

/// Row numbers, from 1, of fibers first ... first + count - 1, which may be in any order among
/// other rows. Throws Error(data) `file: ...` if one of them has no row, or two.
[[nodiscard]] std::vector<long long> rows_of_fibers(const Fibermap& fibermap, long long first,
                                                    int count, const std::string& file);

/// Row numbers, from 1, of spectra specmin ... specmin + nspec - 1 by their places in the table
/// (--fibermap-by-row). Throws Error(data) `file: ...` if there are too few rows.
[[nodiscard]] std::vector<long long> rows_of_places(const Fibermap& fibermap, int specmin,
                                                    int nspec, const std::string& file);

/// A fibermap of only these rows, in this order. `file` names the fibermap in errors. Throws
/// Error(data).
[[nodiscard]] Fibermap take_rows(Fibermap fibermap, const std::vector<long long>& rows,
                                 const std::string& file);

}  // namespace spex
