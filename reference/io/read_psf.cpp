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

void check_kind(const FitsReader& file, PsfLayout layout) {
  check_psf_kind(file.path(), file.hdu_name(), file.find_string("PSFTYPE"),
                 file.find_string("PSFVER"), layout);
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
  check_kind(file, PsfLayout::trace_hdus);
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
}

// Rows of the table, in the order of Psf::param.
std::vector<std::string> parameter_names(const Psf& psf) {
  std::vector<std::string> names{"GHSIGX", "GHSIGY"};
  for (int i = 0; i <= psf.ghdegx; ++i)
    for (int j = 0; j <= psf.ghdegy; ++j) names.push_back(fmt::format("GH-{}-{}", i, j));
  return names;
}

void read_gauss_hermite(const PsfTable& table, Psf& psf) {
  for (const std::string& name : parameter_names(psf)) {
    const std::vector<double> coeff = table.finite_coefficients(name);
    psf.param.insert(psf.param.end(), coeff.begin(), coeff.end());
  }
}

// Keywords and rows of the current HDU, beside the traces.
void read_parameters(FitsReader& file, const PsfTable& table, Psf& psf) {
  psf.camera = header_word(file.find_string("CAMERA").value_or(""));
  psf.in_psf = file.find_string("IN_PSF").value_or("");
  read_gauss_hermite(table, psf);
  psf.fit = psf_fit_of({[&](const std::string& row) -> std::optional<std::vector<double>> {
                          if (!table.has(row)) return std::nullopt;
                          return table.coefficients(row);
                        },
                        [&](const std::string& key) { return file.find_double(key.c_str()); }},
                       psf.nfiber, psf.ncoeff);
}

Psf read_trace_hdus(FitsReader& file) {
  Psf psf;
  read_traces(file, psf);
  file.move_to_hdu("PSF");
  check_kind(file, PsfLayout::trace_hdus);
  read_sizes(file, psf);
  read_wave_range(file, psf.wavemin, psf.wavemax);
  read_parameters(file, PsfTable(file, psf.nfiber, psf.ncoeff), psf);
  return psf;
}

// Moves to the second HDU if it is the table of a PSF with its traces, which has no name.
bool move_to_only_table(FitsReader& file) {
  if (file.hdus() < 2) return false;
  file.move_to_number(2);
  return !file.is_image() && file.find_string("PSFTYPE") &&
         header_word(file.find_string("EXTNAME").value_or("")) != header_word("PSF");
}

// The range of wavelengths of the rows, which must be the same for all that are used.
void read_common_range(const PsfTable& table, const FitsReader& file, Psf& psf) {
  psf.wavemin = table.number("WAVEMIN", "X");
  psf.wavemax = table.number("WAVEMAX", "X");
  if (!(psf.wavemin < psf.wavemax))
    throw data_error(file.path(),
                     fmt::format("{}: X has WAVEMIN {:g} and WAVEMAX {:g}", file.hdu_name(),
                                 psf.wavemin, psf.wavemax),
                     "WAVEMIN < WAVEMAX");
  std::vector<std::string> names = parameter_names(psf);
  names.emplace_back("Y");
  for (const std::string& name : names)
    if (table.number("WAVEMIN", name) != psf.wavemin ||
        table.number("WAVEMAX", name) != psf.wavemax)
      throw data_error(file.path(),
                       fmt::format("{}: {} has other wavelengths than X", file.hdu_name(), name),
                       fmt::format("{:g} to {:g}", psf.wavemin, psf.wavemax));
}

// Versions 1 and 2: one table, with the rows X and Y and a range of wavelengths in each row.
Psf read_only_table(FitsReader& file) {
  check_kind(file, PsfLayout::one_table);
  Psf psf;
  psf.fibermin = static_cast<int>(file.get_integer("FIBERMIN"));
  const long long last = file.get_integer("FIBERMAX");
  if (last < psf.fibermin || last - psf.fibermin >= most_fibers)
    throw data_error(
        file.path(),
        fmt::format("{}: FIBERMIN = {}, FIBERMAX = {}", file.hdu_name(), psf.fibermin, last),
        fmt::format("1 to {} fibers", most_fibers));
  psf.nfiber = static_cast<int>(last - psf.fibermin) + 1;
  read_sizes(file, psf);
  const PsfTable table(file, psf.nfiber, psf.ncoeff);
  read_common_range(table, file, psf);
  psf.xtrace = {psf.wavemin, psf.wavemax, psf.ncoeff, table.finite_coefficients("X")};
  psf.ytrace = {psf.wavemin, psf.wavemax, psf.ncoeff, table.finite_coefficients("Y")};
  read_parameters(file, table, psf);
  return psf;
}

}  // namespace

Psf read_psf(FitsReader& file) {
  if (file.find_hdu("YTRACE")) return read_trace_hdus(file);
  if (move_to_only_table(file)) return read_only_table(file);
  file.move_to_primary();
  throw data_error(file.path(),
                   fmt::format("is not a PSF file: it has no HDU YTRACE, and its first HDU is {}",
                               file.find_string("EXTNAME").value_or("without a name")),
                   "XTRACE, YTRACE and PSF");
}

Psf read_psf(const std::string& path, bool checksums) {
  FitsReader file(path, {.checksums = checksums});
  return read_psf(file);
}

}  // namespace spex
