#include "reference/fits/read/image_form.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include <fmt/format.h>

namespace spex {

std::size_t ImageForm::pixels() const {
  if (axes.empty()) return 0;
  return static_cast<std::size_t>(
      std::accumulate(axes.begin(), axes.end(), 1LL, std::multiplies<>()));
}

bool ImageForm::is_whole() const {
  return bitpix > 0 && std::trunc(scale) == scale && std::trunc(zero) == zero;
}

bool ImageForm::is_single() const {
  constexpr double most = 1 << 24;
  if (bitpix == -32) return true;
  if (bitpix != 8 && bitpix != 16) return false;
  return !is_whole() || std::abs(scale) * (1 << bitpix) + std::abs(zero) <= most;
}

void read_scale(const FitsHeader& header, ImageForm& form) {
  form.scale = header.real("BSCALE", 1);
  form.zero = header.real("BZERO", 0);
  using Limits = std::numeric_limits<std::int64_t>;
  if (form.bitpix > 0 && header.has("BLANK"))
    form.blank = header.number("BLANK", Limits::min(), Limits::max());
}

ImageForm image_form(const FitsHeader& header) {
  ImageForm form;
  form.bitpix = static_cast<int>(header.number("BITPIX", -64, 64));
  const long long naxis = header.number("NAXIS", 0, longest_size);
  for (long long i = 1; i <= naxis; ++i)
    form.axes.push_back(header.number(fmt::format("NAXIS{}", i), 0, longest_size));
  read_scale(header, form);
  return form;
}

}  // namespace spex
