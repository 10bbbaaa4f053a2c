// Owner of a CFITSIO file, and the check of its status.
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
#include "reference/fits/plain_pixels.hpp"
#include "reference/fits/read_at.hpp"
#include "reference/model/reals.hpp"

namespace spex {

/// Throws Error(data) `path: what: CFITSIO's own text` where status is not 0.
void fits_check(int status, const std::string& path, const std::string& what);

/// A FITS file open for reading, from disk (plain, .gz, .fz) or from memory. Move-only. CFITSIO
/// sees plain images and binary tables alone, whose headers were checked (check_headers, unpack).
class FitsReader {
 public:
  /// Where the pixels of a gzip file are kept.
  enum class GzipPixels {
    in_file,    ///< in the inflated file, which CFITSIO sees as a whole
    converted,  ///< those that PlainPixels can give, in the processor's byte order: less memory,
                ///< sooner
  };

  /// `path` is a plain file name: CFITSIO's extended syntax means nothing in it. Throws Error(data)
  /// where there is no such file, or it is empty, cut short or no FITS file.
  explicit FitsReader(const std::string& path, GzipPixels pixels = GzipPixels::in_file);
  /// Reads from `bytes`, the same kinds of file, which must outlive the reader; `name` is what
  /// errors call it.
  FitsReader(std::span<const char> bytes, std::string name,
             GzipPixels pixels = GzipPixels::in_file);

  /// For CFITSIO's own functions.
  [[nodiscard]] fitsfile* get() const noexcept { return file_.get(); }
  /// As errors call the file.
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

  /// How many HDUs it has. CFITSIO's own count ends where a header cannot be read.
  [[nodiscard]] int hdus() const noexcept { return hdus_; }
  /// Moves to the HDU named EXTNAME = name (the primary HDU included). False where there is none.
  bool find_hdu(const std::string& name);
  /// The same; throws Error(data) where there is none.
  void move_to_hdu(const std::string& name);
  /// Moves to the primary HDU.
  void move_to_primary();

  /// Keywords of the current HDU. The plain forms throw Error(data) where the keyword is absent or
  /// of another type; find_* give nothing where it is absent.
  [[nodiscard]] std::optional<std::string> find_string(const char* key) const;
  /// The same, a number.
  [[nodiscard]] std::optional<double> find_double(const char* key) const;
  /// The same, a whole number.
  [[nodiscard]] std::optional<long long> find_integer(const char* key) const;
  /// The keyword's text; throws Error(data) where it is absent.
  [[nodiscard]] std::string get_string(const char* key) const;
  /// The same, a number.
  [[nodiscard]] double get_double(const char* key) const;
  /// The same, a whole number.
  [[nodiscard]] long long get_integer(const char* key) const;

  /// Axes of the current image HDU (decompressed size), NAXIS1 first; throws where it is no image.
  [[nodiscard]] std::vector<long long> image_axes() const;
  /// All pixels of the current image HDU, scaled (BSCALE, BZERO) and converted.
  [[nodiscard]] std::vector<double> read_doubles() const;
  /// The same; float where that holds all that the file has.
  [[nodiscard]] Reals read_reals() const;
  /// The pixels of the current image HDU where they have this BITPIX, of 4 bytes, and no scaling.
  [[nodiscard]] std::optional<PlainPixels> find_plain_pixels(int bitpix) const;
  /// All pixels of the current image HDU, whole numbers: their low 32 bits (-1 has all).
  [[nodiscard]] std::vector<std::uint32_t> read_bits() const;

  /// Cards of the current HDU that describe the data rather than the file's structure.
  [[nodiscard]] std::vector<std::string> user_cards() const;
  /// What errors say about the current HDU: "HDU IVAR" and the like.
  [[nodiscard]] std::string hdu_name() const;

 private:
  struct Close {
    void operator()(fitsfile* file) const noexcept;
  };
  /// Opens the gzip file of `size` bytes that `source_` reads.
  void open_gzip(std::size_t size, GzipPixels pixels);
  /// The same with plain images converted. False where some HDU is tile-compressed.
  bool open_converted(std::size_t size);
  /// The converted pixels of the current HDU; nullptr where it has none.
  [[nodiscard]] NativePixels* find_native() const;
  /// Check and open a whole file in memory: one that is no gzip file, one that is plain.
  void open_unzipped(std::span<const char> bytes);
  void open_plain(std::span<const char> bytes, std::size_t hdus);
  /// Takes over what CFITSIO has opened and lets it read every header, so that what it refuses, or
  /// cannot read, is known before anything is used. `hdus` is how many the file has.
  void take_over(fitsfile* file, std::size_t hdus);
  /// As numbers of CFITSIO's type `type`, whose C type T is.
  template <class T>
  [[nodiscard]] std::vector<T> read_pixels(int type) const;
  /// CFITSIO's BITPIX of what the pixels are once scaled: FLOAT_IMG and the like.
  [[nodiscard]] int pixel_type() const;

  std::string path_;
  int hdus_ = 0;
  ReadAt source_;                               // the file itself, or what it holds uncompressed
  Bytes bytes_;                                 // of a file that was compressed
  mutable std::map<int, NativePixels> native_;  // by index of HDU; PlainPixels may take them
  // What CFITSIO is told of a file in memory; it keeps pointers to these.
  struct Memory {
    void* data = nullptr;
    std::size_t size = 0;
  };
  std::unique_ptr<Memory> memory_;
  std::unique_ptr<fitsfile, Close> file_;
};

}  // namespace spex
