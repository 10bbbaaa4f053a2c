#include "reference/io/fits_memory.hpp"

#include <cstdlib>
#include <utility>

#include "reference/core/error.hpp"
#include "reference/io/fits_file.hpp"

namespace spex {

FitsMemory::Buffer::~Buffer() {
  std::free(data);
}  // CFITSIO grew it by realloc

void FitsMemory::Close::operator()(fitsfile* file) const noexcept {
  int status = 0;
  fits_close_file(file, &status);
  fits_clear_errmsg();
}

FitsMemory::FitsMemory(std::string name)
    : name_(std::move(name)), buffer_(std::make_unique<Buffer>()) {
  constexpr std::size_t block = 2880;
  constexpr std::size_t growth = 1U << 24;
  buffer_->size = block;
  buffer_->data = std::malloc(buffer_->size);
  if (buffer_->data == nullptr) throw std::bad_alloc();
  int status = 0;
  fitsfile* file = nullptr;
  fits_create_memfile(&file, &buffer_->data, &buffer_->size, growth, std::realloc, &status);
  fits_check(status, name_, "cannot make a FITS file in memory");
  file_.reset(file);
}

void FitsMemory::write_checksums() {
  // fits_write_chksum dates its comments; equal content shall give equal bytes.
  int status = 0;
  fitsfile* file = get();
  fits_update_key_str(file, "DATASUM", "0", "data unit checksum", &status);
  fits_update_key_str(file, "CHECKSUM", "0000000000000000", "HDU checksum", &status);
  fits_flush_file(file, &status);
  unsigned long datasum = 0;
  unsigned long hdusum = 0;
  fits_get_chksum(file, &datasum, &hdusum, &status);
  fits_update_key_str(file, "DATASUM", std::to_string(datasum).c_str(), "data unit checksum",
                      &status);
  fits_get_chksum(file, &datasum, &hdusum, &status);
  constexpr int complement = 1;
  char encoded[FLEN_VALUE] = "";
  fits_encode_chksum(hdusum, complement, encoded);
  fits_update_key_str(file, "CHECKSUM", encoded, "HDU checksum", &status);
  fits_check(status, name_, "cannot write checksums");
}

std::vector<char> FitsMemory::take() {
  int status = 0;
  int hdus = 0;
  LONGLONG end = 0;
  fits_flush_file(get(), &status);
  fits_get_num_hdus(get(), &hdus, &status);
  fits_movabs_hdu(get(), hdus, nullptr, &status);
  fits_get_hduaddrll(get(), nullptr, nullptr, &end, &status);
  fits_close_file(file_.release(), &status);
  fits_check(status, name_, "cannot finish the FITS file in memory");
  const char* begin = static_cast<const char*>(buffer_->data);
  std::vector<char> bytes(begin, begin + end);
  buffer_.reset();
  return bytes;
}

}  // namespace spex
