// A strict parser of FITS headers, which rejects cards that CFITSIO may read differently.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/core/error.hpp"

namespace spex {

/// The cards of one header, and the values of its structural keywords. Structural keywords describe
/// the layout, compression and scaling of the data.
///
/// A structural keyword must occur once, in the fixed form `NAME    = VALUE / COMMENT`, in
/// capitals, with no leading zeros in its number and with one value. CFITSIO accepts more forms
/// (`HIERARCH TFORM1 = `, `TFORM+1`, `tform1`, a second NAXIS1, `0         5`), which two parsers
/// may read differently; such cards are rejected.
class FitsHeader {
 public:
  static constexpr std::size_t card_size = 80;  ///< bytes of a card

  /// `path` and `number` (from 1) identify the file and the HDU in errors.
  FitsHeader(std::string path, int number) : path_(std::move(path)), number_(number) {}

  /// Adds the next card of 80 bytes. Returns false for the card END. Throws Error(data).
  bool add(std::string_view card);

  /// The cards before END.
  [[nodiscard]] const std::vector<std::string>& cards() const { return cards_; }
  /// The HDU's number in errors, counted from 1.
  [[nodiscard]] int hdu_number() const { return number_; }
  /// The file's name in errors.
  [[nodiscard]] const std::string& path() const { return path_; }
  /// Error(data) `path: HDU number n: wrong (expected)`.
  [[nodiscard]] Error error(const std::string& wrong, const std::string& expected) const;

  /// Accessors of structural keywords. They throw Error(data) if a value has another type or
  /// exceeds its limits. `fallback` is the value of an absent keyword; without it an absent keyword
  /// is an error.
  [[nodiscard]] bool has(const std::string& key) const { return values_.contains(key); }
  /// An integer from least to most.
  [[nodiscard]] long long number(const std::string& key, long long least, long long most,
                                 std::optional<long long> fallback = {}) const;
  /// A finite number; `fallback` if absent.
  [[nodiscard]] double real(const std::string& key, double fallback) const;
  /// A string without quotes and trailing blanks; empty if absent.
  [[nodiscard]] std::string string(const std::string& key) const;
  /// A logical value; false if absent.
  [[nodiscard]] bool logical(const std::string& key) const;
  /// The product of stem1 ... stemN, each at least `least`.
  [[nodiscard]] long long product(const std::string& stem, long long n, long long least) const;
  /// Throws unless card number `place`, counted from 0, has keyword `key`.
  void check_place(std::size_t place, const std::string& key) const;

 private:
  std::string path_;
  int number_;
  std::vector<std::string> cards_;
  std::map<std::string, std::string> values_;
};

/// The keyword of a card: the first 8 characters without trailing blanks.
[[nodiscard]] std::string card_name(std::string_view card);
/// A card with an integer value in the FITS standard's fixed format.
[[nodiscard]] std::string integer_card(const std::string& key, long long value);

/// An upper limit of bytes and of elements. Sums and checked products of two sizes below the limit
/// fit in 63 bits.
constexpr long long longest_size = 1LL << 50;

}  // namespace spex
