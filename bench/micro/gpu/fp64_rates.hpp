// What a GPU's cores and its FP64 tensor cores can do at most, by kernels that do nothing else.
#pragma once

#include "gpu/core/buffer.hpp"

namespace spex::bench {

/// Work for every multiprocessor, of registers alone. Each lane leaves one sum, which is known
/// exactly.
class Fp64Rates {
 public:
  /// `steps` times each of a lane's operations.
  Fp64Rates(int multiprocessors, int steps);

  /// Fused multiply-adds of FP64 on the cores.
  void multiply_and_add(cudaStream_t stream);
  /// Products of 8 x 4 by 4 x 8 on the tensor cores, or where a GPU has none in whatever it does
  /// instead.
  void multiply_fragments(cudaStream_t stream);

  [[nodiscard]] double flops_of_fma() const;        ///< of a call, an addition and a product each
  [[nodiscard]] double flops_of_fragments() const;  ///< the same
  [[nodiscard]] double sum_of_fma() const;          ///< what each lane must have found
  [[nodiscard]] double sum_of_fragments() const;    ///< the same
  [[nodiscard]] const gpu::DeviceBuffer<double>& out() const { return out_; }

 private:
  int blocks_;
  int steps_;
  gpu::DeviceBuffer<double> out_;
};

}  // namespace spex::bench
