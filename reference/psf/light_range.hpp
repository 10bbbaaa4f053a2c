// The wavelengths at which a fiber has light (extraction.md, section 2.1).
#pragma once

#include "reference/core/host_device.hpp"
#include "reference/model/psf.hpp"

namespace spex {

/// Wavelengths [first, last], Angstrom; none if first > last.
struct LightRange {
  double first = 0;  ///< Angstrom
  double last = 0;   ///< Angstrom

  /// Whether `lambda` (Angstrom) is one of them.
  [[nodiscard]] SPEX_HD bool holds(double lambda) const {
    return lambda >= first && lambda <= last;
  }
};

/// The interval around the middle of `rows` (YTRACE) in which the row of `fiber` is strictly
/// monotonic, at most as far beyond WAVEMIN and WAVEMAX as these are apart. Only wavelengths in
/// [from, to] are searched for its ends; whether the range holds others is undefined.
[[nodiscard]] LightRange light_range(const Trace& rows, int fiber, double from, double to);
/// The same for all wavelengths.
[[nodiscard]] LightRange light_range(const Trace& rows, int fiber);

/// Derivative of a fiber's trace by wavelength at `lambda` (Angstrom), pixel / Angstrom.
[[nodiscard]] double trace_slope(const Trace& trace, int fiber, double lambda);
/// The wavelength (Angstrom) in `light`, the light range of `fiber`, at which its trace is at `row`
/// (pixels); NaN if there is none.
[[nodiscard]] double wavelength_of_row(const Trace& rows, int fiber, const LightRange& light,
                                       double row);

}  // namespace spex
