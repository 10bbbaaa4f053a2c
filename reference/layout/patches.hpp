// How a frame is cut into patches, and which pixels a patch uses (extraction.md, section 3).
#pragma once

#include <vector>

#include "reference/layout/used_rows.hpp"
#include "reference/layout/wavelengths.hpp"
#include "reference/model/options.hpp"
#include "reference/psf/spots.hpp"

namespace spex {

/// One subbundle x one wavelength step. Fibers are counted in the PSF, bins in the WaveGrid; a bin
/// of the padding may be negative or beyond the grid's end.
struct Patch {
  int bundle = 0;      ///< counted from fiber 0 of the PSF
  int subbundle = 0;   ///< of the bundle
  int step = 0;        ///< wavelength step, from 0
  int spec_first = 0;  ///< first core fiber
  int nspec = 0;       ///< core fibers
  int pad_below = 0;   ///< padding fibers below the core, 0 at a bundle's edge
  int pad_above = 0;   ///< and above it
  int wave_first = 0;  ///< first core bin
  int nwave = 0;       ///< core bins, `nwavestep` of them
  int nkept = 0;       ///< core bins within the grid; the surplus of the last step is dropped
  int wavepad = 0;     ///< padding bins on either side

  /// First fiber with padding.
  [[nodiscard]] int padded_spec_first() const { return spec_first - pad_below; }
  /// Fibers with padding.
  [[nodiscard]] int padded_nspec() const { return nspec + pad_below + pad_above; }
  /// First bin with padding.
  [[nodiscard]] int padded_wave_first() const { return wave_first - wavepad; }
  [[nodiscard]] int padded_nwave() const { return nwave + 2 * wavepad; }  ///< bins with padding
  /// Unknowns of the patch, spectrum-major: j = s padded_nwave() + w, s and w in the padded patch.
  [[nodiscard]] int n() const { return padded_nspec() * padded_nwave(); }

  /// Whether all members are equal.
  bool operator==(const Patch& other) const = default;
};

/// All patches that hold a fiber of [specmin, specmin + nspec), ordered by bundle, subbundle, step.
///
/// Bundles are counted from fiber 0 of the PSF, so that a fiber's patch does not depend on which
/// fibers are asked for. Throws Error(usage) where options and PSF do not fit together.
[[nodiscard]] std::vector<Patch> make_patches(const ExtractOptions& options, const WaveGrid& grid,
                                              int nfiber);

/// Pixels [x0, x1) x [y0, y1); empty where x0 >= x1 or y0 >= y1.
struct PixelRange {
  int x0 = 0;  ///< first column
  int x1 = 0;  ///< one past the last
  int y0 = 0;  ///< first row
  int y1 = 0;  ///< one past the last

  [[nodiscard]] int nx() const { return x1 > x0 ? x1 - x0 : 0; }  ///< columns
  [[nodiscard]] int ny() const { return y1 > y0 ? y1 - y0 : 0; }  ///< rows
};

/// Spots of the fibers and wavelengths of one patch, within spots of a larger range.
struct PatchSpots {
  const Spots* spots = nullptr;  ///< a larger range that holds the patch's
  int spec0 = 0;                 ///< index in `spots` of the patch's first padded fiber
  int wave0 = 0;                 ///< and of its first padded bin
  int nspec = 0;                 ///< padded
  int nwave = 0;                 ///< padded

  [[nodiscard]] int n() const { return nspec * nwave; }  ///< unknowns of the patch
  /// Index in `spots` of unknown j.
  [[nodiscard]] std::size_t index(int j) const {
    return spots->index(spec0 + j / nwave, wave0 + j % nwave);
  }
  /// Pixels of the spot of unknown j.
  [[nodiscard]] const double* spot(int j) const {
    return spots->spot(spec0 + j / nwave, wave0 + j % nwave);
  }
  /// Its first column on the CCD.
  [[nodiscard]] int xc(int j) const { return spots->xc[index(j)]; }
  [[nodiscard]] int yc(int j) const { return spots->yc[index(j)]; }  ///< its first row on the CCD
};

/// The used pixels before and after the cut to the CCD. Rows in double arithmetic exactly as
///   lo = ypadmin + int((ymin - ypadmin) (1 - pixpad_frac))
///   hi = ypadmin + int((ymax - ypadmin) + (ypadmax - ymax) pixpad_frac)
/// `nx_ccd`, `ny_ccd` in pixels.
[[nodiscard]] PixelRange used_pixels(const PatchSpots& spots, int wavepad, double pixpad_frac,
                                     int nx_ccd, int ny_ccd);

}  // namespace spex
