// The headers of a FITS file, checked before CFITSIO sees them.
#pragma once

#include <functional>
#include <string>

namespace spex {

/// Copies up to `count` bytes at `offset` of a file to `to`; returns how many there were.
using ReadAt = std::function<long long(long long offset, char* to, long long count)>;

/// Walks over the HDUs of a file of `size` bytes and throws Error(data) where it is cut short, or
/// where a mandatory keyword is missing, out of place, doubled, or has a value that no file has.
///
/// CFITSIO 4.2 trusts these: it takes the number of columns from uninitialized memory where TFIELDS
/// is missing, divides by ZTILEn = 0, and allocates whatever ZNAXISn and NAXISn say.
void check_headers(const ReadAt& read_at, long long size, const std::string& path);

}  // namespace spex
