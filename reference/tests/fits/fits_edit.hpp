// Edits FITS files for tests: splits them into HDUs, changes cards, reassembles them, and
// compresses tiles. Works on bytes, so that it can create files that CFITSIO refuses to write.
#pragma once

#include <string>
#include <vector>

namespace spex::test {

/// One HDU: whole blocks of 2880 bytes of header and of data.
struct HduBytes {
  std::string header;
  std::string data;
  bool changed = false;  ///< the checksums, if present, are written anew
};

/// A FITS file as a list of HDUs, accessed by EXTNAME. A missing HDU throws std::logic_error, so
/// that no edit is silently lost.
class FitsEdit {
 public:
  explicit FitsEdit(const std::string& path);

  /// An HDU that will be changed.
  [[nodiscard]] HduBytes& hdu(const std::string& name);
  /// Leaves checksums that no longer fit their HDU.
  FitsEdit& with_old_sums();
  /// Replaces the value of a keyword by the unformatted `value`.
  FitsEdit& set(const std::string& name, const std::string& key, const std::string& value);
  /// Appends a keyword to the header.
  FitsEdit& add(const std::string& name, const std::string& key, const std::string& value);
  /// Appends an unformatted card to the header.
  FitsEdit& add_card(const std::string& name, const std::string& card);
  /// Renames a keyword, which is equivalent to removing it.
  FitsEdit& rename(const std::string& name, const std::string& key, const std::string& other);
  /// Replaces the first occurrence of `text` in the data by a text of equal length.
  FitsEdit& replace_data(const std::string& name, const std::string& text,
                         const std::string& other);
  /// Writes a big-endian double at `offset` of the data.
  FitsEdit& set_double(const std::string& name, std::size_t offset, double value);
  FitsEdit& remove(const std::string& name);
  /// Appends a copy of an HDU, named `other`.
  FitsEdit& append_copy(const std::string& name, const std::string& other);

  [[nodiscard]] std::vector<char> bytes() const;
  /// Writes the file and returns `path`.
  std::string save(const std::string& path) const;

 private:
  [[nodiscard]] std::size_t card(const std::string& name, const std::string& key);
  std::vector<HduBytes> hdus_;
  bool old_sums_ = false;
};

[[nodiscard]] std::vector<char> read_bytes(const std::string& path);
void write_bytes(const std::string& path, const std::vector<char>& bytes);

/// The HDUs `names` of a file, in that order, after an empty primary HDU.
[[nodiscard]] std::vector<char> reordered(const std::string& path,
                                          const std::vector<std::string>& names);
/// The file, of `pixels` pixels, with MASK reduced to 16 bits.
[[nodiscard]] FitsEdit with_narrow_mask(const std::string& path, std::size_t pixels);
/// The same with MASK extended to 64 bits.
[[nodiscard]] FitsEdit with_wide_mask(const std::string& path, std::size_t pixels);
/// Compresses the file like fpack: images by tiles without loss, with CFITSIO's `compression`
/// (RICE_1 for integers only, GZIP_1, GZIP_2).
[[nodiscard]] std::vector<char> packed(const std::string& path, int compression);

}  // namespace spex::test
