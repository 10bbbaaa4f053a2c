#include "reference/io/read_psf_images.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reference/core/all_finite.hpp"
#include "reference/core/count.hpp"
#include "reference/core/error.hpp"
#include "reference/core/header_word.hpp"
#include "reference/fits/read/fits_table.hpp"
#include "reference/io/psf_kind.hpp"
#include "reference/io/psf_parts.hpp"
#include "reference/psf/image_spots.hpp"

namespace spex {

using namespace psf_parts;

namespace {

// Larger numbers mean a broken file.
constexpr long long max_side = 4000;         // fine pixels
constexpr long long max_values = 100000000;  // of all images
constexpr int max_exponent = 20;
constexpr double unequal = 1e-6;  // relative difference of a ratio from a whole number

// HDUs of a PCA-PIX have numbers, not names.
constexpr int pca_terms_hdu = 4, pca_fibers_hdu = 5, pca_images_hdu = 6;

Error wrong_shape(const FitsReader& file, const std::vector<long long>& axes,
                  const std::string& expected) {
  return data_error(file.path(),
                    fmt::format("{} has the shape {}", file.hdu_name(), fmt::join(axes, " x ")),
                    expected);
}

std::vector<double> finite_doubles(FitsReader& file) {
  std::vector<double> values = file.read_doubles();
  if (!all_finite(values))
    throw data_error(file.path(), file.hdu_name() + " has a number that is not finite",
                     "finite numbers");
  return values;
}

// Reads the images of the current HDU, and returns its axes beyond the images' own.
std::vector<long long> read_images(FitsReader& file, std::size_t naxis, SpotImages& images) {
  const std::vector<long long> axes = file.image_axes();
  const char* const expected =
      naxis == 2 ? "columns x rows of an image, at most 4000 each"
                 : "columns x rows (at most 4000 each) x images x images, at most 1e8 in all";
  if (axes.size() != naxis || *std::ranges::min_element(axes) < 1 ||
      std::max(axes[0], axes[1]) > max_side)
    throw wrong_shape(file, axes, expected);
  long long count = 1;
  for (const long long axis : axes) {
    if (axis > max_values / count) throw wrong_shape(file, axes, expected);
    count *= axis;
  }
  images.nx = static_cast<int>(axes[0]);
  images.ny = static_cast<int>(axes[1]);
  images.value = finite_doubles(file);
  return {axes.begin() + 2, axes.end()};
}

// The numbers of an HDU with one axis. `ascending`: two or more, each larger than the one before.
std::vector<double> read_axis(FitsReader& file, const char* hdu, long long count, const char* what,
                              bool ascending) {
  file.move_to_hdu(hdu);
  const std::vector<long long> axes = file.image_axes();
  if (axes != std::vector<long long>{count})
    throw wrong_shape(file, axes, fmt::format("{}, {}", count, what));
  std::vector<double> values = finite_doubles(file);
  if (ascending && (values.size() < 2 ||
                    std::ranges::adjacent_find(values, std::greater_equal<>()) != values.end()))
    throw data_error(file.path(), file.hdu_name() + " does not ascend",
                     "two or more numbers that do");
  return values;
}

// Images of fine pixels must fill pixels of the CCD.
void check_scale(const FitsReader& file, const SpotImages& images) {
  if (images.nx % images.scale != 0 || images.ny % images.scale != 0)
    throw data_error(file.path(),
                     fmt::format("images of {} x {} pixels, {} to a pixel of the CCD", images.nx,
                                 images.ny, images.scale),
                     fmt::format("multiples of {}", images.scale));
}

int whole_scale(const FitsReader& file, double scale, const std::string& what) {
  if (!(scale > 0.5 && scale <= max_side) || std::abs(scale - std::round(scale)) > unequal * scale)
    throw data_error(file.path(), fmt::format("{} is {:g}", what, scale),
                     fmt::format("a whole number, 1 to {}", max_side));
  return static_cast<int>(std::lround(scale));
}

void read_spotgrid(FitsReader& file, Psf& psf) {
  SpotImages& images = psf.images;
  file.move_to_primary();
  images.scale = whole_scale(file, file.get_double("CCDPIXSZ") / file.get_double("PIXSIZE"),
                             "CCDPIXSZ / PIXSIZE");
  file.move_to_hdu("SPOTS");
  const std::vector<long long> axes = read_images(file, 4, images);
  check_scale(file, images);
  images.grid.slit = read_axis(file, "SPOTPOS", axes[1], "as in SPOTS", true);
  images.grid.wave = read_axis(file, "SPOTWAVE", axes[0], "as in SPOTS", true);
  images.grid.fiber = read_axis(file, "FIBERPOS", psf.nfiber, "one a fiber", false);
}

void read_monospot(FitsReader& file, Psf& psf) {
  file.move_to_hdu("SPOT");
  psf.images.scale = whole_scale(file, file.get_double("SCALE"), file.hdu_name() + ": SCALE");
  read_images(file, 2, psf.images);
  check_scale(file, psf.images);
}

int within(const FitsReader& file, const char* column, std::size_t row, long long value,
           long long most) {
  if (value < 0 || value > most)
    throw data_error(file.path(),
                     fmt::format("{}: {} is {} in row {}", file.hdu_name(), column, value, row + 1),
                     fmt::format("0 to {}", most));
  return static_cast<int>(value);
}

void check_rows(const FitsReader& file, long long rows, long long expected, const char* what) {
  if (rows != expected)
    throw data_error(file.path(), fmt::format("{} has {} rows", file.hdu_name(), rows),
                     fmt::format("{}, {}", expected, what));
}

double finite_cell(const FitsReader& file, const char* column, std::size_t row) {
  const std::vector<double> value = read_double_cell(file, column, static_cast<long>(row) + 1, 1);
  if (!all_finite(value))
    throw data_error(
        file.path(),
        fmt::format("{}: {} is not finite in row {}", file.hdu_name(), column, row + 1),
        "a finite number");
  return value.front();
}

void read_pca_pix(FitsReader& file, Psf& psf) {
  SpotImages& images = psf.images;
  if (file.hdus() < pca_images_hdu)
    throw data_error(file.path(), fmt::format("has {} HDUs", file.hdus()),
                     "6: XCOEFF, YCOEFF, one that is not read, two tables, and images");
  file.move_to_number(pca_images_hdu);
  const std::vector<long long> axes = read_images(file, 4, images);
  if (images.nx % 2 == 0 || images.ny % 2 == 0)
    throw wrong_shape(file, file.image_axes(), "odd numbers of columns and rows");

  file.move_to_number(pca_terms_hdu);
  const std::vector<std::int64_t> xexp = read_integer_column(file, "XEXP");
  const std::vector<std::int64_t> yexp = read_integer_column(file, "YEXP");
  check_rows(file, row_count(file), axes[0], "one an image of a group");
  for (std::size_t row = 0; row < xexp.size(); ++row)
    images.term.push_back({within(file, "XEXP", row, xexp[row], max_exponent),
                           within(file, "YEXP", row, yexp[row], max_exponent)});

  file.move_to_number(pca_fibers_hdu);
  const std::vector<std::int64_t> group = read_integer_column(file, "IGROUP");
  check_rows(file, row_count(file), psf.nfiber, "one a fiber");
  for (std::size_t row = 0; row < group.size(); ++row)
    images.pca.push_back({within(file, "IGROUP", row, group[row], axes[1] - 1),
                          finite_cell(file, "X0", row), finite_cell(file, "XSCALE", row),
                          finite_cell(file, "Y0", row), finite_cell(file, "YSCALE", row)});
}

int box_of(const FitsReader& file, PsfKind kind, int n, int scale) {
  const int half = box_of_images(kind, kind == PsfKind::pca_pix ? n : coarse_pixels(n, scale));
  if (half < 1 || half > max_half_size)
    throw data_error(file.path(), fmt::format("spots of {} / {} pixels", n, scale),
                     fmt::format("2 to {} pixels of the CCD", 2 * max_half_size));
  return half;
}

void read_coefficients(FitsReader& file, Psf& psf) {
  const auto read = [&](const char* hdu) {
    file.move_to_hdu(hdu);
    int nfiber = 0;
    Trace trace = read_trace(file, hdu, nfiber);
    if (nfiber != psf.nfiber)
      throw data_error(file.path(), fmt::format("{} has {} fibers", hdu, nfiber),
                       fmt::format("{}, NSPEC of the first HDU", psf.nfiber));
    return trace;
  };
  psf.xtrace = read("XCOEFF");
  psf.ytrace = read("YCOEFF");
  psf.wavemin = std::max(psf.xtrace.wavemin, psf.ytrace.wavemin);
  psf.wavemax = std::min(psf.xtrace.wavemax, psf.ytrace.wavemax);
  if (!(psf.wavemin < psf.wavemax))
    throw data_error(file.path(), "XCOEFF and YCOEFF have no wavelength in common",
                     "ranges WAVEMIN to WAVEMAX that overlap");
}

}  // namespace

Psf read_psf_images(FitsReader& file) {
  Psf psf;
  file.move_to_primary();
  psf.kind = check_psf_kind(file.path(), file.hdu_name(), file.find_string("PSFTYPE"), std::nullopt,
                            PsfLayout::coeff_hdus);
  psf.npix_x = read_int(file, "NPIX_X", 1, max_pixels);
  psf.npix_y = read_int(file, "NPIX_Y", 1, max_pixels);
  psf.nfiber = read_int(file, "NSPEC", 1, max_fibers);
  psf.psferr = read_psferr(file);
  psf.camera = header_word(file.find_string("CAMERA").value_or(""));
  psf.in_psf = file.find_string("IN_PSF").value_or("");
  psf.fibermin = static_cast<int>(file.find_integer("FIBERMIN").value_or(0));
  read_coefficients(file, psf);
  if (psf.kind == PsfKind::spotgrid) read_spotgrid(file, psf);
  if (psf.kind == PsfKind::monospot) read_monospot(file, psf);
  if (psf.kind == PsfKind::pca_pix) read_pca_pix(file, psf);
  psf.hsizex = box_of(file, psf.kind, psf.images.nx, psf.images.scale);
  psf.hsizey = box_of(file, psf.kind, psf.images.ny, psf.images.scale);
  return psf;
}

}  // namespace spex
