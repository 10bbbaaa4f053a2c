// Reads what invert_fibers stores, in the form of a band.
#pragma once

#include "gpu/extract/reject_pixels/find_pixels.hpp"

namespace spex::gpu::test {

/// N_ss^-1 of all fibers of the system: element (v + d, v) at `band[(s m + v) (reach + 1) + d]`, 0
/// for v + d >= m. In device memory.
void read_inverse(const FrameSystem& system, double* inverse, double* band, cudaStream_t stream);

}  // namespace spex::gpu::test
