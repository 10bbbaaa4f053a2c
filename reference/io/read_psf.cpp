#include "reference/io/read_psf.hpp"

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "reference/core/error.hpp"
#include "reference/core/header_word.hpp"
#include "reference/fits/read/fits_file.hpp"
#include "reference/io/psf_fit.hpp"
#include "reference/io/psf_kind.hpp"
#include "reference/io/psf_table.hpp"

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

void check_kind(const FitsReader& file) {
  check_psf_kind(file.path(), file.hdu_name(), file.find_string("PSFTYPE"),
                 file.find_string("PSFVER"));
}

// Moves to XTRACE: the HDU of that name, else the first HDU if it is an image without a name.
void move_to_xtrace(FitsReader& file) {
  if (file.find_hdu("XTRACE")) return;
  file.move_to_primary();
  if (header_word(file.find_string("EXTNAME").value_or("")).empty() && !file.image_axes().empty())
    return;
  file.move_to_hdu("XTRACE");
}

Trace read_trace(FitsReader& file, const char* name, int& nfiber) {
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
  check_finite_coefficients(trace.coeff, file, name);
  return trace;
}

void read_traces(FitsReader& file, Psf& psf) {
  move_to_xtrace(file);
  check_kind(file);
  psf.xtrace = read_trace(file, "XTRACE", psf.nfiber);
  psf.fibermin = static_cast<int>(file.find_integer("FIBERMIN").value_or(0));
  file.move_to_hdu("YTRACE");
  int nfiber = 0;
  psf.ytrace = read_trace(file, "YTRACE", nfiber);
  if (nfiber != psf.nfiber)
    throw data_error(file.path(), fmt::format("YTRACE has {} fibers", nfiber),
                     fmt::format("{} as in XTRACE", psf.nfiber));
}

void read_sizes(const FitsReader& file, Psf& psf) {
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
}

void read_gauss_hermite(const PsfTable& table, Psf& psf) {
  std::vector<std::string> names{"GHSIGX", "GHSIGY"};
  for (int i = 0; i <= psf.ghdegx; ++i)
    for (int j = 0; j <= psf.ghdegy; ++j) names.push_back(fmt::format("GH-{}-{}", i, j));
  for (const std::string& name : names) {
    const std::vector<double> coeff = table.finite_coefficients(name);
    psf.param.insert(psf.param.end(), coeff.begin(), coeff.end());
  }
}

}  // namespace

Psf read_psf(FitsReader& file) {
  if (!file.find_hdu("YTRACE")) {
    file.move_to_primary();
    throw data_error(file.path(),
                     fmt::format("is not a PSF file: it has no HDU YTRACE, and its first HDU is {}",
                                 file.find_string("EXTNAME").value_or("without a name")),
                     "XTRACE, YTRACE and PSF");
  }
  Psf psf;
  read_traces(file, psf);
  file.move_to_hdu("PSF");
  check_kind(file);
  psf.camera = header_word(file.find_string("CAMERA").value_or(""));
  psf.in_psf = file.find_string("IN_PSF").value_or("");
  read_sizes(file, psf);
  const PsfTable table(file, psf.nfiber, psf.ncoeff);
  read_gauss_hermite(table, psf);
  psf.fit = psf_fit_of({[&](const std::string& row) -> std::optional<std::vector<double>> {
                          if (!table.has(row)) return std::nullopt;
                          return table.coefficients(row);
                        },
                        [&](const std::string& key) { return file.find_double(key.c_str()); }},
                       psf.nfiber, psf.ncoeff);
  return psf;
}

Psf read_psf(const std::string& path, bool checksums) {
  FitsReader file(path, {.checksums = checksums});
  return read_psf(file);
}

}  // namespace spex
