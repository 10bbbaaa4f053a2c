// The extracted spectra of one camera frame (extraction.md, section 7): plain data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "reference/core/count.hpp"
#include "reference/model/members.hpp"
#include "reference/model/reals.hpp"

namespace spex {

/// Spectra-major arrays: `[spec * nwave + w]`; resolution is `[(spec * ndiagonals + d) * nwave +
/// w]` with ndiagonals = 2 ndiag + 1: rows w - ndiag ... w + ndiag of column w of R_s.
struct Frame {
  int specmin = 0;           ///< first fiber, counted from 0 in the PSF
  int nspec = 0;             ///< number of fibers
  int nwave = 0;             ///< number of bins
  int ndiag = 0;             ///< diagonals of R on either side of the main one
  double dw = 0;             ///< Angstrom, step of the wavelength grid
  std::vector<double> wave;  ///< Angstrom [nwave]
  std::vector<double> flux;  ///< electron / Angstrom
  std::vector<double> ivar;  ///< (electron / Angstrom)^-2
  /// Before reconvolution (extraction.md, section 5), electron / Angstrom; only if requested.
  std::vector<double> f;
  std::vector<std::uint32_t> mask;       ///< specmask bits
  Reals resolution;                      ///< dimensionless
  std::vector<double> chi2pix;           ///< dimensionless
  std::vector<double> pixmask_fraction;  ///< 0 ... 1
  long overflowed = 0;                   ///< bins that float32 could not hold; zeroed, NODATA
  /// 1 where the prior pulls the flux (section 4.1), else 0; empty for a frame from a file.
  std::vector<std::uint8_t> pulled;
  long beyond = 0;  ///< bins beyond the wavelengths of their fiber (section 2.1)

  [[nodiscard]] int ndiagonals() const { return 2 * ndiag + 1; }  ///< rows of a stored resolution
  /// Number of bins of all fibers: the size of `flux` etc.
  [[nodiscard]] std::size_t nbins() const { return count_of(nspec, nwave); }
  /// Index of bin (s, w) in `flux` etc.
  [[nodiscard]] std::size_t bin(int s, int w) const {
    return static_cast<std::size_t>(s) * nwave + w;
  }
  /// Index of the first element of row d of fiber s in `resolution`.
  [[nodiscard]] std::size_t resolution_row(int s, int d) const {
    return bin(s * ndiagonals() + d, 0);
  }

  SPEX_MEMBERS(specmin, nspec, nwave, ndiag, dw, wave, flux, ivar, f, mask, resolution, chi2pix,
               pixmask_fraction, overflowed, pulled, beyond)
};

/// The model image (extraction.md, section 6), rows first: `[y * nx + x]`, electron.
struct ModelImage {
  int nx = 0;                 ///< columns
  int ny = 0;                 ///< rows
  std::vector<double> value;  ///< electron
};

}  // namespace spex
