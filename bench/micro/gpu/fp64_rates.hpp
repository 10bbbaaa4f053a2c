// Kernels of pure FP64 arithmetic in registers.
#pragma once

#include "gpu/core/buffer.hpp"

namespace spex::bench {

/// The arithmetic of one launch.
struct Fp64Work {
  double flops = 0;  ///< additions and products
  double sum = 0;    ///< the exact sum that each lane must find
};

/// Fused multiply-adds on the cores, or products of 8 x 4 by 4 x 8 on the tensor cores (on other
/// units if the GPU has none). Each lane writes an element of `sums`, whose size is a multiple of
/// 256.
Fp64Work do_fp64_work(bool on_tensor_cores, const gpu::DeviceBuffer<double>& sums,
                      cudaStream_t stream);

}  // namespace spex::bench
