#include "reference/io/read_psf.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "reference/core/error.hpp"
#include "reference/core/header_word.hpp"
#include "reference/fits/read/fits_file.hpp"
#include "reference/io/psf_fit.hpp"
#include "reference/io/psf_kind.hpp"
#include "reference/io/psf_parts.hpp"
#include "reference/io/psf_table.hpp"
#include "reference/io/read_psf_images.hpp"
#include "reference/psf/gauss_hermite2.hpp"

namespace spex {

using namespace psf_parts;

namespace {

constexpr int max_gh_degree = 20;

PsfKind check_kind(const FitsReader& file, PsfLayout layout) {
  return check_psf_kind(file.path(), file.hdu_name(), file.find_string("PSFTYPE"),
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
  psf.hsizex = read_int(file, "HSIZEX", 1, max_half_size);
  psf.hsizey = read_int(file, "HSIZEY", 1, max_half_size);
  psf.ghdegx = read_int(file, "GHDEGX", 0, max_gh_degree);
  psf.ghdegy = read_int(file, "GHDEGY", 0, max_gh_degree);
  psf.npix_x = read_int(file, "NPIX_X", 1, max_pixels);
  psf.npix_y = read_int(file, "NPIX_Y", 1, max_pixels);
  psf.psferr = read_psferr(file);
}

std::vector<std::string> gauss_hermite_names(const char* of, int degx, int degy) {
  std::vector<std::string> names;
  for (int i = 0; i <= degx; ++i)
    for (int j = 0; j <= degy; ++j) names.push_back(fmt::format("{}-{}-{}", of, i, j));
  return names;
}

// Rows of the table, in the order of Psf::param.
std::vector<std::string> parameter_names(const Psf& psf) {
  std::vector<std::string> names{"GHSIGX", "GHSIGY"};
  for (std::string& name : gauss_hermite_names("GH", psf.ghdegx, psf.ghdegy))
    names.push_back(std::move(name));
  return names;
}

// Those in the order of SecondCore::param; none of other kinds than GAUSS-HERMITE2.
std::vector<std::string> second_names(const Psf& psf) {
  if (psf.kind != PsfKind::gauss_hermite2) return {};
  std::vector<std::string> names{"GHSIGX2",  "GHSIGY2",  "GHNSIG",   "TAILAMP",
                                 "TAILCORE", "TAILXSCA", "TAILYSCA", "TAILINDE"};
  for (std::string& name : gauss_hermite_names("GH2", psf.second.ghdegx, psf.second.ghdegy))
    names.push_back(std::move(name));
  return names;
}

std::vector<double> rows_of(const PsfTable& table, const std::vector<std::string>& names) {
  std::vector<double> rows;
  for (const std::string& name : names) {
    const std::vector<double> coeff = table.finite_coefficients(name);
    rows.insert(rows.end(), coeff.begin(), coeff.end());
  }
  return rows;
}

// Keywords and rows of the current HDU, beside the traces.
void read_parameters(FitsReader& file, const PsfTable& table, Psf& psf) {
  psf.camera = header_word(file.find_string("CAMERA").value_or(""));
  psf.in_psf = file.find_string("IN_PSF").value_or("");
  psf.param = rows_of(table, parameter_names(psf));
  psf.second.param = rows_of(table, second_names(psf));
  const PsfHdu hdu{[&](const std::string& row) -> std::optional<std::vector<double>> {
                     if (!table.has(row)) return std::nullopt;
                     return table.coefficients(row);
                   },
                   [&](const std::string& key) { return file.find_double(key.c_str()); }};
  psf.fit = psf_fit_of(hdu, psf.nfiber, psf.ncoeff);
  if (!psf.fit.tails.empty()) psf.tail = tail_of(hdu);
  if (psf.kind == PsfKind::gauss_hermite2) psf.fit.tails.clear();  // its spots have them
}

Psf read_trace_hdus(FitsReader& file) {
  Psf psf;
  read_traces(file, psf);
  file.move_to_hdu("PSF");
  check_kind(file, PsfLayout::trace_hdus);
  read_sizes(file, psf);
  psf.ncoeff = read_int(file, "LEGDEG", 0, max_legendre_degree) + 1;
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
  for (std::string& name : second_names(psf)) names.push_back(std::move(name));
  names.emplace_back("Y");
  for (const std::string& name : names)
    if (table.number("WAVEMIN", name) != psf.wavemin ||
        table.number("WAVEMAX", name) != psf.wavemax)
      throw data_error(file.path(),
                       fmt::format("{}: {} has other wavelengths than X", file.hdu_name(), name),
                       fmt::format("{:g} to {:g}", psf.wavemin, psf.wavemax));
}

// LEGDEG + 1; specex also wrote files without it, whose cells of `nfiber` fibers say it.
int coefficients_of_table(const FitsReader& file, int nfiber) {
  if (file.find_integer("LEGDEG")) return read_int(file, "LEGDEG", 0, max_legendre_degree) + 1;
  const long long repeat = column_shape(file, "COEFF").repeat;
  if (repeat < nfiber || repeat % nfiber != 0 || repeat / nfiber > max_legendre_degree + 1)
    throw data_error(file.path(),
                     fmt::format("{}: COEFF has {} numbers a row, and there is no LEGDEG",
                                 file.hdu_name(), repeat),
                     fmt::format("1 to {} for each of {} fibers", max_legendre_degree + 1, nfiber));
  return static_cast<int>(repeat / nfiber);
}

// What GAUSS-HERMITE2 has beside GAUSS-HERMITE.
void read_second_sizes(const FitsReader& file, Psf& psf) {
  psf.second.ghdegx = read_int(file, "GHDEGX2", 0, max_gh_degree);
  psf.second.ghdegy = read_int(file, "GHDEGY2", 0, max_gh_degree);
  psf.hsizex = box_of_gauss_hermite2(psf.hsizex);
  psf.hsizey = box_of_gauss_hermite2(psf.hsizey);
}

// Versions 1 and 2, and GAUSS-HERMITE2: one table, with the rows X and Y and a range of wavelengths
// in each row.
Psf read_only_table(FitsReader& file) {
  Psf psf;
  psf.kind = check_kind(file, PsfLayout::one_table);
  psf.fibermin = static_cast<int>(file.get_integer("FIBERMIN"));
  const long long last = file.get_integer("FIBERMAX");
  if (last < psf.fibermin || last - psf.fibermin >= max_fibers)
    throw data_error(
        file.path(),
        fmt::format("{}: FIBERMIN = {}, FIBERMAX = {}", file.hdu_name(), psf.fibermin, last),
        fmt::format("1 to {} fibers", max_fibers));
  psf.nfiber = static_cast<int>(last - psf.fibermin) + 1;
  read_sizes(file, psf);
  psf.ncoeff = coefficients_of_table(file, psf.nfiber);
  if (psf.kind == PsfKind::gauss_hermite2) read_second_sizes(file, psf);
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
  if (file.find_hdu("XCOEFF")) return read_psf_images(file);
  if (move_to_only_table(file)) return read_only_table(file);
  file.move_to_primary();
  throw data_error(file.path(),
                   fmt::format("is not a PSF file: it has no HDU YTRACE, and its first HDU is {}",
                               file.find_string("EXTNAME").value_or("without a name")),
                   "XTRACE, YTRACE and PSF; or a PSF of specter");
}

Psf read_psf(const std::string& path, bool checksums) {
  FitsReader file(path, {.checksums = checksums});
  return read_psf(file);
}

}  // namespace spex
