#include "reference/layout/wavelengths.hpp"

#include <cmath>

#include <fmt/format.h>

#include "reference/core/error.hpp"
#include "reference/model/camera.hpp"
#include "reference/psf/light_range.hpp"
#include "reference/psf/spot_state.hpp"

namespace spex {

std::vector<double> WaveGrid::range(int first, int count) const {
  std::vector<double> wave(count);
  for (int i = 0; i < count; ++i) wave[i] = at(first + i);
  return wave;
}

WaveGrid make_wave_grid(const WaveRange& range) {
  const auto wrong = [&](const std::string& what, const std::string& expected) {
    return usage_error("--wavelength",
                       fmt::format("{},{},{}: {}", range.wmin, range.wmax, range.dw, what),
                       expected);
  };
  if (!std::isfinite(range.wmin) || !std::isfinite(range.wmax) || !std::isfinite(range.dw))
    throw wrong("not finite", "three numbers wmin,wmax,dw in Angstrom");
  if (range.dw <= 0) throw wrong("the step is not positive", "dw > 0");
  if (range.wmin <= 0) throw wrong("the first wavelength is not positive", "wmin > 0");
  if (range.wmax < range.wmin) throw wrong("the range is reversed", "wmin <= wmax");
  const double nwave = std::ceil((range.wmax + range.dw / 2 - range.wmin) / range.dw);
  if (nwave > 1e6) throw wrong(fmt::format("{:.0f} bins", nwave), "at most a million bins");
  return {range.wmin, range.dw, static_cast<int>(nwave)};
}

WaveRange default_wave_range(const std::string& camera, const std::string& file) {
  if (const ArmTraits* arm = arm_of_camera(camera)) return arm->grid;
  throw data_error(file, "CAMERA '" + camera + "' has no wavelength grid of its own",
                   "a camera such as r0, or --wavelength");
}

namespace {

// The wavelengths at which all polynomials of the PSF are defined, in production's steps.
WaveRange wave_range_of_psf(const Psf& psf) {
  constexpr double step = 0.8;
  constexpr double min_rows = 0.5, max_rows = 3;
  const SpotLimits limits = spot_limits(psf);
  const double rows =
      step * std::abs(trace_slope(psf.ytrace, psf.nfiber / 2, (limits.first + limits.last) / 2));
  if (!(rows >= min_rows && rows <= max_rows))
    throw usage_error("--wavelength",
                      fmt::format("is missing, and the default step of {} Angstrom is {:.2g} rows "
                                  "of this PSF",
                                  step, rows),
                      "wmin,wmax,dw in Angstrom");
  return {limits.first, limits.last, step};
}

}  // namespace

WaveRange wave_range_of(const std::optional<WaveRange>& asked, const std::string& camera,
                        const Psf& psf) {
  if (asked) return *asked;
  if (const ArmTraits* arm = arm_of_camera(camera)) return arm->grid;
  return wave_range_of_psf(psf);
}

WaveGrid at_telescope(const WaveGrid& grid, double heliocor) {
  return {grid.wmin / heliocor, grid.dw / heliocor, grid.nwave};
}

}  // namespace spex
