// Pins the host's memory for transfers.
#pragma once

#include "reference/core/memory/large_blocks.hpp"

namespace spex::gpu {

/// Pins memory for all GPUs of the process (cudaHostRegister): 136 MB in huge pages take 4 ms,
/// where the copy of as many bytes into pinned memory takes 20 ms (H100).
class HostPinner : public Pinner {
 public:
  /// `device`: a GPU that has a context.
  explicit HostPinner(int device) : device_(device) {}
  bool pin(void* memory, std::size_t bytes) noexcept override;
  void unpin(void* memory) noexcept override;

 private:
  int device_;
};

}  // namespace spex::gpu
