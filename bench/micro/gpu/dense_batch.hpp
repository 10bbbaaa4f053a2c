// What the eigh engines (gpu/extract/engine_eigh.cpp) hold to form N from dense A, for a batch of
// patches of one shape.
#pragma once

#include "bench/micro/gpu/frame_input.hpp"

namespace spex::bench {

class DenseBatch {
 public:
  /// Allocates, and evaluates the spots.
  DenseBatch(const Device& device, FrameInput& frame, const PatchRange& range);

  /// A and W A.
  void make_projection();
  /// N = A^T (W A), by cuBLAS.
  void multiply();

  [[nodiscard]] int n() const { return n_; }
  [[nodiscard]] int npixel() const { return npixel_; }
  [[nodiscard]] int count() const { return range_.count(); }
  /// Bytes of A and W A.
  [[nodiscard]] std::size_t projection_bytes() const { return A_.bytes() + WA_.bytes(); }
  /// Floating-point operations of `multiply`.
  [[nodiscard]] double multiply_flops() const;

 private:
  const Device* device_;
  FrameInput* frame_;
  PatchRange range_;
  gpu::SpotsView spots_;
  int n_ = 0;
  int npixel_ = 0;
  gpu::DeviceBuffer<double> A_, WA_, N_;
};

}  // namespace spex::bench
