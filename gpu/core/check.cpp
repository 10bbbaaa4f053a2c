#include "gpu/core/check.hpp"

#include <cstdio>
#include <cstring>
#include <string>

#include <fmt/format.h>

#include "gpu/core/lazy_libraries.hpp"
#include "reference/core/error.hpp"

namespace spex::gpu {
namespace {

// The hint in errors of exhausted memory.
constexpr const char* memory_expected =
    "3 GB free for each frame at once; --extractors 1 and fewer ranks of the GPU need less";

// Whether the context of this thread's GPU is lost. A call on a lost context may fail with another
// status: a library's own, or one of a handle that is no longer valid.
bool context_is_lost(cudaError_t status) {
  return loses_context(status) || loses_context(cudaDeviceSynchronize());
}

// `status` is CUDA's, also for errors of CUDA libraries.
[[noreturn]] void fail(cudaError_t status, const char* call, const char* file, int line,
                       const std::string& text) {
  const char* name = std::strrchr(file, '/');
  throw Error(context_is_lost(status) ? ErrorKind::device : ErrorKind::internal, "GPU",
              fmt::format("{} ({}:{}, {})", text, name != nullptr ? name + 1 : file, line,
                          std::string(call).substr(0, std::strcspn(call, "("))),
              status == cudaErrorMemoryAllocation ? memory_expected : "");
}

}  // namespace

void check(cudaError_t status, const char* call, const char* file, int line) {
  if (status == cudaSuccess) return;
  // Clear CUDA's last error; otherwise the next launch, of another frame, would report it.
  static_cast<void>(cudaGetLastError());
  fail(status, call, file, line, cudaGetErrorString(status));
}

void check(cublasStatus_t status, const char* call, const char* file, int line) {
  if (status != CUBLAS_STATUS_SUCCESS)
    fail(cudaGetLastError(), call, file, line, cublasGetStatusString(status));
}

void check(cusolverStatus_t status, const char* call, const char* file, int line) {
  if (status != CUSOLVER_STATUS_SUCCESS)
    fail(cudaGetLastError(), call, file, line,
         fmt::format("cuSOLVER status {}", static_cast<int>(status)));
}

bool loses_context(cudaError_t status) noexcept {
  switch (status) {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
#if CUDART_VERSION >= 12080
    case cudaErrorContained:
#endif
    case cudaErrorDevicesUnavailable:
    case cudaErrorContextIsDestroyed:
    case cudaErrorMpsConnectionFailed:
    case cudaErrorMpsRpcFailure:
    case cudaErrorMpsServerNotReady:
    case cudaErrorMpsClientTerminated:
    case cudaErrorExternalDevice:
    case cudaErrorUnknown:
      return true;
    default:
      return false;
  }
}

void log_failure(cudaError_t status, const char* call) noexcept {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(status));
}

}  // namespace spex::gpu
