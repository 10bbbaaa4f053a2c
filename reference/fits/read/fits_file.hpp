// A RAII owner of a CFITSIO file, and checks of CFITSIO statuses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fitsio.h>

#include "reference/fits/bytes.hpp"
#include "reference/fits/read/plain_pixels.hpp"
#include "reference/fits/read_at.hpp"
#include "reference/model/reals.hpp"

namespace spex {

/// Throws Error(data) `path: what: CFITSIO's text` if status is not 0.
void fits_check(int status, const std::string& path, const std::string& what);

/// A FITS file open for reading, from disk (plain, .gz, .fz) or from memory. Move-only. CFITSIO
/// sees only plain images and binary tables whose headers were checked (check_headers, unpack).
class FitsReader {
 public:
  /// How the pixels of a gzip file are stored.
  enum class GzipPixels {
    in_file,    ///< in the inflated file, which CFITSIO reads
    converted,  ///< pixels for PlainPixels in native byte order: faster, with less memory
  };

  /// `path` is a plain file name; CFITSIO's extended syntax is not interpreted. Throws Error(data)
  /// if the file is missing, empty, cut short or not a FITS file.
  explicit FitsReader(const std::string& path, GzipPixels pixels = GzipPixels::in_file);
  /// Reads the same kinds of files from `bytes`, which must outlive the reader; errors refer to
  /// `name`.
  FitsReader(std::span<const char> bytes, std::string name,
             GzipPixels pixels = GzipPixels::in_file);

  /// For CFITSIO's own functions.
  [[nodiscard]] fitsfile* get() const noexcept { return file_.get(); }
  /// The file's name in errors.
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

  /// Number of HDUs. CFITSIO's own count stops at an unreadable header.
  [[nodiscard]] int hdus() const noexcept { return hdus_; }
  /// Moves to the HDU with EXTNAME = name, including the primary HDU. Returns false if there is no
  /// such HDU.
  bool find_hdu(const std::string& name);
  /// The same; throws Error(data) if there is no such HDU.
  void move_to_hdu(const std::string& name);
  /// Moves to the primary HDU.
  void move_to_primary();

  /// Keywords of the current HDU. get_* throw Error(data) if the keyword is absent or of another
  /// type; find_* return nothing if the keyword is absent.
  [[nodiscard]] std::optional<std::string> find_string(const char* key) const;
  /// The same for a number.
  [[nodiscard]] std::optional<double> find_double(const char* key) const;
  /// The same for an integer.
  [[nodiscard]] std::optional<long long> find_integer(const char* key) const;
  /// The keyword's text; throws Error(data) if the keyword is absent.
  [[nodiscard]] std::string get_string(const char* key) const;
  /// The same for a number.
  [[nodiscard]] double get_double(const char* key) const;
  /// The same for an integer.
  [[nodiscard]] long long get_integer(const char* key) const;

  /// Axes of the current image HDU after decompression, NAXIS1 first. Throws if the HDU is not an
  /// image.
  [[nodiscard]] std::vector<long long> image_axes() const;
  /// All pixels of the current image HDU, scaled (BSCALE, BZERO) and converted.
  [[nodiscard]] std::vector<double> read_doubles() const;
  /// The same, as float if float holds the file's values exactly.
  [[nodiscard]] Reals read_reals() const;
  /// The pixels of the current image HDU if the HDU has this 4-byte BITPIX and no scaling.
  [[nodiscard]] std::optional<PlainPixels> find_plain_pixels(int bitpix) const;
  /// All pixels of the current integer image HDU: their low 32 bits (-1 sets all bits).
  [[nodiscard]] std::vector<std::uint32_t> read_bits() const;

  /// Cards of the current HDU, without structural keywords.
  [[nodiscard]] std::vector<std::string> user_cards() const;
  /// The current HDU's name in errors, such as "HDU IVAR".
  [[nodiscard]] std::string hdu_name() const;

 private:
  struct Close {
    void operator()(fitsfile* file) const noexcept;
  };
  /// Opens the gzip file of `size` bytes that `source_` reads.
  void open_gzip(std::size_t size, GzipPixels pixels);
  /// The same with plain images converted. Returns false if an HDU is tile-compressed.
  bool open_converted(std::size_t size);
  /// The converted pixels of the current HDU; nullptr if there are none.
  [[nodiscard]] NativePixels* find_native() const;
  /// Checks and opens an uncompressed file, or the inflated content of a gzip file, in memory.
  void open_unzipped(std::span<const char> bytes);
  void open_plain(std::span<const char> bytes, std::size_t hdus);
  /// Takes ownership of a file that CFITSIO opened. Reads every header, so that CFITSIO reports
  /// unreadable headers at once. `hdus` is the number of HDUs.
  void take_over(fitsfile* file, std::size_t hdus);
  /// Reads as CFITSIO's type `type`, whose C++ type is T.
  template <class T>
  [[nodiscard]] std::vector<T> read_pixels(int type) const;
  /// The BITPIX of the scaled pixels, as CFITSIO defines them (FLOAT_IMG etc.).
  [[nodiscard]] int pixel_type() const;

  std::string path_;
  int hdus_ = 0;
  ReadAt source_;                               // the file, or its decompressed content
  Bytes bytes_;                                 // content of a compressed file
  mutable std::map<int, NativePixels> native_;  // key: HDU index; PlainPixels may take them
  // The description of a file in memory; CFITSIO keeps pointers to its members.
  struct Memory {
    void* data = nullptr;
    std::size_t size = 0;
  };
  std::unique_ptr<Memory> memory_;
  std::unique_ptr<fitsfile, Close> file_;
};

}  // namespace spex
