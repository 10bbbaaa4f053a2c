// The image that a truth makes on the CCD, before noise.
#pragma once

#include <vector>

#include "reference/model/psf.hpp"
#include "reference/sim/spectra.hpp"

namespace spex {

/// Expected electrons of every pixel, `[y * npix_x + x]`: the sum over all fibers and bins of
/// flux x dw x spot (extraction.md, section 2). Light off the CCD is lost. On `threads` threads;
/// the sum is in the order of the fibers whatever their number.
[[nodiscard]] std::vector<double> expected_image(const Psf& psf, const Truth& truth, int threads);

}  // namespace spex
