// Conversion between float and double on the GPU, which halves the bytes of transfers.
#pragma once

#include <cstddef>

#include "gpu/core/buffer.hpp"

namespace spex::gpu {

/// to[i] = from[i] for `count` numbers in device memory.
void widen(const float* from, std::size_t count, double* to, cudaStream_t stream);

/// The reverse, rounded to the nearest float.
void narrow(const double* from, std::size_t count, float* to, cudaStream_t stream);

/// Memory for `count` floats in a buffer of doubles, which grows on demand and loses its numbers.
[[nodiscard]] inline float* floats_in(DeviceBuffer<double>& buffer, std::size_t count) {
  reserve(buffer, (count + 1) / 2);
  return reinterpret_cast<float*>(buffer.get());
}

}  // namespace spex::gpu
