#include "reference/io/check_tiles.hpp"

#include <array>
#include <vector>

#include <fmt/format.h>
#include <zlib.h>

#include "reference/core/error.hpp"
#include "reference/io/fits_file.hpp"

namespace spex {
namespace {

// Whether `bytes` start with one whole gzip (or zlib) stream.
bool inflates(std::vector<unsigned char>& bytes) {
  constexpr int any_header = 15 + 32;
  z_stream stream{};
  if (inflateInit2(&stream, any_header) != Z_OK) throw std::bad_alloc();
  stream.next_in = bytes.data();
  stream.avail_in = static_cast<unsigned>(bytes.size());
  std::array<unsigned char, 1U << 15> out{};
  int code = Z_OK;
  while (code == Z_OK) {
    stream.next_out = out.data();
    stream.avail_out = static_cast<unsigned>(out.size());
    code = inflate(&stream, Z_NO_FLUSH);
  }
  inflateEnd(&stream);
  return code == Z_STREAM_END;
}

// Text of a keyword of the current HDU, empty where there is none.
std::string text_of(fitsfile* file, const std::string& key) {
  int status = 0;
  char value[FLEN_VALUE] = "";
  fits_read_key(file, TSTRING, key.c_str(), value, nullptr, &status);
  fits_clear_errmsg();
  return status == 0 ? value : "";
}

// CFITSIO knows an algorithm by the start of its name.
bool is_gzip(const std::string& algorithm) {
  return algorithm.starts_with("GZIP");
}

void check_column(fitsfile* file, int column, const std::string& path) {
  int status = 0;
  LONGLONG rows = 0;
  LONGLONG heap = 0;
  fits_get_num_rowsll(file, &rows, &status);
  fits_read_key(file, TLONGLONG, "PCOUNT", &heap, nullptr, &status);
  std::vector<unsigned char> bytes;
  for (LONGLONG row = 1; row <= rows; ++row) {
    LONGLONG length = 0;
    LONGLONG offset = 0;
    fits_read_descriptll(file, column, row, &length, &offset, &status);
    fits_check(status, path, fmt::format("cannot read compressed tile {}", row));
    if (length == 0) continue;
    if (length < 0 || offset < 0 || length > heap || offset > heap - length)
      throw data_error(path, fmt::format("compressed tile {} lies outside its HDU", row),
                       fmt::format("within {} bytes", heap));
    bytes.resize(static_cast<std::size_t>(length));
    fits_read_col(file, TBYTE, column, row, 1, length, nullptr, bytes.data(), nullptr, &status);
    fits_check(status, path, fmt::format("cannot read compressed tile {}", row));
    if (!inflates(bytes))
      throw data_error(path, fmt::format("compressed tile {} is damaged", row),
                       "a whole gzip stream");
  }
}

}  // namespace

void check_tiles(fitsfile* file, const std::string& path) {
  int status = 0;
  int columns = 0;
  const bool image = fits_is_compressed_image(file, &status) != 0;
  const bool table = text_of(file, "ZTABLE") == "T";
  if (!image && !table) return;
  fits_get_num_cols(file, &columns, &status);
  fits_check(status, path, "cannot count the columns of an HDU");
  const bool gzip_image = is_gzip(text_of(file, "ZCMPTYPE"));
  for (int column = 1; column <= columns; ++column) {
    const std::string name = text_of(file, fmt::format("TTYPE{}", column));
    const bool gzip =
        image ? (name == "COMPRESSED_DATA" && gzip_image) || name == "GZIP_COMPRESSED_DATA"
              : is_gzip(text_of(file, fmt::format("ZCTYP{}", column)));
    if (gzip) check_column(file, column, path);
  }
}

}  // namespace spex
