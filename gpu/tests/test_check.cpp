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
    EXPECT_STREQ(error.what(),
                 "GPU: out of memory (buffer.hpp:21, cudaMalloc) (expected 3 GB free for each "
                 "frame at once; --extractors 1 and fewer ranks of the GPU need less)");
  }
  EXPECT_NO_THROW(check(cudaSuccess, "cudaFree(data)", "buffer.hpp", 1));
}

TEST(Check, KindTellsWhetherTheGpuIsLost) {
  const auto kind_of = [](cudaError_t status) {
    try {
      check(status, "cudaStreamSynchronize(stream)", "context.hpp", 1);
    } catch (const Error& error) {
      return error.kind();
    }
    return ErrorKind::usage;
  };
  EXPECT_EQ(kind_of(cudaErrorIllegalAddress), ErrorKind::device);
  EXPECT_EQ(kind_of(cudaErrorECCUncorrectable), ErrorKind::device);
  EXPECT_EQ(kind_of(cudaErrorMemoryAllocation), ErrorKind::internal);
  EXPECT_EQ(kind_of(cudaErrorInvalidValue), ErrorKind::internal);
}

// Errors that CUDA returns from every later call, and errors after which CUDA continues to work.
TEST(Check, FaultsOfKernelsAndGpusLoseTheContext) {
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
