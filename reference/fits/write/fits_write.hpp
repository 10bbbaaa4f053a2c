// Writes keywords and images into FITS files in memory.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "reference/fits/big_endian.hpp"
#include "reference/fits/read/fits_file.hpp"
#include "reference/fits/write/fits_memory.hpp"

namespace spex {

/// A header keyword: name, value, comment.
struct HeaderKeyword {
  std::string name;                                          ///< up to 8 characters
  std::variant<std::string, long long, double, bool> value;  ///< selects the FITS type
  std::string comment;                                       ///< text after the slash
};

/// Writes a keyword into the current HDU, replacing a keyword of the same name. Throws Error(data).
void write_keyword(FitsMemory& out, const HeaderKeyword& keyword);

/// Writes EXTNAME, and BUNIT unless `unit` is null.
void write_name_and_unit(FitsMemory& out, const char* name, const char* unit);

/// Appends an image HDU; `axes` starts with NAXIS1, `bitpix` is CFITSIO's (FLOAT_IMG ...). Throws
/// Error(data).
void create_image(FitsMemory& out, int bitpix, std::vector<long> axes);

/// Writes all pixels and checksums of the current image HDU, which is DOUBLE_IMG if `of_double`,
/// else FLOAT_IMG. Takes half the time of write_pixels. Throws Error(data).
template <class Real>
void write_image(FitsMemory& out, bool of_double, const std::vector<Real>& values) {
  const std::span<unsigned char> data = out.image_data();
  if (data.size() != values.size() * (of_double ? sizeof(double) : sizeof(float)))
    throw std::logic_error("the image and its HDU differ in size");
  if (of_double)
    store_big_endian<double>(values.data(), values.size(), data.data());
  else
    store_big_endian<float>(values.data(), values.size(), data.data());
  out.write_checksums();
}

/// Writes all pixels and checksums of the current image HDU; `type` is CFITSIO's type of T (TDOUBLE
/// ...). Throws Error(data).
template <class T>
void write_pixels(FitsMemory& out, int type, const std::vector<T>& values) {
  int status = 0;
  // CFITSIO requires a mutable array but does not write to it.
  fits_write_img(out.get(), type, 1, static_cast<LONGLONG>(values.size()),
                 const_cast<T*>(values.data()), &status);
  fits_check(status, out.name(), "cannot write pixels");
  out.write_checksums();
}

}  // namespace spex
