// The stored numbers of an image in memory, and their conversion to values.
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "reference/fits/read/image_form.hpp"

namespace spex {

/// Stored numbers in native byte order. A double that is NaN stands for a number that is blank.
using StoredPixels =
    std::variant<std::vector<std::uint8_t>, std::vector<std::int16_t>, std::vector<std::int32_t>,
                 std::vector<std::int64_t>, std::vector<float>, std::vector<double>>;

/// An empty vector of the numbers that BITPIX means.
[[nodiscard]] inline StoredPixels pixels_of_type(int bitpix) {
  switch (bitpix) {
    case 8:
      return std::vector<std::uint8_t>();
    case 16:
      return std::vector<std::int16_t>();
    case 32:
      return std::vector<std::int32_t>();
    case 64:
      return std::vector<std::int64_t>();
    case -32:
      return std::vector<float>();
    case -64:
      return std::vector<double>();
    default:
      throw std::logic_error("BITPIX was not checked");
  }
}

/// Converts stored numbers to float or double; NaN where they are blank.
template <class Stored, std::floating_point Value>
void convert_pixels(std::span<const Stored> stored, const ImageForm& form, Value* to) {
  if (form.is_plain()) {
    for (std::size_t i = 0; i < stored.size(); ++i) to[i] = static_cast<Value>(stored[i]);
    return;
  }
  for (std::size_t i = 0; i < stored.size(); ++i) {
    bool is_blank = false;
    if constexpr (std::is_integral_v<Stored>) is_blank = form.blank && stored[i] == *form.blank;
    const double value = static_cast<double>(stored[i]) * form.scale + form.zero;
    to[i] = is_blank ? std::numeric_limits<Value>::quiet_NaN() : static_cast<Value>(value);
  }
}

/// Converts whole numbers to their low 32 bits; all bits are set where they are blank. Returns the
/// first number that is no integer of 32 bits, signed or unsigned.
template <class Stored>
std::optional<long double> convert_pixels(std::span<const Stored> stored, const ImageForm& form,
                                          std::uint32_t* to) {
  constexpr std::uint32_t all_bits = ~0U;
  if constexpr (std::is_integral_v<Stored> && sizeof(Stored) <= sizeof *to) {
    if (form.is_plain()) {
      for (std::size_t i = 0; i < stored.size(); ++i)
        to[i] = static_cast<std::uint32_t>(std::int32_t{stored[i]});
      return {};
    }
  }
  for (std::size_t i = 0; i < stored.size(); ++i) {
    bool is_blank = false;
    if constexpr (std::is_integral_v<Stored>)
      is_blank = form.blank && stored[i] == *form.blank;
    else
      is_blank = std::isnan(stored[i]);
    if (is_blank) {
      to[i] = all_bits;
      continue;
    }
    // Exact also for unsigned integers of 64 bits.
    const long double value = static_cast<long double>(stored[i]) * form.scale + form.zero;
    if (!(value >= std::numeric_limits<std::int32_t>::min() &&
          value <= std::numeric_limits<std::uint32_t>::max()))
      return value;
    to[i] = static_cast<std::uint32_t>(static_cast<std::int64_t>(value));
  }
  return {};
}

}  // namespace spex
