// FITS files for tests: taken apart into HDUs, damaged card by card, put together again, and
// tile-compressed. Works on bytes, so that it can make what CFITSIO refuses to write.
#pragma once

#include <string>
#include <vector>

namespace spex::test {

/// One HDU: whole blocks of 2880 bytes of header and of data.
struct HduBytes {
  std::string header;
  std::string data;
};

/// A FITS file as a list of HDUs. HDUs are asked for by EXTNAME; std::logic_error where there is
/// none, so that a test cannot damage nothing.
class FitsEdit {
 public:
  explicit FitsEdit(const std::string& path);

  [[nodiscard]] HduBytes& hdu(const std::string& name);
  /// Replaces the value of a keyword; `value` is written as it stands.
  FitsEdit& set(const std::string& name, const std::string& key, const std::string& value);
  /// Adds a keyword after the others.
  FitsEdit& add(const std::string& name, const std::string& key, const std::string& value);
  /// Adds a card as it stands after the others.
  FitsEdit& add_card(const std::string& name, const std::string& card);
  /// Renames a keyword, which is as good as removing it.
  FitsEdit& rename(const std::string& name, const std::string& key, const std::string& other);
  /// Replaces bytes of the data by as many others, wherever `text` first stands in it.
  FitsEdit& replace_data(const std::string& name, const std::string& text,
                         const std::string& other);
  /// Big-endian value of 8 bytes at `offset` of the data.
  FitsEdit& set_double(const std::string& name, std::size_t offset, double value);
  FitsEdit& remove(const std::string& name);

  [[nodiscard]] std::vector<char> bytes() const;
  /// Writes the file and returns `path`.
  std::string save(const std::string& path) const;

 private:
  [[nodiscard]] std::size_t card(const std::string& name, const std::string& key);
  std::vector<HduBytes> hdus_;
};

[[nodiscard]] std::vector<char> read_bytes(const std::string& path);
void write_bytes(const std::string& path, const std::vector<char>& bytes);

/// The HDUs `names` of a file, in that order, behind an empty primary HDU.
[[nodiscard]] std::vector<char> reordered(const std::string& path,
                                          const std::vector<std::string>& names);
/// The file, of `pixels` pixels, with the low half of MASK: 16 bits in place of 32.
[[nodiscard]] FitsEdit with_narrow_mask(const std::string& path, std::size_t pixels);
/// The file as fpack makes it: images compressed by tiles without loss, `compression` being one of
/// CFITSIO's (RICE_1 for integers only, GZIP_1, GZIP_2); tables too where `tables`.
[[nodiscard]] std::vector<char> packed(const std::string& path, int compression, bool tables);

}  // namespace spex::test
