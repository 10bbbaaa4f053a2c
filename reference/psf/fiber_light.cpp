#include "reference/psf/fiber_light.hpp"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "reference/core/count.hpp"
#include "reference/psf/legendre.hpp"

namespace spex {
namespace {

double trace_value(const Trace& trace, int fiber, double lambda) {
  return legendre_sum(trace.coeff.data() + count_of(fiber, trace.ncoeff), trace.ncoeff,
                      legendre_variable(lambda, trace.wavemin, trace.wavemax));
}

double series(const double* coeff, const Psf& psf, double lambda) {
  return legendre_sum(coeff, psf.ncoeff, legendre_variable(lambda, psf.wavemin, psf.wavemax));
}

}  // namespace

Center spot_center(const Psf& psf, int fiber, double lambda) {
  return {trace_value(psf.xtrace, fiber, lambda), trace_value(psf.ytrace, fiber, lambda)};
}

const double* parameter_coefficients(const Psf& psf, const std::vector<double>& param, int p,
                                     int fiber) {
  return param.data() + count_of(count_of(p, psf.nfiber) + count_of(fiber), psf.ncoeff);
}

std::vector<const double*> width_coefficients(const Psf& psf, int fiber) {
  std::vector<const double*> widths;
  for (const int p : {0, 1}) {
    if (psf.has_widths()) widths.push_back(parameter_coefficients(psf, psf.param, p, fiber));
    if (psf.kind == PsfKind::gauss_hermite2)
      widths.push_back(parameter_coefficients(psf, psf.second.param, p, fiber));
  }
  return widths;
}

SpotShape spot_shape(const Psf& psf, int fiber, double lambda) {
  SpotShape shape;
  shape.center = spot_center(psf, fiber, lambda);
  if (!psf.has_widths()) {
    shape.sigma_x = shape.sigma_y = std::numeric_limits<double>::quiet_NaN();
    return shape;
  }
  const auto widths = [&](const std::vector<double>& param) {
    for (const int p : {0, 1})
      (p == 0 ? shape.sigma_x : shape.sigma_y) =
          series(parameter_coefficients(psf, param, p, fiber), psf, lambda);
    return shape.sigma_x > 0 && shape.sigma_y > 0;
  };
  if (psf.kind == PsfKind::gauss_hermite2 && !widths(psf.second.param)) {
    shape.of_second = true;
    return shape;
  }
  widths(psf.param);
  return shape;
}

Error broken_spot(const std::string& file, int fiber, const std::string& where,
                  const SpotShape& spot) {
  const auto [x, y] = spot.center;
  if (!(std::abs(x) < farthest_center && std::abs(y) < farthest_center))
    return data_error(file,
                      fmt::format("fiber {} at {} lies at pixel ({:g}, {:g})", fiber, where, x, y),
                      "a center near the CCD");
  const char* const of = spot.of_second ? "2" : "";
  return data_error(file,
                    fmt::format("fiber {} at {} has widths GHSIGX{} {:g}, GHSIGY{} {:g}", fiber,
                                where, of, spot.sigma_x, of, spot.sigma_y),
                    "positive widths");
}

}  // namespace spex
