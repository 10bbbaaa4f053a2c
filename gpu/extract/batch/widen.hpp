// Conversion between float and double on the GPU, which halves the bytes of transfers.
#pragma once

#include <cstddef>

#include <cuda_runtime.h>

namespace spex::gpu {

/// to[i] = from[i] for `count` numbers in device memory.
void widen(const float* from, std::size_t count, double* to, cudaStream_t stream);

/// The reverse, rounded to the nearest float.
void narrow(const double* from, std::size_t count, float* to, cudaStream_t stream);

}  // namespace spex::gpu
