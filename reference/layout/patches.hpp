// Divides a frame into patches, and selects the pixels of a patch (extraction.md, section 3).
#pragma once

#include <vector>

#include "reference/layout/used_rows.hpp"
#include "reference/layout/wavelengths.hpp"
#include "reference/psf/spots.hpp"

namespace spex {

struct ExtractOptions;

/// One subbundle x one wavelength step. Fibers are indices into the PSF, bins indices into the
/// WaveGrid; padding bins may be negative or beyond the grid's end.
struct Patch {
  int bundle = 0;      ///< counted from fiber 0 of the PSF
  int subbundle = 0;   ///< of the bundle
  int step = 0;        ///< wavelength step, from 0
  int spec_first = 0;  ///< first core fiber
  int nspec = 0;       ///< core fibers
  int pad_below = 0;   ///< padding fibers below the core, 0 at a bundle's edge
  int pad_above = 0;   ///< padding fibers above the core
  int wave_first = 0;  ///< first core bin
  int nwave = 0;       ///< core bins, `nwavestep` of them
  int nkept = 0;       ///< core bins within the grid; the surplus of the last step is dropped
  int wavepad = 0;     ///< padding bins on either side

  /// First fiber, including padding.
  [[nodiscard]] int padded_spec_first() const { return spec_first - pad_below; }
  /// Number of fibers, including padding.
  [[nodiscard]] int padded_nspec() const { return nspec + pad_below + pad_above; }
  /// First bin, including padding.
  [[nodiscard]] int padded_wave_first() const { return wave_first - wavepad; }
  [[nodiscard]] int padded_nwave() const {
    return nwave + 2 * wavepad;
  }  ///< number of bins, including padding
  /// Number of unknowns. Order: spectrum-major, j = s padded_nwave() + w with s and w in the padded
  /// patch.
  [[nodiscard]] int n() const { return padded_nspec() * padded_nwave(); }

  /// Whether all members are equal.
  bool operator==(const Patch& other) const = default;
};

/// All patches that contain a fiber of [specmin, specmin + nspec), ordered by bundle, subbundle,
/// step.
///
/// Bundles are counted from fiber 0 of the PSF, so that a fiber's patch does not depend on the
/// requested fibers. Throws Error(usage) if the options do not fit the PSF.
[[nodiscard]] std::vector<Patch> make_patches(const ExtractOptions& options, const WaveGrid& grid,
                                              int nfiber);

/// Pixels [x0, x1) x [y0, y1); empty if x0 >= x1 or y0 >= y1.
struct PixelRange {
  int x0 = 0;  ///< first column
  int x1 = 0;  ///< one past the last
  int y0 = 0;  ///< first row
  int y1 = 0;  ///< one past the last

  [[nodiscard]] int nx() const { return x1 > x0 ? x1 - x0 : 0; }  ///< columns
  [[nodiscard]] int ny() const { return y1 > y0 ? y1 - y0 : 0; }  ///< rows
};

/// A view of one patch's spots within the spots of a larger range.
struct PatchSpots {
  const Spots* spots = nullptr;  ///< spots of a range that contains the patch
  int spec0 = 0;                 ///< index in `spots` of the patch's first padded fiber
  int wave0 = 0;                 ///< index of the patch's first padded bin
  int nspec = 0;                 ///< fibers, including padding
  int nwave = 0;                 ///< bins, including padding

  [[nodiscard]] int n() const { return nspec * nwave; }  ///< unknowns of the patch
  /// Index in `spots` of unknown j.
  [[nodiscard]] std::size_t index(int j) const {
    return spots->index(spec0 + j / nwave, wave0 + j % nwave);
  }
  /// Pixels of the spot of unknown j.
  [[nodiscard]] const double* spot(int j) const {
    return spots->spot(spec0 + j / nwave, wave0 + j % nwave);
  }
  /// First CCD column of the spot of unknown j.
  [[nodiscard]] int xc(int j) const { return spots->xc[index(j)]; }
  [[nodiscard]] int yc(int j) const { return spots->yc[index(j)]; }  ///< first CCD row
};

/// The used pixels before and after clipping to the CCD of `nx_ccd` x `ny_ccd` pixels. Rows in
/// double arithmetic exactly as
///   lo = ypadmin + int((ymin - ypadmin) (1 - pixpad_frac))
///   hi = ypadmin + int((ymax - ypadmin) + (ypadmax - ymax) pixpad_frac)
/// Only bins with light count; without one in the core no pixel is used.
[[nodiscard]] PixelRange used_pixels(const PatchSpots& spots, int wavepad, double pixpad_frac,
                                     int nx_ccd, int ny_ccd);

}  // namespace spex
