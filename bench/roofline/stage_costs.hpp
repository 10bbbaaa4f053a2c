// Operations and bytes of each stage of a frame's extraction: the counts of the roofline.
#pragma once

#include <string>
#include <vector>

#include "bench/result/record.hpp"
#include "reference/layout/wavelengths.hpp"
#include "reference/model/psf.hpp"

namespace spex {
struct FrameOptions;
struct ExtractOptions;
}  // namespace spex

namespace spex::bench {

/// Costs of the stages spots, assemble, solve, decorrelate, quality, in this order, summed over the
/// patches of a frame, for the milestones band and direct. Empty for other engines, which are as
/// fast as their libraries, and for patches that only eigh supports. The costs depend on the PSF's
/// traces and on sizes, not on pixels: all pixels count as good, no patch falls back to eigh, and
/// direct leaves no block to Jacobi.
///
/// flops: additions, multiplications, divisions and square roots, one each, from the bounds of
/// loops. Matrix routines have their standard counts, so a triangle counts as a triangle. Padding
/// (to tiles, to the largest patch of a batch) does not count.
///
/// bytes: the traffic with perfect caches within a call: every array that a stage takes from
/// another one is read once, and every array that it leaves is written once. The columns that a
/// warp of direct's roots keeps in scratch also count as written once and read once, because caches
/// hold them only in part. Vectors over the bins of a patch, which are small, are omitted.
///
/// Throws Error(usage) as make_patches does.
[[nodiscard]] std::vector<CostRecord> stage_costs(const Psf& psf, const WaveGrid& grid,
                                                  const ExtractOptions& options);

struct CameraPsf {
  std::string camera, psf;
};

/// The sum of stage_costs over frames. Throws Error(data) if a PSF cannot be read.
[[nodiscard]] std::vector<CostRecord> frame_costs(const FrameOptions& options,
                                                  const std::vector<CameraPsf>& frames);

}  // namespace spex::bench
