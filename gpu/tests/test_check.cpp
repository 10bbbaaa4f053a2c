#include <gmock/gmock.h>

#include "gpu/core/check.hpp"
#include "reference/core/error.hpp"

namespace spex::gpu {
namespace {

TEST(Check, NamesTheCallTheLineAndTheCause) {
  try {
    check(cudaErrorMemoryAllocation, "cudaMalloc(&data, bytes)", "/src/buffer.hpp", 21);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "GPU: out of memory (buffer.hpp:21, cudaMalloc)");
  }
  EXPECT_NO_THROW(check(cudaSuccess, "cudaFree(data)", "buffer.hpp", 1));
}

// Those after which CUDA answers every call with the same error, and those after which it works on.
TEST(Check, ContextsAreLostToFaultsOfKernelsAndOfTheGpu) {
  for (const cudaError_t status :
       {cudaErrorIllegalAddress, cudaErrorLaunchFailure, cudaErrorECCUncorrectable,
        cudaErrorHardwareStackError, cudaErrorIllegalInstruction, cudaErrorMisalignedAddress,
        cudaErrorInvalidPc, cudaErrorAssert, cudaErrorLaunchTimeout, cudaErrorMpsClientTerminated})
    EXPECT_TRUE(loses_context(status)) << cudaGetErrorString(status);
  for (const cudaError_t status :
       {cudaSuccess, cudaErrorMemoryAllocation, cudaErrorInvalidValue, cudaErrorInvalidDevice,
        cudaErrorInvalidConfiguration, cudaErrorLaunchOutOfResources})
    EXPECT_FALSE(loses_context(status)) << cudaGetErrorString(status);
}

}  // namespace
}  // namespace spex::gpu
