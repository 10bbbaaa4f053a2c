#include "reference/io/psf_parts.hpp"

#include <cmath>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reference/core/error.hpp"
#include "reference/io/psf_table.hpp"

namespace spex::psf_parts {

int read_int(const FitsReader& file, const char* key, int least, int most) {
  const long long value = file.get_integer(key);
  if (value < least || value > most)
    throw data_error(file.path(), fmt::format("{}: {} = {}", file.hdu_name(), key, value),
                     fmt::format("{} to {}", least, most));
  return static_cast<int>(value);
}

void read_wave_range(const FitsReader& file, double& wavemin, double& wavemax) {
  wavemin = file.get_double("WAVEMIN");
  wavemax = file.get_double("WAVEMAX");
  if (!std::isfinite(wavemin) || !std::isfinite(wavemax) || wavemax <= wavemin)
    throw data_error(
        file.path(),
        fmt::format("{}: WAVEMIN = {:g}, WAVEMAX = {:g}", file.hdu_name(), wavemin, wavemax),
        "WAVEMIN < WAVEMAX");
}

Trace read_trace(FitsReader& file, const char* name, int& nfiber) {
  const std::vector<long long> axes = file.image_axes();
  if (axes.size() != 2 || axes[0] < 1 || axes[0] > max_legendre_degree + 1 || axes[1] < 1 ||
      axes[1] > max_fibers)
    throw data_error(
        file.path(), fmt::format("{} has the shape {}", name, fmt::join(axes, " x ")),
        fmt::format("coefficients x fibers, at most {} x {}", max_legendre_degree + 1, max_fibers));
  Trace trace;
  trace.ncoeff = static_cast<int>(axes[0]);
  nfiber = static_cast<int>(axes[1]);
  read_wave_range(file, trace.wavemin, trace.wavemax);
  trace.coeff = file.read_doubles();
  check_finite_coefficients(trace.coeff, file, name);
  return trace;
}

double read_psferr(const FitsReader& file) {
  const double psferr = file.find_double("PSFERR").value_or(Psf().psferr);
  if (!std::isfinite(psferr) || psferr < 0)
    throw data_error(file.path(), fmt::format("{}: PSFERR = {:g}", file.hdu_name(), psferr),
                     "a number >= 0");
  return psferr;
}

}  // namespace spex::psf_parts
