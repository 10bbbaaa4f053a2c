// A device with a stream and library handles, the first parameter of functions that run there.
#pragma once

#include <memory>
#include <string>
#include <type_traits>

#include "gpu/core/check.hpp"

// As in the headers of cuBLAS and cuSOLVER, which most sources do not need.
struct cublasContext;
struct cusolverDnContext;
struct cusolverDnParams;
struct syevjInfo;
using cublasHandle_t = cublasContext*;
using cusolverDnHandle_t = cusolverDnContext*;
using cusolverDnParams_t = cusolverDnParams*;
using syevjInfo_t = syevjInfo*;

namespace spex::gpu {

/// The number of GPUs visible to this process; 0 without a driver or a GPU.
[[nodiscard]] int device_count() noexcept;

/// Selects `device` for the calling thread. Throws Error(usage) if there is no such device.
void use_device(int device);

/// Selects `device` and creates the process's context on it. Contexts are created one at a time,
/// for any calling threads: the driver would create them concurrently, and none would be ready
/// before the last.
void make_context(int device);

/// Waits until `stream` is idle. Polls and sleeps in between, so that other threads can use the
/// core; for waits of milliseconds.
void wait_for(cudaStream_t stream);

namespace detail {
struct DeleteStream {
  void operator()(cudaStream_t stream) const noexcept {
    log_failure(cudaStreamDestroy(stream), "cudaStreamDestroy");
  }
};
struct DeleteEvent {
  void operator()(cudaEvent_t event) const noexcept {
    log_failure(cudaEventDestroy(event), "cudaEventDestroy");
  }
};
struct DeleteBlas {
  void operator()(cublasHandle_t handle) const noexcept;
};
struct DeleteSolver {
  void operator()(cusolverDnHandle_t handle) const noexcept;
};
struct DeleteParams {
  void operator()(cusolverDnParams_t params) const noexcept;
};
struct DeleteJacobi {
  void operator()(syevjInfo_t info) const noexcept;
};
template <class Handle, class Delete>
using Owner = std::unique_ptr<std::remove_pointer_t<Handle>, Delete>;
}  // namespace detail

/// A CUDA event without timing.
class Event {
 public:
  Event();
  void record(cudaStream_t stream) { SPEX_GPU_CHECK(cudaEventRecord(event_.get(), stream)); }
  void wait() const { SPEX_GPU_CHECK(cudaEventSynchronize(event_.get())); }
  /// Makes later work on `stream` wait for the recorded work.
  void hold(cudaStream_t stream) const {
    SPEX_GPU_CHECK(cudaStreamWaitEvent(stream, event_.get()));
  }
  [[nodiscard]] cudaEvent_t get() const { return event_.get(); }

 private:
  detail::Owner<cudaEvent_t, detail::DeleteEvent> event_;
};

/// Scheduling priority of a stream's blocks.
enum class Priority { normal, high };

/// A stream and library handles on the current device. Handles take milliseconds to create, so that
/// they are created on first use and kept; the fiber engine needs none. Not thread-safe.
class Context {
 public:
  explicit Context(Priority priority = Priority::normal);

  [[nodiscard]] cudaStream_t stream() const { return stream_.get(); }
  [[nodiscard]] cublasHandle_t blas() const;
  [[nodiscard]] cusolverDnHandle_t solver() const;
  [[nodiscard]] cusolverDnParams_t params() const;
  [[nodiscard]] syevjInfo_t jacobi() const;
  void synchronize() const { SPEX_GPU_CHECK(cudaStreamSynchronize(stream())); }

 private:
  detail::Owner<cudaStream_t, detail::DeleteStream> stream_;
  mutable detail::Owner<cublasHandle_t, detail::DeleteBlas> blas_;
  mutable detail::Owner<cusolverDnHandle_t, detail::DeleteSolver> solver_;
  mutable detail::Owner<cusolverDnParams_t, detail::DeleteParams> params_;
  mutable detail::Owner<syevjInfo_t, detail::DeleteJacobi> jacobi_;
};

}  // namespace spex::gpu
