// The factor of a fiber of a FrameSystem in device code.
#pragma once

#include "gpu/extract/frame_flux/frame_flux.hpp"
#include "gpu/linalg/cyclic_reduction.cuh"

namespace spex::gpu {

/// N_ss of fiber s, with its prior, as factor_frame factors it.
template <int R>
__device__ ReducedBand<R> factor_of(const FrameSystem& system, int s) {
  return {system.m, system.factor + s * ReducedBand<R>::numbers(system.m)};
}

}  // namespace spex::gpu
