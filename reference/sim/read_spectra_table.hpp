// Spectra of a table, a row a fiber.
#pragma once

#include "reference/fits/read/fits_file.hpp"
#include "reference/sim/read_spectra.hpp"

namespace spex {

/// The columns WAVELENGTH and FLUX of the file's first table that has either. All rows with the
/// same equal steps give `dw`. Fluxes are not checked. Throws Error(data) if there is no such table
/// or column, its shape or unit is another, or wavelengths do not ascend.
[[nodiscard]] GivenSpectra read_spectra_table(FitsReader& file);

}  // namespace spex
