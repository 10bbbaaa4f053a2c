// N in band form on the GPU (extraction.md, section 4; BS 4); the counterpart of assemble_bands in
// reference/extract/normal_equations.hpp.
#pragma once

#include "gpu/extract/batch/batch_view.hpp"

namespace spex::gpu {

/// Computes N with its prior in band form directly from pairs of overlapping spots, without A. Only
/// the lower triangle of a diagonal block is set. Each element is summed in a fixed order by the
/// threads of one pair, over the pixels that both spots share. A thread block needs assemble_bytes
/// of shared memory.
void assemble_band(const BatchView& batch, const BandLayout& layout, const double* prior,
                   double* panels, cudaStream_t stream);

}  // namespace spex::gpu
