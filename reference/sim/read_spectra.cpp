#include "reference/sim/read_spectra.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include "reference/core/error.hpp"
#include "reference/fits/read/fits_file.hpp"
#include "reference/sim/cut_psf.hpp"
#include "reference/sim/read_spectra_table.hpp"
#include "reference/sim/resample.hpp"

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

void check_flux(const std::string& path, const GivenSpectra& given) {
  for (std::size_t i = 0; i < given.flux.size(); ++i) {
    const double flux = given.flux[i];
    if (!(flux >= 0 && flux <= static_cast<double>(std::numeric_limits<float>::max())))
      throw data_error(path,
                       fmt::format("FLUX is {:g} in spectrum {}, bin {}", flux,
                                   i / static_cast<std::size_t>(given.nwave),
                                   i % static_cast<std::size_t>(given.nwave)),
                       "electron / Angstrom, 0 to 3.4e38");
  }
}

bool is_on_grid(const Truth& spectra, const WaveRange& grid) {
  const double at = (spectra.wave.front() - grid.wmin) / grid.dw;
  return std::abs(spectra.dw - grid.dw) <= uneven * grid.dw / spectra.nwave() &&
         std::abs(at - std::round(at)) <= uneven;
}

GivenSpectra read_truth_images(FitsReader& file) {
  const std::string& path = file.path();
  const auto axes_of = [&](const char* hdu, std::size_t naxis) {
    file.move_to_hdu(hdu);
    std::vector<long long> axes = file.image_axes();
    if (axes.size() != naxis || axes.front() < 2)
      throw data_error(path, fmt::format("{} has the shape {}", hdu, fmt::join(axes, " x ")),
                       naxis == 1 ? "two or more wavelengths" : "wavelengths x fibers");
    return axes;
  };
  GivenSpectra given;
  const std::vector<long long> bins = axes_of("FLUX", 2);
  given.flux = file.read_doubles();
  if (axes_of("WAVELENGTH", 1).front() != bins[0])
    throw data_error(path, "WAVELENGTH and FLUX differ in their number of wavelengths",
                     fmt::format("{}", bins[0]));
  given.wave = file.read_doubles();
  given.nwave = static_cast<int>(bins[0]);
  given.nfiber = static_cast<int>(bins[1]);
  given.dw = step_of(file, given.wave);
  check_steps(path, given.wave, given.dw);
  return given;
}

void warn_of_lost_light(const Psf& psf, const GivenSpectra& given, const std::string& path) {
  const WaveInterval range = defined_range(psf);
  long lost = 0;
  for (std::size_t i = 0; i < given.flux.size(); ++i) {
    const double lambda = given.wave[i % given.wave.size()];
    lost += given.flux[i] > 0 && (lambda < range.wavemin || lambda > range.wavemax) ? 1 : 0;
  }
  if (lost > 0)
    spdlog::warn(
        "{}: {} bins with light are beyond the PSF's {:g} to {:g} Angstrom, and may be "
        "lost",
        path, lost, range.wavemin, range.wavemax);
}

Truth as_it_is(const GivenSpectra& given) {
  Truth spectra;
  spectra.dw = given.dw;
  spectra.nfiber = given.nfiber;
  spectra.wave = given.wave;
  for (const double flux : given.flux) spectra.flux.push_back(static_cast<float>(flux));
  return spectra;
}

Truth resampled(const GivenSpectra& given, Truth truth) {
  const auto nwave = static_cast<std::size_t>(given.nwave);
  truth.flux.clear();
  for (std::size_t s = 0; s < static_cast<std::size_t>(given.nfiber); ++s)
    for (const double mean :
         means_of_bins({given.wave.data() + s * nwave, nwave},
                       {given.flux.data() + s * nwave, nwave}, truth.wave, truth.dw))
      truth.flux.push_back(static_cast<float>(mean));
  return truth;
}

}  // namespace

GivenSpectra read_spectra(const std::string& path) {
  FitsReader file(path, {});
  GivenSpectra given = file.find_hdu("FLUX") ? read_truth_images(file) : read_spectra_table(file);
  check_flux(path, given);
  return given;
}

Truth spectra_for(const Psf& psf, const GivenSpectra& given, const WaveRange& grid,
                  bool must_be_on_grid, const std::string& path) {
  if (given.nfiber != psf.nfiber)
    throw data_error(path, fmt::format("has {} spectra", given.nfiber),
                     fmt::format("{}, the fibers of --size", psf.nfiber));
  warn_of_lost_light(psf, given, path);
  if (given.dw == 0) return resampled(given, make_truth_grid(psf, grid, must_be_on_grid, path));
  Truth spectra = as_it_is(given);
  spectra.on_grid = is_on_grid(spectra, grid);
  if (must_be_on_grid && !spectra.on_grid)
    throw data_error(path, "is not on the extraction's grid, as --on-grid asks for",
                     fmt::format("wavelengths {:g} + n {:g}", grid.wmin, grid.dw));
  return spectra;
}

}  // namespace spex
