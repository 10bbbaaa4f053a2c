// chi^2 of one pixel (extraction.md, section 6), the same on the CPU and the GPU.
#pragma once

#include "reference/core/host_device.hpp"
#include "reference/model/choices.hpp"

namespace spex {

/// (p_i - m_i)^2 t_i, and whether chi2pix counts the pixel.
struct ChiSquare {
  double value = 0;     ///< 0 where the pixel does not count
  bool counts = false;  ///< in the denominator
};

/// The term of a pixel with value p, weight W and model m.
SPEX_HD inline ChiSquare chi_square(double p, double m, double W, double psferr,
                                    Chi2Pixels counted) {
  const double model_error = psferr * m;
  const bool bright = counted == Chi2Pixels::bright;
  if (!(W > 0) || (bright && !(model_error > 0))) return {};
  const double t = 1 / (model_error * model_error + 1 / W);
  const double residual = p - m;
  const double value = residual * residual * t;
  // t underflows where the model is beyond all reason.
  return {value, bright ? value > 0 : t > 0};
}

}  // namespace spex
