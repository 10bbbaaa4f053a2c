#include "gpu/core/context.hpp"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <thread>

#include <fmt/format.h>

#include "gpu/core/lazy_libraries.hpp"
#include "reference/core/error.hpp"

namespace spex::gpu {
namespace detail {

void DeleteBlas::operator()(cublasHandle_t handle) const noexcept {
  cublasDestroy(handle);
}
void DeleteSolver::operator()(cusolverDnHandle_t handle) const noexcept {
  cusolverDnDestroy(handle);
}
void DeleteParams::operator()(cusolverDnParams_t params) const noexcept {
  cusolverDnDestroyParams(params);
}
void DeleteJacobi::operator()(syevjInfo_t info) const noexcept {
  cusolverDnDestroySyevjInfo(info);
}

}  // namespace detail

int device_count() noexcept {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

void use_device(int device) {
  const int count = device_count();
  if (device < 0 || device >= count)
    throw usage_error("--device", fmt::format("there is no GPU {}", device),
                      fmt::format("0 to {}", count - 1));
  SPEX_GPU_CHECK(cudaSetDevice(device));
}

void make_context(int device) {
  static std::mutex one_at_a_time;
  const std::scoped_lock lock(one_at_a_time);
  use_device(device);
  SPEX_GPU_CHECK(cudaFree(nullptr));
}

void wait_for(cudaStream_t stream) {
  using std::chrono::microseconds;
  using Clock = std::chrono::steady_clock;
  // Sleeping and waking costs more CPU time than polling, so that polls become rarer with the
  // length of the wait.
  constexpr microseconds shortest{50}, longest{400};
  constexpr int part = 32;  // a wait may be longer by this fraction
  const Clock::time_point start = Clock::now();
  for (;;) {
    const cudaError_t state = cudaStreamQuery(stream);
    if (state != cudaErrorNotReady) {
      check(state, "cudaStreamQuery", __FILE__, __LINE__);
      return;
    }
    static_cast<void>(
        cudaGetLastError());  // clear the error; otherwise the next launch would report it
    const auto waited = std::chrono::duration_cast<microseconds>(Clock::now() - start);
    std::this_thread::sleep_for(std::clamp(waited / part, shortest, longest));
  }
}

Event::Event() {
  cudaEvent_t event = nullptr;
  // A thread that waits for the event sleeps, so that readers and writers can use its core.
  SPEX_GPU_CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming | cudaEventBlockingSync));
  event_.reset(event);
}

Context::Context(Priority priority) {
  cudaStream_t stream = nullptr;
  int least = 0, greatest = 0;
  SPEX_GPU_CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  SPEX_GPU_CHECK(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking,
                                              priority == Priority::high ? greatest : least));
  stream_.reset(stream);
}

cublasHandle_t Context::blas() const {
  if (!blas_) {
    cublasHandle_t handle = nullptr;
    SPEX_GPU_CHECK(cublasCreate(&handle));
    blas_.reset(handle);
    SPEX_GPU_CHECK(cublasSetStream(handle, stream()));
  }
  return blas_.get();
}

cusolverDnHandle_t Context::solver() const {
  if (!solver_) {
    cusolverDnHandle_t handle = nullptr;
    SPEX_GPU_CHECK(cusolverDnCreate(&handle));
    solver_.reset(handle);
    SPEX_GPU_CHECK(cusolverDnSetStream(handle, stream()));
  }
  return solver_.get();
}

cusolverDnParams_t Context::params() const {
  if (!params_) {
    cusolverDnParams_t params = nullptr;
    SPEX_GPU_CHECK(cusolverDnCreateParams(&params));
    params_.reset(params);
  }
  return params_.get();
}

syevjInfo_t Context::jacobi() const {
  if (!jacobi_) {
    syevjInfo_t jacobi = nullptr;
    SPEX_GPU_CHECK(cusolverDnCreateSyevjInfo(&jacobi));
    jacobi_.reset(jacobi);
    // Jacobi to double rounding error; sorted eigenvalues, the largest last.
    SPEX_GPU_CHECK(cusolverDnXsyevjSetTolerance(jacobi, 1e-15));
    SPEX_GPU_CHECK(cusolverDnXsyevjSetMaxSweeps(jacobi, 100));
    SPEX_GPU_CHECK(cusolverDnXsyevjSetSortEig(jacobi, 1));
  }
  return jacobi_.get();
}

}  // namespace spex::gpu
