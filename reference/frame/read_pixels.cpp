#include "reference/frame/read_pixels.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "reference/extract/weights.hpp"
#include "reference/fits/read/fits_file.hpp"
#include "reference/io/read_preproc.hpp"

namespace spex {
namespace {

PixelReader pixels_of(FitsReader& file, const char* hdu) {
  file.move_to_hdu(hdu);
  return file.pixels();
}

// Without `mask` all bits are 0.
template <class Value, class Weight>
Pixels weigh_parts(PixelReader& image, PixelReader& ivar, std::optional<PixelReader>& mask,
                   const Preproc& preproc, std::uint32_t mask_bits) {
  std::vector<Value> value = image.take<Value>();
  std::vector<Weight> weight = ivar.take<Weight>();
  std::vector<std::uint32_t> bits;
  value.reserve(image.size());
  weight.reserve(image.size());
  for (std::size_t first = 0; first < image.size(); first += bits.size()) {
    if (value.size() == first) image.append(value);
    if (weight.size() == first) ivar.append(weight);
    bits.clear();
    if (mask)
      mask->append(bits);
    else
      bits.resize(std::min(PixelReader::part, image.size() - first));
    weigh(bits.size(), value.data() + first, weight.data() + first, bits.data(), mask_bits);
  }
  return {preproc.nx, preproc.ny, Reals(std::move(value)), Reals(std::move(weight))};
}

}  // namespace

Pixels read_pixels(FitsReader& file, const Preproc& preproc, std::uint32_t mask_bits) {
  move_to_pixels(file);
  PixelReader image = file.pixels();
  PixelReader ivar = pixels_of(file, "IVAR");
  std::optional<PixelReader> mask;
  if (preproc.has_mask) mask = pixels_of(file, "MASK");
  const auto weighed = [&]<class Value>(Value /*type*/) {
    return ivar.is_single() ? weigh_parts<Value, float>(image, ivar, mask, preproc, mask_bits)
                            : weigh_parts<Value, double>(image, ivar, mask, preproc, mask_bits);
  };
  return image.is_single() ? weighed(0.0F) : weighed(0.0);
}

}  // namespace spex
