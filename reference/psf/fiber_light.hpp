// Which bins of a fiber have light, and where their spots are (extraction.md, sections 1 and 2.1).
#pragma once

#include <string>
#include <vector>

#include "reference/core/error.hpp"
#include "reference/psf/spot_state.hpp"

namespace spex {

/// The center of fiber `fiber` at `lambda` (Angstrom), by its polynomials.
[[nodiscard]] Center spot_center(const Psf& psf, int fiber, double lambda);

/// `ncoeff` coefficients of parameter `p` of a fiber in `param`, Psf::param or SecondCore::param.
[[nodiscard]] const double* parameter_coefficients(const Psf& psf, const std::vector<double>& param,
                                                   int p, int fiber);
/// The coefficients of all widths that must be positive: two a core; none of images.
[[nodiscard]] std::vector<const double*> width_coefficients(const Psf& psf, int fiber);

/// The shape of the spot of fiber `fiber` at `lambda` (Angstrom), by its polynomials.
[[nodiscard]] SpotShape spot_shape(const Psf& psf, int fiber, double lambda);

/// The states of a fiber's bins.
class FiberLight {
 public:
  /// For wavelengths from `from` to `to`, Angstrom.
  FiberLight(const Psf& psf, int fiber, double from, double to)
      : limits_(spot_limits(psf)), range_(light_range(psf.ytrace, fiber, from, to)) {}

  /// The state of the bin at `lambda`, whose spot has this shape.
  [[nodiscard]] SpotState state(double lambda, const SpotShape& spot) const {
    return spot_state(limits_, range_, lambda, spot);
  }
  /// Whether all bins from `from` to `to` are at wavelengths of the PSF and of the trace.
  [[nodiscard]] bool holds(double from, double to) const {
    return from >= limits_.first && to <= limits_.last && range_.holds(from) && range_.holds(to);
  }

 private:
  SpotLimits limits_;
  LightRange range_;
};

/// The error that `fiber` has a broken spot of this shape at `where`, such as "5760.0 Angstrom".
[[nodiscard]] Error broken_spot(const std::string& file, int fiber, const std::string& where,
                                const SpotShape& spot);

}  // namespace spex
