// A FITS file open for reading: headers and columns by CFITSIO, pixels by our own code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fitsio.h>

#include "reference/fits/bytes.hpp"
#include "reference/fits/read/fits_source.hpp"
#include "reference/model/reals.hpp"

namespace spex {

/// Throws Error(data) `path: what: CFITSIO's text` if status is not 0. The text is that of the
/// status alone: CFITSIO's stack of messages belongs to all threads.
void fits_check(int status, const std::string& path, const std::string& what);

/// A FITS file open for reading, from disk (plain, .gz, .fz) or from memory. Move-only. CFITSIO
/// sees checked headers and tables in memory; it never sees pixels.
class FitsReader {
 public:
  /// `path` is a plain file name; CFITSIO's extended syntax is not interpreted. If only another
  /// form of the file exists (file_forms.hpp), that is read, and path() names it. Throws
  /// Error(data) if the file is missing, empty, cut short or not a FITS file.
  explicit FitsReader(const std::string& path, const FitsReadOptions& options = {});
  /// Reads the same kinds of files from `bytes`, which must outlive the reader; errors refer to
  /// `name`.
  FitsReader(std::span<const char> bytes, const std::string& name,
             const FitsReadOptions& options = {});

  /// For CFITSIO's own functions for keywords and tables. Images have no axes there.
  [[nodiscard]] fitsfile* get() const noexcept { return file_.get(); }
  /// The file's name in errors.
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

  /// Number of HDUs.
  [[nodiscard]] int hdus() const { return static_cast<int>(source_.hdus().size()); }
  /// Bytes of the file, of a gzip file uncompressed.
  [[nodiscard]] long long size() const { return source_.size(); }
  /// The end of the last HDU, bytes.
  [[nodiscard]] long long end() const { return source_.hdus().back().hdu.end; }
  /// Moves to HDU `number`, counted from 1. Throws Error(data).
  void move_to_number(int number);
  /// Moves to the HDU with EXTNAME = name, including the primary HDU; names are compared by
  /// header_word. Returns false if there is no such HDU.
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

  /// Whether the current HDU is an image.
  [[nodiscard]] bool is_image() const;
  /// The form of the current image HDU after decompression. Throws Error(data) if the HDU is a
  /// table.
  [[nodiscard]] const ImageForm& image_form() const;
  /// Its axes, NAXIS1 first. Throws Error(data) if the HDU is a table, or has more than 8 axes or
  /// 2^33 pixels.
  [[nodiscard]] std::vector<long long> image_axes() const;
  /// The pixels of the current image HDU, in parts. Throws as image_axes, and Error(data) if a
  /// compressed image is damaged or a checksum is wrong.
  [[nodiscard]] PixelReader pixels();
  /// All pixels of the current image HDU, scaled (BSCALE, BZERO) and converted; NaN where they are
  /// blank. Throws as pixels() and PixelReader do.
  [[nodiscard]] std::vector<double> read_doubles();
  /// The same, as float where float holds the file's values (ImageForm).
  [[nodiscard]] Reals read_reals();
  /// All pixels of the current integer image HDU: their low 32 bits (-1 sets all bits, as does a
  /// blank pixel). Throws as pixels() and PixelReader do.
  [[nodiscard]] std::vector<std::uint32_t> read_bits();

  /// Throws Error(data) if the current HDU is no table or one of its checksums is wrong. Functions
  /// that read columns call it.
  void require_table() const;
  /// The checksums of the current HDU, compared with all of its bytes. Throws Error(data) if the
  /// file cannot be read.
  [[nodiscard]] HduSums sums() const;

  /// Cards of the current HDU, without structural keywords.
  [[nodiscard]] std::vector<std::string> user_cards() const;
  /// The current HDU's name in errors, such as "HDU IVAR".
  [[nodiscard]] std::string hdu_name() const;

 private:
  struct Close {
    void operator()(fitsfile* file) const noexcept;
  };
  /// Lets CFITSIO open the headers and tables of the source.
  void open();
  /// The current HDU's index, from 0.
  [[nodiscard]] int current() const;
  [[nodiscard]] const SourceHdu& hdu() const;

  std::string path_;
  FitsSource source_;
  Bytes bytes_;  // what CFITSIO reads
  // The description of a file in memory; CFITSIO keeps pointers to its members.
  struct Memory {
    void* data = nullptr;
    std::size_t size = 0;
  };
  std::unique_ptr<Memory> memory_;
  std::unique_ptr<fitsfile, Close> file_;
};

}  // namespace spex
