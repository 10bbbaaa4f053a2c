// Changes values in a FITS file in place, for tests of programs that read it.
#pragma once

#include <string>
#include <vector>

#include <fitsio.h>

#include "reference/fits/read/fits_file.hpp"
#include "reference/fits/read/fits_table.hpp"

namespace spex::test {

/// Writes pixels from `first` on (counted from 0) to the image HDU `hdu`.
inline void set_pixels(const std::string& path, const std::string& hdu, long long first,
                       std::vector<double> values) {
  fitsfile* file = nullptr;
  int status = 0;
  std::string name = hdu;
  fits_open_file(&file, path.c_str(), READWRITE, &status);
  fits_movnam_hdu(file, ANY_HDU, name.data(), 0, &status);
  fits_write_img(file, TDOUBLE, first + 1, static_cast<LONGLONG>(values.size()), values.data(),
                 &status);
  fits_close_file(file, &status);
  fits_check(status, path, "change of " + hdu);
}

/// Stores an image HDU as float64, so that it can hold values beyond float32.
inline void as_doubles(const std::string& path, const std::string& hdu) {
  std::vector<long> axes;
  std::vector<double> values;
  {
    FitsReader reader(path);
    reader.move_to_hdu(hdu);
    for (const long long axis : reader.image_axes()) axes.push_back(static_cast<long>(axis));
    values = reader.read_doubles();
  }
  fitsfile* file = nullptr;
  int status = 0;
  std::string name = hdu;
  fits_open_file(&file, path.c_str(), READWRITE, &status);
  fits_movnam_hdu(file, ANY_HDU, name.data(), 0, &status);
  fits_resize_img(file, DOUBLE_IMG, static_cast<int>(axes.size()), axes.data(), &status);
  fits_close_file(file, &status);
  fits_check(status, path, "resize of " + hdu);
  set_pixels(path, hdu, 0, values);
}

/// Sets a text keyword of an HDU.
inline void set_keyword(const std::string& path, const std::string& hdu, const std::string& name,
                        const std::string& value) {
  fitsfile* file = nullptr;
  int status = 0;
  std::string of = hdu;
  fits_open_file(&file, path.c_str(), READWRITE, &status);
  fits_movnam_hdu(file, ANY_HDU, of.data(), 0, &status);
  fits_update_key_str(file, name.c_str(), value.c_str(), nullptr, &status);
  fits_close_file(file, &status);
  fits_check(status, path, "change of " + name);
}

/// Sets a numeric keyword of an HDU.
inline void set_number(const std::string& path, const std::string& hdu, const std::string& name,
                       double value) {
  fitsfile* file = nullptr;
  int status = 0;
  std::string of = hdu;
  fits_open_file(&file, path.c_str(), READWRITE, &status);
  fits_movnam_hdu(file, ANY_HDU, of.data(), 0, &status);
  fits_update_key(file, TDOUBLE, name.c_str(), &value, nullptr, &status);
  fits_close_file(file, &status);
  fits_check(status, path, "change of " + name);
}

/// Renames a keyword of an HDU.
inline void rename_keyword(const std::string& path, const std::string& hdu, const std::string& name,
                           const std::string& other) {
  fitsfile* file = nullptr;
  int status = 0;
  std::string of = hdu;
  fits_open_file(&file, path.c_str(), READWRITE, &status);
  fits_movnam_hdu(file, ANY_HDU, of.data(), 0, &status);
  fits_modify_name(file, name.c_str(), other.c_str(), &status);
  fits_close_file(file, &status);
  fits_check(status, path, "change of " + name);
}

/// Deletes the rows from `first` on (counted from 0) of the table `hdu`.
inline void delete_rows(const std::string& path, const std::string& hdu, long long first,
                        long long count) {
  fitsfile* file = nullptr;
  int status = 0;
  std::string of = hdu;
  fits_open_file(&file, path.c_str(), READWRITE, &status);
  fits_movnam_hdu(file, BINARY_TBL, of.data(), 0, &status);
  fits_delete_rows(file, first + 1, count, &status);
  fits_close_file(file, &status);
  fits_check(status, path, "rows of " + hdu);
}

/// Gives the table FIBERMAP one row for each of `fibers`, which differ in FIBER alone: the first
/// row's copies.
inline void write_fibers(const std::string& path, std::vector<long long> fibers) {
  fitsfile* file = nullptr;
  int status = 0;
  int column = 0;
  std::string of = "FIBERMAP";
  std::string name = "FIBER";
  LONGLONG rows = 0;
  LONGLONG width = 0;
  fits_open_file(&file, path.c_str(), READWRITE, &status);
  fits_movnam_hdu(file, BINARY_TBL, of.data(), 0, &status);
  fits_get_num_rowsll(file, &rows, &status);
  fits_read_key(file, TLONGLONG, "NAXIS1", &width, nullptr, &status);
  std::vector<unsigned char> row(static_cast<std::size_t>(width));
  fits_read_tblbytes(file, 1, 1, width, row.data(), &status);
  const auto count = static_cast<LONGLONG>(fibers.size());
  if (count < rows) fits_delete_rows(file, count + 1, rows - count, &status);
  if (count > rows) fits_insert_rows(file, rows, count - rows, &status);
  for (LONGLONG k = 1; k <= count; ++k) fits_write_tblbytes(file, k, 1, width, row.data(), &status);
  fits_get_colnum(file, CASEINSEN, name.data(), &column, &status);
  fits_write_col(file, TLONGLONG, column, 1, 1, count, fibers.data(), &status);
  fits_close_file(file, &status);
  fits_check(status, path, "rows of FIBERMAP");
}

/// Sets all LEGDEG + 1 coefficients of one fiber's PSF parameter to `values`.
inline void set_psf_parameter(const std::string& path, const std::string& parameter, int fiber,
                              std::vector<double> values) {
  long row = 0;
  {
    FitsReader reader(path);
    reader.move_to_hdu("PSF");
    const std::vector<std::string> names = read_string_column(reader, "PARAM");
    while (names.at(row) != parameter) ++row;
  }
  fitsfile* file = nullptr;
  int status = 0;
  int column = 0;
  std::string hdu = "PSF";
  std::string coeff = "COEFF";
  fits_open_file(&file, path.c_str(), READWRITE, &status);
  fits_movnam_hdu(file, BINARY_TBL, hdu.data(), 0, &status);
  fits_get_colnum(file, CASEINSEN, coeff.data(), &column, &status);
  const auto count = static_cast<LONGLONG>(values.size());
  fits_write_col(file, TDOUBLE, column, row + 1, fiber * count + 1, count, values.data(), &status);
  fits_close_file(file, &status);
  fits_check(status, path, "change of " + parameter);
}

}  // namespace spex::test
