#include <cuda_runtime.h>

#include "gpu/tests/break_context.hpp"

namespace spex::gpu::test {
namespace {

__global__ void trap_kernel() {
  asm("trap;");
}

}  // namespace

void break_context() {
  trap_kernel<<<1, 1>>>();
  static_cast<void>(cudaDeviceSynchronize());
}

}  // namespace spex::gpu::test
