#include "reference/extract/weights.hpp"

#include <cmath>
#include <utility>

namespace spex {

template <class Value, class Weight>
void weigh(std::size_t count, Value* value, Weight* weight, const std::uint32_t* mask,
           std::uint32_t mask_bits) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto p = value[i];
    const auto W = weight[i];
    const bool finite_value = std::isfinite(p);
    const bool finite_weight = std::isfinite(W);
    const bool unmasked = (mask[i] & mask_bits) == 0;
    const bool good = finite_value & finite_weight & (W > 0) & unmasked;
    // Stored in any case, so that many pixels are done at a time.
    value[i] = finite_value ? p : 0;
    weight[i] = good ? W : 0;
  }
}

template void weigh(std::size_t, float*, float*, const std::uint32_t*, std::uint32_t);
template void weigh(std::size_t, float*, double*, const std::uint32_t*, std::uint32_t);
template void weigh(std::size_t, double*, float*, const std::uint32_t*, std::uint32_t);
template void weigh(std::size_t, double*, double*, const std::uint32_t*, std::uint32_t);

Pixels make_pixels(Preproc&& preproc, std::uint32_t mask_bits) {
  Pixels pixels{preproc.nx, preproc.ny, std::move(preproc.image), std::move(preproc.ivar)};
  pixels.value.visit([&](auto& value) {
    pixels.weight.visit([&](auto& weight) {
      weigh(value.size(), value.data(), weight.data(), preproc.mask.data(), mask_bits);
    });
  });
  preproc.mask = std::vector<std::uint32_t>();  // = {} would keep the memory
  return pixels;
}

}  // namespace spex
