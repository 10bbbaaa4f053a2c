// A device with a stream and the handles of its libraries: passed first to what runs there.
#pragma once

#include <memory>
#include <string>
#include <type_traits>

#include "gpu/core/check.hpp"

namespace spex::gpu {

/// GPUs that this process may use; 0 without a driver or a GPU.
[[nodiscard]] int device_count() noexcept;

/// Makes `device` the calling thread's. Throws Error(usage) where there is no such device.
void use_device(int device);

/// use_device, and the process's context on that GPU. One GPU's at a time, whichever threads ask:
/// the driver would make them all together, and none be ready before the last.
void make_context(int device);

/// Waits until all that `stream` was given is done. Asks every now and then and sleeps in between,
/// so that the core is another thread's meanwhile: for waits of milliseconds.
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
  void operator()(cublasHandle_t handle) const noexcept { cublasDestroy(handle); }
};
struct DeleteSolver {
  void operator()(cusolverDnHandle_t handle) const noexcept { cusolverDnDestroy(handle); }
};
struct DeleteParams {
  void operator()(cusolverDnParams_t params) const noexcept { cusolverDnDestroyParams(params); }
};
struct DeleteJacobi {
  void operator()(syevjInfo_t info) const noexcept { cusolverDnDestroySyevjInfo(info); }
};
template <class Handle, class Delete>
using Owner = std::unique_ptr<std::remove_pointer_t<Handle>, Delete>;
}  // namespace detail

/// An event without timing; `record` on a stream, `wait` from the host.
class Event {
 public:
  Event();
  void record(cudaStream_t stream) { SPEX_GPU_CHECK(cudaEventRecord(event_.get(), stream)); }
  void wait() const { SPEX_GPU_CHECK(cudaEventSynchronize(event_.get())); }
  /// What comes on `stream` from now on waits for what was recorded.
  void hold(cudaStream_t stream) const {
    SPEX_GPU_CHECK(cudaStreamWaitEvent(stream, event_.get()));
  }
  [[nodiscard]] cudaEvent_t get() const { return event_.get(); }

 private:
  detail::Owner<cudaEvent_t, detail::DeleteEvent> event_;
};

/// Which blocks the GPU takes first where those of several streams wait.
enum class Priority { normal, high };

/// Stream and library handles on the current device. A handle is made when it is first asked for,
/// then kept, as each takes milliseconds; the direct way needs none. For one thread.
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
