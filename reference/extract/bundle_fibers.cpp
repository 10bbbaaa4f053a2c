#include "reference/extract/bundle_fibers.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "reference/extract/extract_inputs.hpp"
#include "reference/extract/frame_equations.hpp"
#include "reference/psf/spots.hpp"

namespace spex {

BundleFibers fibers_of_bundle(const ExtractInputs& inputs, int bundle) {
  const int size = inputs.options.bundlesize;
  return {bundle * size, std::min((bundle + 1) * size, inputs.psf->nfiber)};
}

double light_shared_beyond(const ExtractInputs& inputs, int bundle) {
  constexpr int every = 100;
  const BundleFibers fibers = fibers_of_bundle(inputs, bundle);
  const ExtendedGrid grid = extended_grid(inputs.options, inputs.grid);
  const Psf& psf = *inputs.psf;
  double largest = 0;
  for (const int lower : {fibers.begin - 1, fibers.end - 1}) {
    if (lower < 0 || lower + 1 >= psf.nfiber) continue;
    // Most bundles lie so far apart that their spots share no pixel.
    std::vector<double> wave;
    for (int w = 0; w < grid.nwave; w += every) {
      const double lambda = inputs.grid.at(grid.first + w);
      const Center a = spot_center(psf, lower, lambda);
      const Center b = spot_center(psf, lower + 1, lambda);
      const bool apart = std::abs(a.x - b.x) > psf.nx() + 1 || std::abs(a.y - b.y) > psf.ny() + 1;
      if (!apart) wave.push_back(lambda);
    }
    const Spots spots = evaluate_spots(psf, lower, 2, wave);
    for (int w = 0; w < spots.nwave; ++w) {
      if (!spots.is_lit(0, w) || !spots.is_lit(1, w)) continue;
      const auto norm = [&](int s) { return overlap_of_spots(spots, s, w, s, w); };
      const double shared = overlap_of_spots(spots, 0, w, 1, w);
      largest = std::max(largest, shared / std::sqrt(norm(0) * norm(1)));
    }
  }
  return largest;
}

}  // namespace spex
