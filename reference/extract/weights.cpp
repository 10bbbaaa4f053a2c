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
        const bool good =
            std::isfinite(p) & std::isfinite(W) & (W > 0) & ((preproc.mask[i] & mask_bits) == 0);
        // Stored in any case, so that many pixels are done at a time.
        value[i] = std::isfinite(p) ? p : 0;
        weight[i] = good ? W : 0;
      }
    });
  });
  preproc.mask = {};
  return pixels;
}

}  // namespace spex
