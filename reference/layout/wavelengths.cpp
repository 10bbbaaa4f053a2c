#include "reference/layout/wavelengths.hpp"

#include <cmath>

#include <fmt/format.h>

#include "reference/core/error.hpp"
#include "reference/model/camera.hpp"

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
  if (const ArmTraits* arm = find_arm(camera)) return arm->grid;
  throw data_error(file, "CAMERA '" + camera + "' has no wavelength grid of its own",
                   "a camera b, r or z, or --wavelength");
}

WaveRange wave_range_of(const ExtractOptions& options, const std::string& camera,
                        const std::string& file) {
  return options.wavelength ? *options.wavelength : default_wave_range(camera, file);
}

WaveGrid at_telescope(const WaveGrid& grid, double heliocor) {
  return {grid.wmin / heliocor, grid.dw / heliocor, grid.nwave};
}

}  // namespace spex
