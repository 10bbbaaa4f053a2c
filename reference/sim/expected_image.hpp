// The noise-free CCD image of a truth.
#pragma once

#include <vector>

#include "reference/model/psf.hpp"
#include "reference/sim/spectra.hpp"

namespace spex {

/// Expected electrons of every pixel, `[y * npix_x + x]`: the sum over all fibers and bins of flux
/// x dw x spot (extraction.md, section 2). Light outside of the CCD is lost. Fibers are summed in
/// order for any number of threads.
[[nodiscard]] std::vector<double> expected_image(const Psf& psf, const Truth& truth, int threads);

}  // namespace spex
