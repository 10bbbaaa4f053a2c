// What a frame's extraction must compute and move, stage by stage: the counts of the roofline.
#pragma once

#include <string>
#include <vector>

#include "bench/result/record.hpp"
#include "reference/layout/wavelengths.hpp"
#include "reference/model/options.hpp"
#include "reference/model/psf.hpp"

namespace spex::bench {

/// Costs of the stages spots, assemble, solve, decorrelate, quality, in this order, of all patches
/// of a frame with `options`, by band or direct: nothing for other engines, which are no faster
/// than their libraries, nor where patches are left to eigh. They depend on the PSF's traces and on
/// sizes, not on pixels: all pixels count as good, no patch falls back to eigh, and no block of
/// direct is left to Jacobi.
///
/// flops: additions, multiplications, divisions and square roots, one each, from the bounds of
/// loops. Matrix routines at their standard counts, so that a triangle counts as a triangle. What
/// is computed on padding (to tiles, to the largest patch of a batch) does not count.
///
/// bytes: what would move if caches were perfect within a call: every array that a stage takes from
/// another one is read once, every array that it leaves is written once. What a warp of direct's
/// roots keeps of its columns, which caches hold in part, counts once written and once read too.
/// Left out: vectors over the bins of a patch, which are small.
///
/// Throws Error(usage) as make_patches does.
[[nodiscard]] std::vector<CostRecord> stage_costs(const Psf& psf, const WaveGrid& grid,
                                                  const ExtractOptions& options);

struct CameraPsf {
  std::string camera, psf;
};

/// The sum of stage_costs over frames. Throws Error(data) where a PSF cannot be read.
[[nodiscard]] std::vector<CostRecord> frame_costs(const ExtractOptions& options,
                                                  const std::vector<CameraPsf>& frames);

}  // namespace spex::bench
