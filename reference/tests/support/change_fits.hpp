// Changes values in a FITS file in place, with their checksums, for tests of programs that read it.
#pragma once

#include <string>
#include <vector>

#include <fitsio.h>

#include "reference/fits/read/fits_file.hpp"
#include "reference/fits/read/fits_table.hpp"
#include "reference/tests/support/cfitsio_file.hpp"

namespace spex::test {

/// Writes pixels from `first` on (counted from 0) to the image HDU `hdu`.
inline void set_pixels(const std::string& path, const std::string& hdu, long long first,
                       std::vector<double> values) {
  CfitsioFile file(path, READWRITE);
  file.move_to(hdu);
  fits_write_img(file.get(), TDOUBLE, first + 1, static_cast<LONGLONG>(values.size()),
                 values.data(), file.status());
  file.finish(hdu);
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
  {
    CfitsioFile file(path, READWRITE);
    file.move_to(hdu);
    fits_resize_img(file.get(), DOUBLE_IMG, static_cast<int>(axes.size()), axes.data(),
                    file.status());
    file.finish(hdu);
  }
  set_pixels(path, hdu, 0, values);
}

/// Sets a text keyword of an HDU.
inline void set_keyword(const std::string& path, const std::string& hdu, const std::string& name,
                        const std::string& value) {
  CfitsioFile file(path, READWRITE);
  file.move_to(hdu);
  fits_update_key_str(file.get(), name.c_str(), value.c_str(), nullptr, file.status());
  file.finish(name);
}

/// Sets a numeric keyword of an HDU.
inline void set_number(const std::string& path, const std::string& hdu, const std::string& name,
                       double value) {
  CfitsioFile file(path, READWRITE);
  file.move_to(hdu);
  fits_update_key(file.get(), TDOUBLE, name.c_str(), &value, nullptr, file.status());
  file.finish(name);
}

/// Renames a keyword of an HDU.
inline void rename_keyword(const std::string& path, const std::string& hdu, const std::string& name,
                           const std::string& other) {
  CfitsioFile file(path, READWRITE);
  file.move_to(hdu);
  fits_modify_name(file.get(), name.c_str(), other.c_str(), file.status());
  file.finish(name);
}

/// Deletes the rows from `first` on (counted from 0) of the table `hdu`.
inline void delete_rows(const std::string& path, const std::string& hdu, long long first,
                        long long count) {
  CfitsioFile file(path, READWRITE);
  file.move_to(hdu);
  fits_delete_rows(file.get(), first + 1, count, file.status());
  file.finish("rows of " + hdu);
}

/// Gives the table FIBERMAP one row for each of `fibers`, which differ in FIBER alone: the first
/// row's copies.
inline void write_fibers(const std::string& path, std::vector<long long> fibers) {
  CfitsioFile opened(path, READWRITE);
  fitsfile* const file = opened.move_to("FIBERMAP").get();
  int* const status = opened.status();
  int column = 0;
  std::string name = "FIBER";
  LONGLONG rows = 0;
  LONGLONG width = 0;
  fits_get_num_rowsll(file, &rows, status);
  fits_read_key(file, TLONGLONG, "NAXIS1", &width, nullptr, status);
  std::vector<unsigned char> row(static_cast<std::size_t>(width));
  fits_read_tblbytes(file, 1, 1, width, row.data(), status);
  const auto count = static_cast<LONGLONG>(fibers.size());
  if (count < rows) fits_delete_rows(file, count + 1, rows - count, status);
  if (count > rows) fits_insert_rows(file, rows, count - rows, status);
  for (LONGLONG k = 1; k <= count; ++k) fits_write_tblbytes(file, k, 1, width, row.data(), status);
  fits_get_colnum(file, CASEINSEN, name.data(), &column, status);
  fits_write_col(file, TLONGLONG, column, 1, 1, count, fibers.data(), status);
  opened.finish("rows of FIBERMAP");
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
  CfitsioFile file(path, READWRITE);
  file.move_to("PSF");
  int column = 0;
  std::string coeff = "COEFF";
  fits_get_colnum(file.get(), CASEINSEN, coeff.data(), &column, file.status());
  const auto count = static_cast<LONGLONG>(values.size());
  fits_write_col(file.get(), TDOUBLE, column, row + 1, fiber * count + 1, count, values.data(),
                 file.status());
  file.finish(parameter);
}

}  // namespace spex::test
