#include "reference/frame/drop_overflows.hpp"

#include <stdexcept>

#include "reference/core/all_finite.hpp"
#include "reference/model/mask_bits.hpp"

namespace spex {
namespace {

void drop_bin(Frame& frame, int s, int w) {
  const std::size_t at = frame.bin(s, w);
  frame.flux[at] = frame.ivar[at] = frame.chi2pix[at] = 0;
  if (!frame.f.empty()) frame.f[at] = 0;
  frame.mask[at] |= specmask::NODATA;
  for (int d = 0; d < frame.ndiagonals(); ++d)
    frame.resolution.set(frame.resolution_row(s, d) + static_cast<std::size_t>(w), 0);
}

}  // namespace

void drop_overflows(Frame& frame) {
  frame.overflowed = 0;
  if (float_holds(frame.flux) && float_holds(frame.ivar) && float_holds(frame.f) &&
      float_holds(frame.chi2pix))
    return;
  if (frame.resolution.size() == 0)
    throw std::logic_error("a frame with a bin beyond float32 came without its resolution");
  for (int s = 0; s < frame.nspec; ++s)
    for (int w = 0; w < frame.nwave; ++w) {
      const std::size_t at = frame.bin(s, w);
      if (float_holds(frame.flux[at]) && float_holds(frame.ivar[at]) &&
          float_holds(frame.chi2pix[at]) && (frame.f.empty() || float_holds(frame.f[at])))
        continue;
      drop_bin(frame, s, w);
      ++frame.overflowed;
    }
}

}  // namespace spex
