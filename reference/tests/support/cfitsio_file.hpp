// A FITS file on disk that CFITSIO itself opens, to check and to change what the project reads.
#pragma once

#include <string>

#include <fitsio.h>

#include "reference/fits/read/fits_file.hpp"

namespace spex::test {

class CfitsioFile {
 public:
  explicit CfitsioFile(const std::string& path, int mode = READONLY) : path_(path) {
    fits_open_diskfile(&file_, path.c_str(), mode, &status_);
    fits_check(status_, path_, "cannot be opened");
  }
  CfitsioFile(const CfitsioFile&) = delete;
  CfitsioFile& operator=(const CfitsioFile&) = delete;
  ~CfitsioFile() {
    int ignored = 0;
    fits_close_file(file_, &ignored);
  }
  [[nodiscard]] fitsfile* get() const { return file_; }
  /// The status of the functions called with it.
  [[nodiscard]] int* status() { return &status_; }

  CfitsioFile& move_to(const std::string& hdu) {
    std::string name = hdu;
    fits_movnam_hdu(file_, ANY_HDU, name.data(), 0, &status_);
    return *this;
  }
  /// Whether DATASUM and CHECKSUM of the current HDU are present and right.
  [[nodiscard]] bool has_right_sums() {
    int data = 0, whole = 0;
    fits_verify_chksum(file_, &data, &whole, &status_);
    return status_ == 0 && data == 1 && whole == 1;
  }
  /// Writes the checksums of the current HDU, if it has them, and throws if a call failed.
  void finish(const std::string& change) {
    int absent = 0;
    char value[FLEN_VALUE] = "";
    fits_read_keyword(file_, "CHECKSUM", value, nullptr, &absent);
    if (absent == 0) fits_write_chksum(file_, &status_);
    fits_flush_file(file_, &status_);
    fits_check(status_, path_, "change of " + change);
  }

 private:
  std::string path_;
  fitsfile* file_ = nullptr;
  int status_ = 0;
};

}  // namespace spex::test
