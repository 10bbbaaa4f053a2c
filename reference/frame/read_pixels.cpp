#include "reference/frame/read_pixels.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <fitsio.h>

#include "reference/extract/weights.hpp"
#include "reference/fits/read/fits_file.hpp"
#include "reference/io/read_preproc.hpp"

namespace spex {
namespace {

constexpr std::size_t part = std::size_t{1}
                             << 16;  // pixels; three arrays of this size fit in the cache

std::optional<PlainPixels> find_plain(FitsReader& file, const char* hdu, int bitpix) {
  file.move_to_hdu(hdu);
  return file.find_plain_pixels(bitpix);
}

}  // namespace

Pixels read_pixels(FitsReader& file, Preproc& preproc, std::uint32_t mask_bits) {
  const std::optional<PlainPixels> image = find_plain(file, "IMAGE", FLOAT_IMG);
  const std::optional<PlainPixels> ivar = find_plain(file, "IVAR", FLOAT_IMG);
  const std::optional<PlainPixels> mask =
      preproc.has_mask ? find_plain(file, "MASK", LONG_IMG) : std::nullopt;
  if (!image || !ivar || (preproc.has_mask && !mask)) {
    read_preproc_pixels(file, preproc);
    return make_pixels(std::move(preproc), mask_bits);
  }
  std::vector<float> value = image->take_native<float>(), weight = ivar->take_native<float>();
  std::vector<std::uint32_t> bits;
  value.reserve(image->size());
  weight.reserve(image->size());
  for (std::size_t first = 0; first < image->size(); first += part) {
    const std::size_t count = std::min(part, image->size() - first);
    if (value.size() == first) image->append(first, count, value);
    if (weight.size() == first) ivar->append(first, count, weight);
    bits.clear();
    if (mask)
      mask->append(first, count, bits);
    else
      bits.resize(count);
    weigh(count, value.data() + first, weight.data() + first, bits.data(), mask_bits);
  }
  return {preproc.nx, preproc.ny, Reals(std::move(value)), Reals(std::move(weight))};
}

}  // namespace spex
