#include "reference/extract/weights.hpp"

#include <cmath>
#include <utility>

namespace spex {
namespace {

template <class Value, class Weight>
void weigh_all(std::size_t count, Value* value, Weight* weight, const std::uint32_t* mask,
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

}  // namespace

void weigh(std::size_t count, float* value, float* weight, const std::uint32_t* mask,
           std::uint32_t mask_bits) {
  weigh_all(count, value, weight, mask, mask_bits);
}

Pixels make_pixels(Preproc&& preproc, std::uint32_t mask_bits) {
  Pixels pixels{preproc.nx, preproc.ny, std::move(preproc.image), std::move(preproc.ivar)};
  pixels.value.visit([&](auto& value) {
    pixels.weight.visit([&](auto& weight) {
      weigh_all(value.size(), value.data(), weight.data(), preproc.mask.data(), mask_bits);
    });
  });
  preproc.mask = {};
  return pixels;
}

}  // namespace spex
