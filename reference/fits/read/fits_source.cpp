#include "reference/fits/read/fits_source.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <new>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "reference/core/error.hpp"
#include "reference/fits/fits_checksum.hpp"
#include "reference/fits/plain_hdu.hpp"
#include "reference/fits/read/inflate.hpp"
#include "reference/fits/read/table_cells.hpp"
#include "reference/fits/read/unpack_image.hpp"
#include "reference/fits/read/unzip_fits.hpp"

namespace spex {
namespace {

// Reports clearly what CFITSIO reports obscurely.
void check_readable(const std::string& path) {
  std::error_code code;
  const std::filesystem::file_status status = std::filesystem::status(path, code);
  if (!std::filesystem::exists(status)) throw data_error(path, "no such file", "a FITS file");
  if (std::filesystem::is_directory(status)) throw data_error(path, "is a folder", "a FITS file");
  if (!std::filesystem::is_regular_file(status))
    throw data_error(path, "is a device or a pipe", "a FITS file");
}

// Whether a file is gzip. Throws unless it is, or starts as a FITS file.
bool starts_as_gzip(const ReadAt& read_at, const std::string& path) {
  std::array<char, 8> start{};
  const long long count = read_at(0, start.data(), static_cast<long long>(start.size()));
  const std::string_view magic(start.data(), static_cast<std::size_t>(count));
  if (magic.empty()) throw data_error(path, "is empty", "a FITS file");
  if (is_gzip(magic)) return true;
  if (!magic.starts_with("SIMPLE"))
    throw data_error(path, "is not a FITS file", "SIMPLE, or gzip, at its start");
  return false;
}

// The header of an image, without its axes: CFITSIO must not look for pixels.
std::vector<std::string> cards_without_axes(const FitsHeader& header) {
  std::vector<std::string> cards;
  for (const std::string& card : header.cards()) {
    const std::string name = card_name(card);
    if (name == "NAXIS")
      cards.push_back(integer_card("NAXIS", 0));
    else if (!name.starts_with("NAXIS") || !header.has(name))
      cards.push_back(card);
  }
  return cards;
}

// The size of a gzip file's content, modulo 2^32, which its last four bytes say.
std::size_t size_in_trailer(const ReadAt& read_at, long long size) {
  std::array<unsigned char, 4> bytes{};
  const long long count = std::ssize(bytes);
  static_cast<void>(
      read_at(std::max(0LL, size - count), reinterpret_cast<char*>(bytes.data()), count));
  return bytes[0] | bytes[1] << 8 | bytes[2] << 16 | std::size_t{bytes[3]} << 24;
}

std::span<const unsigned char> unsigned_chars(std::span<const char> bytes) {
  return {reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()};
}

std::span<const char> without_padding(const FitsHdu& hdu, const Bytes& data) {
  return std::span(data).first(static_cast<std::size_t>(hdu.data_size));
}

}  // namespace

FitsSource::FitsSource(const std::string& path, FitsReadOptions options)
    : options_(std::move(options)) {
  check_readable(path);
  const auto size = static_cast<long long>(std::filesystem::file_size(path));
  open(read_file_at(path), size, path);
}

FitsSource::FitsSource(std::span<const char> bytes, const std::string& name,
                       FitsReadOptions options)
    : options_(std::move(options)) {
  open(read_memory_at(bytes), static_cast<long long>(bytes.size()), name);
}

void FitsSource::open(const ReadAt& read_at, long long size, const std::string& path) {
  if (!starts_as_gzip(read_at, path)) {
    read_at_ = read_at;
    size_ = size;
    open_plain(path);
  } else if (!open_inflated(read_at, size, path)) {
    unzip(read_at, size, path);
  }
}

void FitsSource::unzip(const ReadAt& read_at, long long size, const std::string& path) {
  UnzippedFits file =
      unzip_fits(read_at, static_cast<std::size_t>(size), path, options_.images, options_.inflate);
  hdus_ = std::move(file.hdus);
  size_ = file.size;
  describe_hdus();
}

// Opens a gzip file by the inflater, if it can, as a plain file in memory. Returns false if the
// file is left to unzip, which also names what is wrong.
bool FitsSource::open_inflated(const ReadAt& read_at, long long size, const std::string& path) {
  const auto stored = static_cast<std::size_t>(size);
  if (options_.inflater == nullptr || !options_.inflater->takes(stored)) return false;
  try {
    const std::size_t room = std::max(stored, size_in_trailer(read_at, size));
    if (std::cmp_greater(room / stored, max_unpacked_a_byte)) return false;
    inflated_.reset(new (std::nothrow) char[room]);
    const std::span<char> memory(inflated_.get(), inflated_ == nullptr ? 0 : room);
    if (!memory.empty() && read_at(0, memory.data(), size) == size) {
      const std::optional<std::size_t> content = options_.inflater->inflate(memory, stored);
      if (content.value_or(0) != 0) {
        read_at_ = read_memory_at(memory.first(*content));
        size_ = static_cast<long long>(*content);
        open_plain(path);
        return true;
      }
    }
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::data) throw;
  }
  hdus_.clear();
  read_at_ = {};
  inflated_.reset();
  return false;
}

void FitsSource::describe_hdus() {
  for (SourceHdu& one : hdus_) {
    if (one.hdu.is_packed()) {
      UnpackedHeader header = unpacked_header(one.hdu);
      one.form = std::move(header.form);
      one.cards = std::move(header.cards);
    } else if (one.hdu.is_table()) {
      one.cards = one.hdu.header.cards();
      // CFITSIO moves arrays of variable length when rows are deleted, as for a fibermap.
      TableCells(one.hdu, without_padding(one.hdu, std::get<Bytes>(one.data))).check_arrays();
    } else {
      one.form = image_form(one.hdu.header);
      one.cards = cards_without_axes(one.hdu.header);
    }
  }
}

void FitsSource::open_plain(const std::string& path) {
  for (FitsHdu& hdu : check_headers(read_at_, size_, path)) {
    SourceHdu& one = hdus_.emplace_back(SourceHdu{.hdu = std::move(hdu)});
    if (!one.hdu.in_table) continue;
    Bytes bytes(static_cast<std::size_t>(one.hdu.end - one.hdu.data));
    const auto count = static_cast<long long>(bytes.size());
    if (read_at_(one.hdu.data, bytes.data(), count) != count)
      throw data_error(path, "became shorter while it was read", "an unchanged file");
    one.datasum = fits_checksum(unsigned_chars(bytes));
    one.data = std::move(bytes);
  }
  describe_hdus();
}

void FitsSource::require(const SourceHdu& one) const {
  if (options_.checksums) require_sums(one.hdu, one.datasum);
}

void FitsSource::require_table(int hdu) const {
  require(hdus_.at(static_cast<std::size_t>(hdu)));
}

PixelReader FitsSource::pixels(int hdu) {
  SourceHdu& one = hdus_.at(static_cast<std::size_t>(hdu));
  if (!is_wanted(one.hdu, options_.images))
    throw std::logic_error(one.hdu.title() + " was not to be read");
  if (std::holds_alternative<std::monostate>(one.data))
    return {one.hdu, one.form, read_at_, options_.checksums};
  require(one);
  if (const auto* const packed = std::get_if<Bytes>(&one.data))
    one.data = unpack_image(one.hdu, without_padding(one.hdu, *packed));
  return {one.hdu, one.form, std::get<StoredPixels>(one.data)};
}

HduSums FitsSource::sums(int hdu) const {
  const SourceHdu& one = hdus_.at(static_cast<std::size_t>(hdu));
  if (!std::holds_alternative<std::monostate>(one.data)) return compare_sums(one.hdu, one.datasum);
  FitsSum sum;
  std::vector<unsigned char> bytes(std::size_t{1} << 18);
  for (long long at = one.hdu.data; at < one.hdu.end;) {
    const long long count = std::min<long long>(std::ssize(bytes), one.hdu.end - at);
    if (read_at_(at, reinterpret_cast<char*>(bytes.data()), count) != count)
      throw data_error(one.hdu.header.path() + ": " + one.hdu.title(), "cannot read its data");
    sum.add(std::span(bytes).first(static_cast<std::size_t>(count)));
    at += count;
  }
  return compare_sums(one.hdu, sum.value());
}

}  // namespace spex
