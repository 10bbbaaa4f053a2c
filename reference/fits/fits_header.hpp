// A header of a FITS file, read so that CFITSIO cannot read it in another way.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/core/error.hpp"

namespace spex {

/// The cards of one header, and the values of its structural keywords: those that say how the bytes
/// of the data are laid out, compressed or scaled.
///
/// A structural keyword must stand once, in the fixed form `NAME    = VALUE / COMMENT`, in
/// capitals, its number without leading zeros, with one value and nothing between it and the
/// comment. CFITSIO takes many more forms (`HIERARCH TFORM1 = `, `TFORM+1`, `tform1`, a second
/// NAXIS1, `0         5`), of which two parsers would make two things; they are refused.
class FitsHeader {
 public:
  static constexpr std::size_t card_size = 80;  ///< bytes of a card

  /// `path` and `number` are what errors call the file and the HDU, counted from 1.
  FitsHeader(std::string path, int number) : path_(std::move(path)), number_(number) {}

  /// Takes the next card, of 80 bytes. False for the card END. Throws Error(data).
  bool add(std::string_view card);

  /// The cards before END.
  [[nodiscard]] const std::vector<std::string>& cards() const { return cards_; }
  /// The file as errors call it.
  [[nodiscard]] const std::string& path() const { return path_; }
  /// Error(data) `path: HDU number n: wrong (expected)`.
  [[nodiscard]] Error error(const std::string& wrong, const std::string& expected) const;

  /// The rest read structural keywords and throw Error(data) where a value is of another type or
  /// beyond its limits. `fallback` stands for an absent keyword, which is an error without it.
  [[nodiscard]] bool has(const std::string& key) const { return values_.contains(key); }
  /// A whole number from least to most.
  [[nodiscard]] long long number(const std::string& key, long long least, long long most,
                                 std::optional<long long> fallback = {}) const;
  /// A string, without quotes and trailing blanks; an empty one where it is absent.
  [[nodiscard]] std::string string(const std::string& key) const;
  /// A logical value; false where it is absent.
  [[nodiscard]] bool logical(const std::string& key) const;
  /// Product of stem1 ... stemN, each at least `least`.
  [[nodiscard]] long long product(const std::string& stem, long long n, long long least) const;
  /// The card number `place`, counted from 0, must be `key`.
  void check_place(std::size_t place, const std::string& key) const;

 private:
  std::string path_;
  int number_;
  std::vector<std::string> cards_;
  std::map<std::string, std::string> values_;
};

/// The name of a card: what stands before blanks in its first 8 characters.
[[nodiscard]] std::string card_name(std::string_view card);
/// A card of a whole number, as the FITS standard's fixed format has it.
[[nodiscard]] std::string integer_card(const std::string& key, long long value);

/// More than any file has, of bytes and of elements: sums and products of two such fit in 63 bits
/// where they are compared before they are multiplied.
constexpr long long longest_size = 1LL << 50;

}  // namespace spex
