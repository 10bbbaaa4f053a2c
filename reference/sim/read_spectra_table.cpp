#include "reference/sim/read_spectra_table.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include <fmt/format.h>

#include "reference/core/error.hpp"
#include "reference/fits/read/fits_table.hpp"

namespace spex {
namespace {

constexpr double unequal_step = 1e-6;  // how far a wavelength may be off, as a part of a step
constexpr long long max_numbers = 1000000000;

constexpr std::array units_of_wavelength{"angstrom", "angstroms", "a", "aa"};
constexpr std::array units_of_flux{"electron/angstrom", "electrons/angstrom", "electron/a",
                                   "electronangstrom-1", "angstrom-1electron"};

// The unit without blanks, points, carets and capitals.
std::string plain_unit(const std::string& unit) {
  std::string plain;
  for (const char c : unit)
    if (std::string_view(" .*^()").find(c) == std::string_view::npos)
      plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return plain;
}

// The column's number, from 1; 0 if there is none.
int number_of_column(const FitsReader& file, const char* column) {
  int status = 0, number = 0;
  std::string name = column;
  fits_get_colnum(file.get(), CASEINSEN, name.data(), &number, &status);
  return status == 0 ? number : 0;
}

// A unit that is not stated is the expected one.
template <class Units>
void check_unit(const FitsReader& file, const char* column, const Units& units,
                const char* expected) {
  const int number = number_of_column(file, column);
  if (number == 0) return;  // reading it says so
  const std::string stated = file.find_string(fmt::format("TUNIT{}", number).c_str()).value_or("");
  const std::string unit = plain_unit(stated);
  if (!unit.empty() && std::ranges::find(units, unit) == units.end())
    throw data_error(file.path(), fmt::format("{}: {} is in {}", file.hdu_name(), column, stated),
                     expected);
}

void move_to_table(FitsReader& file) {
  for (int number = 2; number <= file.hdus(); ++number) {
    file.move_to_number(number);
    if (!file.is_image() &&
        (number_of_column(file, "WAVELENGTH") > 0 || number_of_column(file, "FLUX") > 0))
      return;
  }
  throw data_error(file.path(), "has no HDU FLUX, and no table of spectra",
                   "HDUs WAVELENGTH and FLUX, or a table with these columns, a row a fiber");
}

std::vector<double> rows_of(const FitsReader& file, const char* column, long long rows,
                            long long count) {
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(rows * count));
  for (long long row = 1; row <= rows; ++row)
    for (const double value : read_double_cell(file, column, static_cast<long>(row), count))
      values.push_back(value);
  return values;
}

void check_ascending(const FitsReader& file, const GivenSpectra& given) {
  const auto nwave = static_cast<std::ptrdiff_t>(given.nwave);
  for (std::ptrdiff_t s = 0; s < given.nfiber; ++s) {
    const auto first = given.wave.begin() + s * nwave;
    const auto last = first + nwave;
    if (!std::all_of(first, last, [](double w) { return std::isfinite(w); }) ||
        std::adjacent_find(first, last, std::greater_equal<>()) != last)
      throw data_error(
          file.path(),
          fmt::format("{}: WAVELENGTH does not ascend in row {}", file.hdu_name(), s + 1),
          "ascending wavelengths, Angstrom");
  }
}

// The step of all rows; 0 if they differ, or have none.
double common_step(const GivenSpectra& given) {
  const auto nwave = static_cast<std::size_t>(given.nwave);
  const double first = given.wave.front();
  const double step = (given.wave[nwave - 1] - first) / static_cast<double>(nwave - 1);
  for (std::size_t i = 0; i < given.wave.size(); ++i)
    if (!(std::abs(given.wave[i] - (first + static_cast<double>(i % nwave) * step)) <=
          unequal_step * step))
      return 0;
  return step;
}

}  // namespace

GivenSpectra read_spectra_table(FitsReader& file) {
  move_to_table(file);
  check_unit(file, "WAVELENGTH", units_of_wavelength, "Angstrom");
  check_unit(file, "FLUX", units_of_flux, "electron/Angstrom");
  const long long rows = row_count(file);
  const long long count = column_shape(file, "WAVELENGTH").repeat;
  const long long fluxes = column_shape(file, "FLUX").repeat;
  if (count != fluxes)
    throw data_error(
        file.path(),
        fmt::format("{}: WAVELENGTH has {} numbers a row, FLUX {}", file.hdu_name(), count, fluxes),
        "as many");
  if (rows < 1 || count < 2 || rows > max_numbers / count)
    throw data_error(file.path(),
                     fmt::format("{}: {} rows of {} wavelengths", file.hdu_name(), rows, count),
                     "a row a fiber, each of two or more wavelengths");
  GivenSpectra given;
  given.nfiber = static_cast<int>(rows);
  given.nwave = static_cast<int>(count);
  given.wave = rows_of(file, "WAVELENGTH", rows, count);
  given.flux = rows_of(file, "FLUX", rows, count);
  check_ascending(file, given);
  given.dw = common_step(given);
  if (given.dw > 0) given.wave.resize(static_cast<std::size_t>(count));
  return given;
}

}  // namespace spex
