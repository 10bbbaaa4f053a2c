// The pixels and columns of a FitsReader's current HDU.
#include <fmt/format.h>

#include "reference/core/error.hpp"
#include "reference/fits/read/fits_file.hpp"

namespace spex {

bool FitsReader::is_image() const {
  return !hdu().hdu.is_table();
}

const ImageForm& FitsReader::image_form() const {
  if (!is_image()) throw data_error(path_, hdu_name() + " is a table", "an image");
  return hdu().form;
}

std::vector<long long> FitsReader::image_axes() const {
  constexpr std::size_t max_axes = 8;
  constexpr long long max_pixels = 1LL << 33;
  const std::vector<long long>& axes = image_form().axes;
  if (axes.size() > max_axes)
    throw data_error(path_, fmt::format("{} has {} axes", hdu_name(), axes.size()),
                     fmt::format("at most {}", max_axes));
  long long pixels = 1;
  for (const long long axis : axes) {
    if (axis > 0 && pixels > max_pixels / axis)
      throw data_error(path_, fmt::format("{} has an axis of {} pixels", hdu_name(), axis),
                       fmt::format("at most {} pixels in all", max_pixels));
    pixels *= axis;
  }
  return axes;
}

PixelReader FitsReader::pixels() {
  static_cast<void>(image_axes());
  return source_.pixels(current());
}

std::vector<double> FitsReader::read_doubles() {
  return pixels().all<double>();
}

Reals FitsReader::read_reals() {
  PixelReader reader = pixels();
  return reader.is_single() ? Reals(reader.all<float>()) : Reals(reader.all<double>());
}

std::vector<std::uint32_t> FitsReader::read_bits() {
  return pixels().all<std::uint32_t>();
}

void FitsReader::require_table() const {
  if (is_image()) throw data_error(path_, hdu_name() + " is an image", "a table");
  source_.require_table(current());
}

HduSums FitsReader::sums() const {
  return source_.sums(current());
}

}  // namespace spex
