#include "reference/io/read_psf.hpp"

#include <cmath>
#include <map>

#include <fmt/format.h>

#include "reference/core/all_finite.hpp"
#include "reference/core/error.hpp"
#include "reference/fits/read/fits_file.hpp"
#include "reference/fits/read/fits_table.hpp"

namespace spex {
namespace {

// Larger sizes mean a broken file: no spectrograph has them.
constexpr int most_fibers = 10000;
constexpr int most_half_size = 64;
constexpr int most_gh_degree = 20;
constexpr int most_legendre_degree = 30;
constexpr int most_pixels = 100000;

int get_int(const FitsReader& file, const char* key, int least, int most) {
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

void check_finite(const std::vector<double>& coeff, const FitsReader& file,
                  const std::string& what) {
  if (!all_finite(coeff))
    throw data_error(file.path(), what + " has a coefficient that is not finite", "finite numbers");
}

Trace read_trace(const FitsReader& file, const char* name, int& nfiber) {
  const std::vector<long long> axes = file.image_axes();
  if (axes.size() != 2 || axes[0] < 1 || axes[0] > most_legendre_degree + 1 || axes[1] < 1 ||
      axes[1] > most_fibers)
    throw data_error(file.path(), fmt::format("{} has the shape {}", name, fmt::join(axes, " x ")),
                     fmt::format("coefficients x fibers, at most {} x {}", most_legendre_degree + 1,
                                 most_fibers));
  Trace trace;
  trace.ncoeff = static_cast<int>(axes[0]);
  nfiber = static_cast<int>(axes[1]);
  read_wave_range(file, trace.wavemin, trace.wavemax);
  trace.coeff = file.read_doubles();
  check_finite(trace.coeff, file, name);
  return trace;
}

// Maps the parameter names of the table to row numbers, counted from 1.
std::map<std::string, long> parameter_rows(const FitsReader& file) {
  std::map<std::string, long> rows;
  const std::vector<std::string> names = read_string_column(file, "PARAM");
  for (std::size_t i = 0; i < names.size(); ++i) rows.emplace(names[i], static_cast<long>(i) + 1);
  return rows;
}

void read_parameters(const FitsReader& file, Psf& psf) {
  const std::map<std::string, long> rows = parameter_rows(file);
  const auto ncoeff = static_cast<long long>(psf.nfiber) * psf.ncoeff;
  const ColumnShape shape = column_shape(file, "COEFF");
  if (shape.repeat != ncoeff || (!shape.axes.empty() && shape.axes[0] != psf.ncoeff))
    throw data_error(
        file.path(),
        fmt::format("PSF: COEFF has the shape {}",
                    shape.axes.empty() ? std::to_string(shape.repeat)
                                       : fmt::format("{}", fmt::join(shape.axes, " x "))),
        fmt::format("LEGDEG + 1 x fibers, {} x {}", psf.ncoeff, psf.nfiber));
  std::vector<std::string> names{"GHSIGX", "GHSIGY"};
  for (int i = 0; i <= psf.ghdegx; ++i)
    for (int j = 0; j <= psf.ghdegy; ++j) names.push_back(fmt::format("GH-{}-{}", i, j));
  for (const std::string& name : names) {
    const auto row = rows.find(name);
    if (row == rows.end()) throw data_error(file.path(), "PSF has no parameter row " + name);
    const std::vector<double> coeff = read_double_cell(file, "COEFF", row->second, shape.repeat);
    check_finite(coeff, file, "parameter " + name);
    psf.param.insert(psf.param.end(), coeff.begin(), coeff.end());
  }
}

}  // namespace

Psf read_psf(FitsReader& file) {
  Psf psf;
  if (!file.find_hdu("YTRACE")) {
    file.move_to_primary();
    throw data_error(file.path(),
                     fmt::format("is not a PSF file: it has no HDU YTRACE, and its first HDU is {}",
                                 file.find_string("EXTNAME").value_or("without a name")),
                     "XTRACE, YTRACE and PSF");
  }
  file.move_to_primary();
  psf.xtrace = read_trace(file, "XTRACE", psf.nfiber);
  psf.fibermin = static_cast<int>(file.find_integer("FIBERMIN").value_or(0));

  file.move_to_hdu("YTRACE");
  int nfiber = 0;
  psf.ytrace = read_trace(file, "YTRACE", nfiber);
  if (nfiber != psf.nfiber)
    throw data_error(file.path(), fmt::format("YTRACE has {} fibers", nfiber),
                     fmt::format("{} as in XTRACE", psf.nfiber));

  file.move_to_hdu("PSF");
  psf.in_psf = file.find_string("IN_PSF").value_or("");
  psf.hsizex = get_int(file, "HSIZEX", 1, most_half_size);
  psf.hsizey = get_int(file, "HSIZEY", 1, most_half_size);
  psf.ghdegx = get_int(file, "GHDEGX", 0, most_gh_degree);
  psf.ghdegy = get_int(file, "GHDEGY", 0, most_gh_degree);
  psf.ncoeff = get_int(file, "LEGDEG", 0, most_legendre_degree) + 1;
  psf.npix_x = get_int(file, "NPIX_X", 1, most_pixels);
  psf.npix_y = get_int(file, "NPIX_Y", 1, most_pixels);
  psf.psferr = file.find_double("PSFERR").value_or(psf.psferr);
  if (!std::isfinite(psf.psferr) || psf.psferr < 0)
    throw data_error(file.path(), fmt::format("PSF: PSFERR = {:g}", psf.psferr), "a number >= 0");
  read_wave_range(file, psf.wavemin, psf.wavemax);
  read_parameters(file, psf);
  return psf;
}

Psf read_psf(const std::string& path) {
  FitsReader file(path);
  return read_psf(file);
}

}  // namespace spex
