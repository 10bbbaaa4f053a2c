#include "reference/psf/fiber_light.hpp"

#include <fmt/format.h>

#include "reference/core/count.hpp"
#include "reference/psf/legendre.hpp"

namespace spex {
namespace {

double trace_value(const Trace& trace, int fiber, double lambda) {
  return legendre_sum(trace.coeff.data() + count_of(fiber, trace.ncoeff), trace.ncoeff,
                      legendre_variable(lambda, trace.wavemin, trace.wavemax));
}

double width(const Psf& psf, int parameter, int fiber, double lambda) {
  return legendre_sum(
      psf.param.data() + count_of(count_of(parameter, psf.nfiber) + count_of(fiber), psf.ncoeff),
      psf.ncoeff, legendre_variable(lambda, psf.wavemin, psf.wavemax));
}

}  // namespace

Center spot_center(const Psf& psf, int fiber, double lambda) {
  return {trace_value(psf.xtrace, fiber, lambda), trace_value(psf.ytrace, fiber, lambda)};
}

SpotShape spot_shape(const Psf& psf, int fiber, double lambda) {
  return {spot_center(psf, fiber, lambda), width(psf, 0, fiber, lambda),
          width(psf, 1, fiber, lambda)};
}

Error broken_spot(const std::string& file, int fiber, const std::string& where,
                  const SpotShape& spot) {
  if (spot.sigma_x > 0 && spot.sigma_y > 0)
    return data_error(file,
                      fmt::format("fiber {} at {} lies at pixel ({:g}, {:g})", fiber, where,
                                  spot.center.x, spot.center.y),
                      "a center near the CCD");
  return data_error(file,
                    fmt::format("fiber {} at {} has widths GHSIGX {:g}, GHSIGY {:g}", fiber, where,
                                spot.sigma_x, spot.sigma_y),
                    "positive widths");
}

}  // namespace spex
