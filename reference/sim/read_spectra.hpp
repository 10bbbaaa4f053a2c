// Reads spectra to simulate, in the form of a truth (file-formats.md).
#pragma once

#include <string>

#include "reference/model/options.hpp"
#include "reference/sim/spectra.hpp"

namespace spex {

/// Spectra from HDUs WAVELENGTH (Angstrom, equal ascending steps) and FLUX (electron / Angstrom,
/// rounded to float32). Throws Error(data) if an HDU is missing or of another shape, a checksum is
/// wrong, or a flux is negative, not finite or beyond float32.
[[nodiscard]] Truth read_spectra(const std::string& path);

/// The spectra for a PSF: sets `on_grid` if the wavelengths are those of `grid` and its
/// continuation, and warns of light beyond the wavelengths of the PSF. Throws Error(data) `path:
/// ...` if there are not as many spectra as fibers, or `must_be_on_grid` and they are not.
[[nodiscard]] Truth spectra_for(const Psf& psf, Truth spectra, const WaveRange& grid,
                                bool must_be_on_grid, const std::string& path);

}  // namespace spex
