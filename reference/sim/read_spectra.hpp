// Reads spectra to put on the CCD: a truth, or a table of wavelengths and fluxes (file-formats.md).
#pragma once

#include <string>
#include <vector>

#include "reference/model/wave_range.hpp"
#include "reference/sim/spectra.hpp"

namespace spex {

/// Spectra of a user's file.
struct GivenSpectra {
  int nfiber = 0;            ///< number of spectra
  int nwave = 0;             ///< wavelengths of each
  double dw = 0;             ///< Angstrom; 0: steps are unequal, or each fiber has its own
  std::vector<double> wave;  ///< Angstrom, ascending; [nwave], or without dw [nfiber][nwave]
  std::vector<double> flux;  ///< electron / Angstrom, 0 to the largest float32, [nfiber][nwave]
};

/// The images WAVELENGTH (Angstrom, equal ascending steps) and FLUX (electron / Angstrom) of a
/// truth; in a file without an HDU FLUX the columns of these names in its first table that has
/// either, a row a fiber, in ascending steps. Throws Error(data) if an HDU or a column is missing,
/// of another shape or in another unit, a checksum is wrong, or a flux is negative, not finite or
/// beyond float32.
[[nodiscard]] GivenSpectra read_spectra(const std::string& path);

/// The truth of spectra for a PSF. Equal steps stay, and the fluxes are rounded to float32; other
/// wavelengths are resampled to those of make_truth_grid: a bin has the mean of the straight lines
/// between the given fluxes, which are 0 beyond the ends. Sets `on_grid` if the wavelengths are
/// those of `grid` and its continuation, and warns of light beyond the wavelengths of the PSF.
/// Throws Error(data) `path: ...` if there are not as many spectra as fibers, or `must_be_on_grid`
/// and equal steps are not.
[[nodiscard]] Truth spectra_for(const Psf& psf, const GivenSpectra& given, const WaveRange& grid,
                                bool must_be_on_grid, const std::string& path);

}  // namespace spex
