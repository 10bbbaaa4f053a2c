#include "reference/fits/write/fits_memory.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <new>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "reference/core/error.hpp"
#include "reference/fits/fits_checksum.hpp"
#include "reference/fits/read/fits_file.hpp"

namespace spex {
namespace {

// A header before the bytes that CFITSIO sees.
struct alignas(std::max_align_t) Prefix {
  std::size_t size;
  std::size_t capacity;
};

// CFITSIO's growth step, small enough that new memory is still in the cache when it is written.
constexpr std::size_t growth = std::size_t{1} << 18;

Prefix* prefix_of(void* data) {
  return data == nullptr ? nullptr : static_cast<Prefix*>(data) - 1;
}

// realloc with new bytes set to 0: CFITSIO reads descriptors of tiles before it writes them, and
// would follow garbage descriptors far beyond the end of the file. If the size is not available,
// allocates at least `least` bytes.
void* resize_to(void* data, std::size_t size, std::size_t least) {
  Prefix* prefix = prefix_of(data);
  const Prefix before = prefix == nullptr ? Prefix{0, 0} : *prefix;
  std::size_t capacity = before.capacity;
  if (size > capacity) {
    capacity = std::max({size, 2 * capacity, least});
    void* memory = ::operator new(sizeof(Prefix) + capacity, std::nothrow);
    if (memory == nullptr) return nullptr;
    if (prefix != nullptr) std::memcpy(memory, prefix, sizeof(Prefix) + before.size);
    ::operator delete(prefix);
    prefix = static_cast<Prefix*>(memory);
  }
  new (prefix) Prefix{size, capacity};
  char* bytes = reinterpret_cast<char*>(prefix + 1);
  if (size > before.size) std::memset(bytes + before.size, 0, size - before.size);
  return bytes;
}

// CFITSIO's callback.
void* resize(void* data, std::size_t size) {
  return resize_to(data, size, 0);
}

}  // namespace

FitsMemory::Buffer::~Buffer() {
  ::operator delete(prefix_of(data));
}

void FitsMemory::Close::operator()(fitsfile* file) const noexcept {
  int status = 0;
  fits_close_file(file, &status);
}

FitsMemory::FitsMemory(std::string name, std::size_t expected)
    : name_(std::move(name)), buffer_(std::make_unique<Buffer>()) {
  constexpr std::size_t block = 2880;
  buffer_->size = block;
  buffer_->data = resize_to(nullptr, buffer_->size, expected);
  if (buffer_->data == nullptr) throw std::bad_alloc();
  int status = 0;
  fitsfile* file = nullptr;
  fits_create_memfile(&file, &buffer_->data, &buffer_->size, growth, resize, &status);
  fits_check(status, name_, "cannot make a FITS file in memory");
  file_.reset(file);
}

std::span<const unsigned char> FitsMemory::bytes(LONGLONG begin, LONGLONG end) const {
  if (begin < 0 || end < begin || static_cast<std::size_t>(end) > buffer_->size)
    throw std::logic_error("an HDU lies outside of its file");
  return {static_cast<const unsigned char*>(buffer_->data) + begin,
          static_cast<std::size_t>(end - begin)};
}

std::span<unsigned char> FitsMemory::image_data() {
  int status = 0;
  int bitpix = 0, naxis = 0;
  fits_get_img_type(get(), &bitpix, &status);
  fits_get_img_dim(get(), &naxis, &status);
  std::vector<LONGLONG> axes(naxis);
  fits_get_img_sizell(get(), naxis, axes.data(), &status);
  const LONGLONG pixels =
      std::accumulate(axes.begin(), axes.end(), LONGLONG{1}, std::multiplies<>());
  // Writing the last pixel makes CFITSIO extend the file. CFITSIO must not keep data in its
  // buffers, which it would later write over the pixels filled in here.
  double zero = 0;
  if (pixels > 0) fits_write_img(get(), TDOUBLE, pixels, 1, &zero, &status);
  constexpr int forget = 1;
  fits_flush_buffer(get(), forget, &status);
  LONGLONG header = 0, data = 0, end = 0;
  fits_get_hduaddrll(get(), &header, &data, &end, &status);
  fits_check(status, name_, "cannot make room for an image");
  static_cast<void>(bytes(data, end));
  return {static_cast<unsigned char*>(buffer_->data) + data,
          static_cast<std::size_t>(pixels) * static_cast<std::size_t>(std::abs(bitpix) / 8)};
}

void FitsMemory::write_checksums() {
  // Not fits_write_chksum: it writes dates into comments, so that equal content would give
  // different bytes, and it reads the data twice.
  int status = 0;
  LONGLONG header = 0, data = 0, end = 0;
  fitsfile* file = get();
  fits_update_key_str(file, "DATASUM", "0", "data unit checksum", &status);
  fits_update_key_str(file, "CHECKSUM", "0000000000000000", "HDU checksum", &status);
  fits_flush_file(file, &status);
  fits_get_hduaddrll(file, &header, &data, &end, &status);
  fits_check(status, name_, "cannot find an HDU in memory");
  const std::uint32_t datasum = fits_checksum(bytes(data, end));
  fits_update_key_str(file, "DATASUM", std::to_string(datasum).c_str(), "data unit checksum",
                      &status);
  fits_flush_buffer(file, 0, &status);
  fits_check(status, name_, "cannot write DATASUM");
  constexpr int complement = 1;
  char encoded[FLEN_VALUE] = "";
  fits_encode_chksum(fits_checksum(bytes(header, data), datasum), complement, encoded);
  fits_update_key_str(file, "CHECKSUM", encoded, "HDU checksum", &status);
  fits_check(status, name_, "cannot write CHECKSUM");
}

std::size_t FitsMemory::size() const {
  int status = 0;
  LONGLONG end = 0;
  fits_get_hduaddrll(get(), nullptr, nullptr, &end, &status);
  fits_check(status, name_, "cannot find an HDU in memory");
  return static_cast<std::size_t>(end);
}

std::span<const char> FitsMemory::finish() {
  int status = 0;
  int hdus = 0;
  LONGLONG end = 0;
  fits_flush_file(get(), &status);
  fits_get_num_hdus(get(), &hdus, &status);
  fits_movabs_hdu(get(), hdus, nullptr, &status);
  fits_get_hduaddrll(get(), nullptr, nullptr, &end, &status);
  fits_close_file(file_.release(), &status);
  fits_check(status, name_, "cannot finish the FITS file in memory");
  return {static_cast<const char*>(buffer_->data), static_cast<std::size_t>(end)};
}

std::vector<char> FitsMemory::take() {
  const std::span<const char> all = finish();
  return {all.begin(), all.end()};
}

}  // namespace spex
