#include "reference/extract/weights.hpp"

#include <cmath>
#include <utility>

namespace spex {

Pixels make_pixels(Preproc&& preproc, std::uint32_t mask_bits) {
  Pixels pixels{preproc.nx, preproc.ny, std::move(preproc.image), std::move(preproc.ivar)};
  pixels.value.visit([&](auto& value) {
    pixels.weight.visit([&](auto& weight) {
      for (std::size_t i = 0; i < value.size(); ++i) {
        const auto p = value[i];
        const auto W = weight[i];
        const bool finite_value = std::isfinite(p);
        const bool finite_weight = std::isfinite(W);
        const bool unmasked = (preproc.mask[i] & mask_bits) == 0;
        const bool good = finite_value & finite_weight & (W > 0) & unmasked;
        // Stored in any case, so that many pixels are done at a time.
        value[i] = finite_value ? p : 0;
        weight[i] = good ? W : 0;
      }
    });
  });
  preproc.mask = {};
  return pixels;
}

}  // namespace spex
