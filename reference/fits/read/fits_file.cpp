#include "reference/fits/read/fits_file.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "reference/core/error.hpp"
#include "reference/core/header_word.hpp"
#include "reference/fits/file_forms.hpp"
#include "reference/fits/plain_hdu.hpp"
#include "reference/fits/read/check_headers.hpp"

namespace spex {
namespace {

constexpr int first_hdu = 1;
// CFITSIO statuses below this value are file errors; statuses above concern the content.
constexpr int first_status_of_content = 200;

std::string trimmed(const char* text) {
  std::string s(text);
  s.erase(std::find_if(s.rbegin(), s.rend(), [](char c) { return c != ' '; }).base(), s.end());
  return s;
}

}  // namespace

void fits_check(int status, const std::string& path, const std::string& what) {
  if (status == 0) return;
  char text[FLEN_STATUS] = "";
  fits_get_errstatus(status, text);
  throw data_error(path, fmt::format("{}: {}", what, text));
}

void FitsReader::Close::operator()(fitsfile* file) const noexcept {
  int status = 0;
  fits_close_file(file, &status);
}

FitsReader::FitsReader(const std::string& path, const FitsReadOptions& options)
    : path_(find_form(path)), source_(path_, options) {
  open();
}

FitsReader::FitsReader(std::span<const char> bytes, const std::string& name,
                       const FitsReadOptions& options)
    : path_(name), source_(bytes, name, options) {
  open();
}

void FitsReader::open() {
  for (const SourceHdu& one : source_.hdus()) {
    append_header(bytes_, one.cards);
    const auto* const table = std::get_if<Bytes>(&one.data);
    if (one.hdu.is_table() && table != nullptr)
      bytes_.insert(bytes_.end(), table->begin(), table->end());
  }
  // The headers of images were changed: they pass the same checks as files.
  static_cast<void>(check_headers(read_memory_at(bytes_), std::ssize(bytes_), path_));
  // CFITSIO requires a mutable buffer but does not write to a file opened READONLY.
  memory_ = std::make_unique<Memory>(bytes_.data(), bytes_.size());
  int status = 0;
  fitsfile* file = nullptr;
  fits_open_memfile(&file, "memory", READONLY, &memory_->data, &memory_->size, 0, nullptr, &status);
  fits_check(status, path_, "cannot be read");
  file_.reset(file);
  // Reads every header, so that CFITSIO reports unreadable headers at once.
  for (int number = hdus(); number >= first_hdu; --number) move_to_number(number);
}

void FitsReader::move_to_number(int number) {
  int status = 0;
  fits_movabs_hdu(get(), number, nullptr, &status);
  fits_check(status, path_, fmt::format("cannot read HDU number {}", number));
}

int FitsReader::current() const {
  int number = 0;
  fits_get_hdu_num(get(), &number);
  return number - first_hdu;
}

const SourceHdu& FitsReader::hdu() const {
  return source_.hdus().at(static_cast<std::size_t>(current()));
}

bool FitsReader::find_hdu(const std::string& name) {
  for (int k = 0; k < hdus(); ++k) {
    if (header_word(source_.hdus()[static_cast<std::size_t>(k)].hdu.name()) != header_word(name))
      continue;
    move_to_number(k + first_hdu);
    return true;
  }
  return false;
}

void FitsReader::move_to_hdu(const std::string& name) {
  if (!find_hdu(name)) throw data_error(path_, "has no HDU " + name);
}

void FitsReader::move_to_primary() {
  move_to_number(first_hdu);
}

std::string FitsReader::hdu_name() const {
  return hdu().hdu.title();
}

std::optional<std::string> FitsReader::find_string(const char* key) const {
  int status = 0;
  char* value = nullptr;
  fits_read_key_longstr(get(), key, &value, nullptr, &status);
  const std::unique_ptr<char, void (*)(char*)> owner(value, [](char* p) {
    int ignored = 0;
    fits_free_memory(p, &ignored);
  });
  if (status >= first_status_of_content) return std::nullopt;
  fits_check(status, path_, fmt::format("cannot read the keyword {}", key));
  return trimmed(value);
}

std::optional<double> FitsReader::find_double(const char* key) const {
  int status = 0;
  double value = 0;
  fits_read_key(get(), TDOUBLE, key, &value, nullptr, &status);
  if (status == KEY_NO_EXIST) return std::nullopt;
  fits_check(status, path_, fmt::format("{}: keyword {} is not a number", hdu_name(), key));
  return value;
}

std::optional<long long> FitsReader::find_integer(const char* key) const {
  int status = 0;
  LONGLONG value = 0;
  fits_read_key(get(), TLONGLONG, key, &value, nullptr, &status);
  if (status == KEY_NO_EXIST) return std::nullopt;
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
