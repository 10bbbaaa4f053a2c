// The wavelength grid of an extraction and its padding (extraction.md, section 3).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reference/core/host_device.hpp"
#include "reference/model/members.hpp"
#include "reference/model/psf.hpp"
#include "reference/model/wave_range.hpp"

namespace spex {

/// wave_w = wmin + w ((wmin + dw) - wmin): wmin + w dw, rounded as by numpy.arange, so that
/// wavelengths are bit-identical to production's. Bins outside of [0, nwave) continue the same
/// steps.
struct WaveGrid {
  double wmin = 0;  ///< Angstrom
  double dw = 0;    ///< Angstrom
  int nwave = 0;    ///< number of bins

  /// wave_w, Angstrom.
  [[nodiscard]] SPEX_HD double at(int w) const { return wmin + w * ((wmin + dw) - wmin); }
  /// Bins [first, first + count), Angstrom.
  [[nodiscard]] std::vector<double> range(int first, int count) const;

  SPEX_MEMBERS(wmin, dw, nwave)
};

/// Bins from wmin up to wmax + dw/2 (exclusive). Throws Error(usage) if a number is not finite, dw
/// <= 0, wmax < wmin, wmin <= 0, or the grid exceeds a million bins.
[[nodiscard]] WaveGrid make_wave_grid(const WaveRange& range);

/// Production's grid of a camera of DESI (model/camera.hpp). Throws Error(data) `file: ...` for
/// any other name.
[[nodiscard]] WaveRange default_wave_range(const std::string& camera, const std::string& file);

/// The wavelength range that was asked for, else that of a camera of DESI, else the PSF's in steps
/// of 0.8 Angstrom. Throws Error(usage) if none was asked for, and such a step is less than half a
/// row of the PSF, or more than three.
[[nodiscard]] WaveRange wave_range_of(const std::optional<WaveRange>& asked,
                                      const std::string& camera, const Psf& psf);

/// The grid in the telescope's frame for a barycentric grid: wmin / heliocor, dw / heliocor, and
/// the same number of bins (section 3.1).
[[nodiscard]] WaveGrid at_telescope(const WaveGrid& grid, double heliocor);

}  // namespace spex
