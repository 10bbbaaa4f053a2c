#include "reference/sim/read_spectra.hpp"

#include <cmath>
#include <cstddef>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include "reference/core/error.hpp"
#include "reference/fits/read/fits_file.hpp"
#include "reference/sim/cut_psf.hpp"

namespace spex {
namespace {

constexpr double uneven = 1e-6;  // how far a wavelength may be off, as a part of a step

// The step that the header states where it agrees with the wavelengths, else theirs.
double step_of(FitsReader& file, const std::vector<double>& wave) {
  const double step = (wave.back() - wave.front()) / static_cast<double>(wave.size() - 1);
  file.move_to_primary();
  const std::optional<double> stated = file.find_double("WAVESTEP");
  return stated && std::abs(*stated - step) <= uneven * step ? *stated : step;
}

void check_steps(const std::string& path, const std::vector<double>& wave, double dw) {
  for (std::size_t w = 0; w < wave.size(); ++w)
    if (!(dw > 0 && std::abs(wave[w] - (wave[0] + static_cast<double>(w) * dw)) <= uneven * dw))
      throw data_error(path, fmt::format("WAVELENGTH {} is {:.10g}", w, wave[w]),
                       "ascending wavelengths in equal steps, Angstrom");
}

float checked(const std::string& path, double flux, std::size_t at, std::size_t nwave) {
  if (flux >= 0 && flux <= static_cast<double>(std::numeric_limits<float>::max()))
    return static_cast<float>(flux);
  throw data_error(path,
                   fmt::format("FLUX is {:g} in spectrum {}, bin {}", flux, at / nwave, at % nwave),
                   "electron / Angstrom, 0 to 3.4e38");
}

bool is_on_grid(const Truth& spectra, const WaveRange& grid) {
  const double at = (spectra.wave.front() - grid.wmin) / grid.dw;
  return std::abs(spectra.dw - grid.dw) <= uneven * grid.dw / spectra.nwave() &&
         std::abs(at - std::round(at)) <= uneven;
}

}  // namespace

Truth read_spectra(const std::string& path) {
  FitsReader file(path, {});
  const auto axes_of = [&](const char* hdu, std::size_t naxis) {
    file.move_to_hdu(hdu);
    std::vector<long long> axes = file.image_axes();
    if (axes.size() != naxis || axes.front() < 2)
      throw data_error(path, fmt::format("{} has the shape {}", hdu, fmt::join(axes, " x ")),
                       naxis == 1 ? "two or more wavelengths" : "wavelengths x fibers");
    return axes;
  };
  Truth spectra;
  const std::vector<long long> bins = axes_of("FLUX", 2);
  const std::vector<double> flux = file.read_doubles();
  if (axes_of("WAVELENGTH", 1).front() != bins[0])
    throw data_error(path, "WAVELENGTH and FLUX differ in their number of wavelengths",
                     fmt::format("{}", bins[0]));
  spectra.wave = file.read_doubles();
  spectra.nfiber = static_cast<int>(bins[1]);
  spectra.dw = step_of(file, spectra.wave);
  check_steps(path, spectra.wave, spectra.dw);
  spectra.flux.reserve(flux.size());
  for (std::size_t i = 0; i < flux.size(); ++i)
    spectra.flux.push_back(checked(path, flux[i], i, spectra.wave.size()));
  return spectra;
}

Truth spectra_for(const Psf& psf, Truth spectra, const WaveRange& grid, bool must_be_on_grid,
                  const std::string& path) {
  if (spectra.nfiber != psf.nfiber)
    throw data_error(path, fmt::format("has {} spectra", spectra.nfiber),
                     fmt::format("{}, the fibers of --size", psf.nfiber));
  spectra.on_grid = is_on_grid(spectra, grid);
  if (must_be_on_grid && !spectra.on_grid)
    throw data_error(path, "is not on the extraction's grid, as --on-grid asks for",
                     fmt::format("wavelengths {:g} + n {:g}", grid.wmin, grid.dw));
  const WaveInterval range = defined_range(psf);
  long lost = 0;
  for (std::size_t i = 0; i < spectra.flux.size(); ++i) {
    const double lambda = spectra.wave[i % spectra.wave.size()];
    lost += spectra.flux[i] > 0 && (lambda < range.wavemin || lambda > range.wavemax) ? 1 : 0;
  }
  if (lost > 0)
    spdlog::warn(
        "{}: {} bins with light are beyond the PSF's {:g} to {:g} Angstrom, and may be "
        "lost",
        path, lost, range.wavemin, range.wavemax);
  return spectra;
}

}  // namespace spex
