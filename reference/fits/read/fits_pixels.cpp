// The pixels of a FitsReader's current HDU.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <type_traits>
#include <variant>

#include <fmt/format.h>

#include "reference/core/error.hpp"
#include "reference/fits/read/fits_file.hpp"

namespace spex {
namespace {

std::size_t pixel_count(const std::vector<long long>& axes) {
  return static_cast<std::size_t>(
      std::accumulate(axes.begin(), axes.end(), 1LL, std::multiplies<>()));
}

template <class T>
std::vector<T> all_of(const PlainPixels& pixels) {
  std::vector<T> values;
  pixels.append(0, pixels.size(), values);
  return values;
}

}  // namespace

std::vector<long long> FitsReader::image_axes() const {
  constexpr int most_axes = 8;
  int status = 0;
  int type = 0;
  fits_get_hdu_type(get(), &type, &status);
  if (type != IMAGE_HDU) throw data_error(path_, hdu_name() + " is a table", "an image");
  int naxis = 0;
  fits_get_img_dim(get(), &naxis, &status);
  fits_check(status, path_, hdu_name());
  if (naxis > most_axes)
    throw data_error(path_, fmt::format("{} has {} axes", hdu_name(), naxis),
                     fmt::format("at most {}", most_axes));
  std::vector<LONGLONG> axes(naxis);
  fits_get_img_sizell(get(), naxis, axes.data(), &status);
  fits_check(status, path_, hdu_name());
  constexpr long long most_pixels = 1LL << 33;
  long long pixels = 1;
  for (const LONGLONG axis : axes) {
    if (axis < 0 || (axis > 0 && pixels > most_pixels / axis))
      throw data_error(path_, fmt::format("{} has an axis of {} pixels", hdu_name(), axis),
                       fmt::format("at most {} pixels in all", most_pixels));
    pixels *= axis;
  }
  return {axes.begin(), axes.end()};
}

template <class T>
std::vector<T> FitsReader::read_pixels(int type) const {
  if (const NativePixels* native = find_native())
    return std::visit(
        [](const auto& pixels) {
          std::vector<T> values;
          values.reserve(pixels.size());
          // BITPIX 32 is signed.
          for (const auto pixel : pixels)
            if constexpr (std::is_same_v<decltype(pixel), const std::uint32_t>)
              values.push_back(static_cast<T>(static_cast<std::int32_t>(pixel)));
            else
              values.push_back(static_cast<T>(pixel));
          return values;
        },
        *native);
  std::vector<T> values(pixel_count(image_axes()));
  int status = 0;
  fits_read_img(get(), type, 1, static_cast<LONGLONG>(values.size()), nullptr, values.data(),
                nullptr, &status);
  fits_check(status, path_, hdu_name() + ": cannot read its pixels");
  return values;
}

std::optional<PlainPixels> FitsReader::find_plain_pixels(int bitpix) const {
  int status = 0;
  int type = 0;
  fits_get_img_type(get(), &type, &status);
  fits_check(status, path_, hdu_name() + ": cannot tell the type of its pixels");
  if (type != bitpix || find_double("BSCALE").value_or(1) != 1 ||
      find_double("BZERO").value_or(0) != 0)
    return std::nullopt;
  if (NativePixels* native = find_native()) return PlainPixels(*native);
  LONGLONG header = 0, data = 0, end = 0;
  fits_get_hduaddrll(get(), &header, &data, &end, &status);
  fits_check(status, path_, hdu_name() + ": cannot find its pixels");
  return PlainPixels(source_, data, pixel_count(image_axes()), path_ + ": " + hdu_name());
}

int FitsReader::pixel_type() const {
  int status = 0;
  int type = 0;
  fits_get_img_equivtype(get(), &type, &status);
  fits_check(status, path_, hdu_name() + ": cannot tell the type of its pixels");
  return type;
}

std::vector<double> FitsReader::read_doubles() const {
  return read_pixels<double>(TDOUBLE);
}

Reals FitsReader::read_reals() const {
  switch (pixel_type()) {
    case BYTE_IMG:
    case SBYTE_IMG:
    case SHORT_IMG:
    case USHORT_IMG:
      return Reals(read_pixels<float>(TFLOAT));
    case FLOAT_IMG:
      if (const auto plain = find_plain_pixels(FLOAT_IMG)) return Reals(all_of<float>(*plain));
      return Reals(read_pixels<float>(TFLOAT));
    default:
      return Reals(read_doubles());
  }
}

std::vector<std::uint32_t> FitsReader::read_bits() const {
  switch (pixel_type()) {
    case BYTE_IMG:
    case SBYTE_IMG:
    case SHORT_IMG:
    case USHORT_IMG:
    case LONG_IMG: {
      static_assert(sizeof(int) == sizeof(std::uint32_t));
      if (const auto plain = find_plain_pixels(LONG_IMG)) return all_of<std::uint32_t>(*plain);
      // Reads int into unsigned memory: the bits are unchanged.
      return read_pixels<std::uint32_t>(TINT);
    }
    case FLOAT_IMG:
    case DOUBLE_IMG:
      throw data_error(path_, hdu_name() + " holds floating-point numbers", "32-bit integers");
    default: {
      static_assert(sizeof(long) == sizeof(std::int64_t));
      const std::vector<long> values = read_pixels<long>(TLONG);
      // Signed or unsigned 32-bit integers.
      constexpr long least = std::numeric_limits<std::int32_t>::min();
      constexpr long most = std::numeric_limits<std::uint32_t>::max();
      const auto beyond = std::find_if(values.begin(), values.end(),
                                       [](long value) { return value < least || value > most; });
      if (beyond != values.end())
        throw data_error(path_, fmt::format("{} holds {}", hdu_name(), *beyond), "32-bit integers");
      std::vector<std::uint32_t> bits(values.size());
      std::transform(values.begin(), values.end(), bits.begin(),
                     [](long value) { return static_cast<std::uint32_t>(value); });
      return bits;
    }
  }
}

}  // namespace spex
