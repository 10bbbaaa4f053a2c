// m of the prior at the bins of a frame: that of the patch whose core holds the bin (extraction.md,
// sections 4 and 5.2).
#pragma once

#include <vector>

#include "reference/extract/bundle_fibers.hpp"
#include "reference/extract/frame_equations.hpp"
#include "reference/psf/spots.hpp"

namespace spex {

struct ExtractInputs;

/// m of the patches of a bundle, and of the fibers beyond it.
class FramePrior {
 public:
  /// Of the bundle with the fibers `core`.
  FramePrior(const ExtractInputs& inputs, BundleFibers core, ExtendedGrid grid, int threads);

  /// Finds m of the bundle's patches. `spots` are those of its fibers, from `before` bins below the
  /// extended grid on.
  void find_core(const Spots& spots, int before);

  /// The step in whose core bin w of the WaveGrid lies; beyond the grid's ends the nearest.
  [[nodiscard]] int step_of(int w) const;

  /// m at each step of fiber s, whose bins on the extended grid have q [nwave]. Beyond the bundle
  /// it is found only where a bin may need it, and is 0 elsewhere. Throws as evaluate_spots.
  [[nodiscard]] std::vector<double> of_fiber(int s, const std::vector<double>& q) const;

 private:
  const ExtractInputs& inputs_;
  int threads_;
  BundleFibers core_;
  ExtendedGrid grid_;
  double largest_weight_;
  int nsteps_;
  std::vector<double> core_m_;  // [subbundle][step]
};

}  // namespace spex
