#include "reference/fits/read/fits_file.hpp"

#include <algorithm>
#include <filesystem>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "reference/core/error.hpp"
#include "reference/fits/read/check_headers.hpp"
#include "reference/fits/read/inflate.hpp"
#include "reference/fits/read/table_cells.hpp"
#include "reference/fits/read/unpack.hpp"

namespace spex {
namespace {

constexpr int first_hdu = 1;
// CFITSIO statuses below this value are file errors; statuses above concern the content.
constexpr int first_status_of_content = 200;

// CFITSIO's message for a status and the last line of its error stack; clears the stack.
std::string cfitsio_text(int status) {
  char text[FLEN_STATUS] = "";
  fits_get_errstatus(status, text);
  char line[FLEN_ERRMSG] = "";
  std::string first;
  while (fits_read_errmsg(line) != 0)
    if (first.empty()) first = line;
  fits_clear_errmsg();
  return first.empty() ? text : fmt::format("{}; {}", text, first);
}

// Reports clearly what CFITSIO reports obscurely. Returns true for a gzip file.
bool check_readable(const std::string& path) {
  std::error_code code;
  const std::filesystem::file_status status = std::filesystem::status(path, code);
  if (!std::filesystem::exists(status)) throw data_error(path, "no such file", "a FITS file");
  if (std::filesystem::is_directory(status)) throw data_error(path, "is a folder", "a FITS file");
  if (!std::filesystem::is_regular_file(status))
    throw data_error(path, "is a device or a pipe", "a FITS file");
  std::string magic(8, '\0');
  magic.resize(static_cast<std::size_t>(
      read_file_at(path)(0, magic.data(), static_cast<long long>(magic.size()))));
  if (magic.empty()) throw data_error(path, "is empty", "a FITS file");
  const bool gzip = magic.starts_with("\x1f\x8b");
  if (!magic.starts_with("SIMPLE") && !gzip)
    throw data_error(path, "is not a FITS file", "SIMPLE, or gzip, at its start");
  return gzip;
}

std::vector<FitsHdu> check_memory_headers(std::span<const char> bytes, const std::string& path) {
  return check_headers(read_memory_at(bytes), static_cast<long long>(bytes.size()), path);
}

// CFITSIO moves arrays of variable length when rows are deleted, as for a fibermap.
void check_arrays(std::span<const char> bytes, const std::vector<FitsHdu>& hdus) {
  for (const FitsHdu& hdu : hdus) {
    if (hdu.columns.empty()) continue;
    const std::span<const char> all(bytes);
    TableCells(hdu, all.subspan(static_cast<std::size_t>(hdu.data),
                                static_cast<std::size_t>(hdu.data_size)))
        .check_arrays();
  }
}

Bytes read_whole(const std::string& path) {
  Bytes bytes(std::filesystem::file_size(path));
  const auto size = static_cast<long long>(bytes.size());
  if (read_file_at(path)(0, bytes.data(), size) != size)
    throw data_error(path, "became shorter while it was read", "an unchanged file");
  return bytes;
}

std::string trimmed(const char* text) {
  std::string s(text);
  s.erase(std::find_if(s.rbegin(), s.rend(), [](char c) { return c != ' '; }).base(), s.end());
  return s;
}

}  // namespace

void fits_check(int status, const std::string& path, const std::string& what) {
  if (status != 0) throw data_error(path, fmt::format("{}: {}", what, cfitsio_text(status)));
}

void FitsReader::Close::operator()(fitsfile* file) const noexcept {
  int status = 0;
  fits_close_file(file, &status);
  fits_clear_errmsg();
}

FitsReader::FitsReader(const std::string& path, GzipPixels pixels) : path_(path) {
  const bool gzip = check_readable(path);
  source_ = read_file_at(path);
  const auto size = static_cast<long long>(std::filesystem::file_size(path));
  const std::vector<FitsHdu> hdus =
      gzip ? std::vector<FitsHdu>() : check_headers(source_, size, path);
  if (gzip) {
    open_gzip(static_cast<std::size_t>(size), pixels);
    return;
  }
  if (any_packed(hdus)) {
    bytes_ = read_whole(path);
    open_unzipped(bytes_);
    return;
  }
  int status = 0;
  fitsfile* file = nullptr;
  fits_open_diskfile(&file, path.c_str(), READONLY, &status);
  fits_check(status, path, "cannot be read");
  take_over(file, hdus.size());
}

bool FitsReader::open_converted(std::size_t size) {
  UnzippedFits file = unzip_fits(source_, size, path_);
  if (any_packed(file.hdus)) return false;
  bytes_ = std::move(file.bytes);
  native_ = std::move(file.images);
  check_arrays(bytes_, file.hdus);
  open_plain(bytes_, file.hdus.size());
  return true;
}

NativePixels* FitsReader::find_native() const {
  int hdu = 0;
  fits_get_hdu_num(get(), &hdu);
  const auto found = native_.find(hdu - first_hdu);
  return found == native_.end() ? nullptr : &found->second;
}

void FitsReader::take_over(fitsfile* file, std::size_t hdus) {
  file_.reset(file);
  hdus_ = static_cast<int>(hdus);
  int status = 0;
  for (int hdu = first_hdu; hdu <= hdus_; ++hdu) {
    fits_movabs_hdu(file, hdu, nullptr, &status);
    fits_check(status, path_, fmt::format("cannot read HDU number {}", hdu));
  }
  fits_movabs_hdu(file, first_hdu, nullptr, &status);
  fits_check(status, path_, "cannot read its first HDU");
}

FitsReader::FitsReader(std::span<const char> bytes, std::string name, GzipPixels pixels)
    : path_(std::move(name)) {
  if (is_gzip(bytes)) {
    source_ = read_memory_at(bytes);
    open_gzip(bytes.size(), pixels);
  } else {
    open_unzipped(bytes);
  }
}

void FitsReader::open_gzip(std::size_t size, GzipPixels pixels) {
  if (pixels == GzipPixels::converted && open_converted(size)) return;
  bytes_ = unzip(source_, size, path_);
  open_unzipped(bytes_);
}

void FitsReader::open_unzipped(std::span<const char> bytes) {
  constexpr std::size_t block = 2880;
  if (bytes.size() < block || !std::string_view(bytes.data(), block).starts_with("SIMPLE"))
    throw data_error(path_, "is not a FITS file", "SIMPLE at its start and at least 2880 bytes");
  const std::vector<FitsHdu> hdus = check_memory_headers(bytes, path_);
  if (!any_packed(hdus)) {
    check_arrays(bytes, hdus);
    open_plain(bytes, hdus.size());
    return;
  }
  bytes_ = unpack(bytes, hdus);
  // Unpacked data pass the same checks as files.
  const std::vector<FitsHdu> unpacked = check_memory_headers(bytes_, path_);
  check_arrays(bytes_, unpacked);
  open_plain(bytes_, unpacked.size());
}

void FitsReader::open_plain(std::span<const char> bytes, std::size_t hdus) {
  // CFITSIO requires a mutable buffer but does not write to a file opened READONLY.
  source_ = read_memory_at(bytes);
  memory_ = std::make_unique<Memory>();
  memory_->data = const_cast<char*>(bytes.data());
  memory_->size = bytes.size();
  int status = 0;
  fitsfile* file = nullptr;
  fits_open_memfile(&file, "memory", READONLY, &memory_->data, &memory_->size, 0, nullptr, &status);
  fits_check(status, path_, "cannot be read");
  take_over(file, hdus);
}

bool FitsReader::find_hdu(const std::string& name) {
  int status = 0;
  for (int hdu = first_hdu; hdu <= hdus_; ++hdu) {
    fits_movabs_hdu(get(), hdu, nullptr, &status);
    fits_check(status, path_, fmt::format("cannot read HDU {}", hdu));
    if (find_string("EXTNAME").value_or("") == name) return true;
  }
  return false;
}

void FitsReader::move_to_hdu(const std::string& name) {
  if (!find_hdu(name)) throw data_error(path_, "has no HDU " + name);
}

void FitsReader::move_to_primary() {
  int status = 0;
  fits_movabs_hdu(get(), first_hdu, nullptr, &status);
  fits_check(status, path_, "cannot read its first HDU");
}

std::string FitsReader::hdu_name() const {
  if (const auto name = find_string("EXTNAME"); name && !name->empty()) return "HDU " + *name;
  int hdu = 0;
  fits_get_hdu_num(get(), &hdu);
  return fmt::format("HDU number {}", hdu);
}

std::optional<std::string> FitsReader::find_string(const char* key) const {
  int status = 0;
  char* value = nullptr;
  fits_read_key_longstr(get(), key, &value, nullptr, &status);
  const std::unique_ptr<char, void (*)(char*)> owner(value, [](char* p) {
    int ignored = 0;
    fits_free_memory(p, &ignored);
  });
  if (status >= first_status_of_content) {
    fits_clear_errmsg();
    return std::nullopt;
  }
  fits_check(status, path_, fmt::format("cannot read the keyword {}", key));
  return trimmed(value);
}

std::optional<double> FitsReader::find_double(const char* key) const {
  int status = 0;
  double value = 0;
  fits_read_key(get(), TDOUBLE, key, &value, nullptr, &status);
  if (status == KEY_NO_EXIST) {
    fits_clear_errmsg();
    return std::nullopt;
  }
  fits_check(status, path_, fmt::format("{}: keyword {} is not a number", hdu_name(), key));
  return value;
}

std::optional<long long> FitsReader::find_integer(const char* key) const {
  int status = 0;
  LONGLONG value = 0;
  fits_read_key(get(), TLONGLONG, key, &value, nullptr, &status);
  if (status == KEY_NO_EXIST) {
    fits_clear_errmsg();
    return std::nullopt;
  }
  fits_check(status, path_, fmt::format("{}: keyword {} is not an integer", hdu_name(), key));
  return value;
}

namespace {

template <class T>
T required(std::optional<T> value, const FitsReader& file, const char* key) {
  if (!value) throw data_error(file.path(), file.hdu_name() + " has no keyword " + key);
  return *std::move(value);
}

}  // namespace

std::string FitsReader::get_string(const char* key) const {
  return required(find_string(key), *this, key);
}
double FitsReader::get_double(const char* key) const {
  return required(find_double(key), *this, key);
}
long long FitsReader::get_integer(const char* key) const {
  return required(find_integer(key), *this, key);
}

std::vector<std::string> FitsReader::user_cards() const {
  // Exclude cards of structure, compression, scaling and checksums, and WCS cards, whose axes do
  // not exist in the output.
  const auto describes_data = [](char* card) {
    switch (fits_get_keyclass(card)) {
      case TYP_USER_KEY:
      case TYP_REFSYS_KEY:
      case TYP_CONT_KEY:
        return true;
      case TYP_COMM_KEY:
        return std::string(card).find("FITS (Flexible Image Transport System)") ==
                   std::string::npos &&
               std::string(card).find("and Astrophysics', volume 376") == std::string::npos;
      default:
        return false;
    }
  };
  int status = 0;
  int count = 0;
  fits_get_hdrspace(get(), &count, nullptr, &status);
  fits_check(status, path_, hdu_name() + ": cannot read its header");
  std::vector<std::string> cards;
  bool kept = false;
  for (int i = 1; i <= count; ++i) {
    char card[FLEN_CARD] = "";
    fits_read_record(get(), i, card, &status);
    fits_check(status, path_, hdu_name() + ": cannot read its header");
    // A CONTINUE card belongs to the card before it.
    kept = fits_get_keyclass(card) == TYP_CONT_KEY ? kept : describes_data(card);
    if (kept) cards.emplace_back(card);
  }
  return cards;
}

}  // namespace spex
