#include "gpu/core/host_pinner.hpp"

#include "gpu/core/check.hpp"

namespace spex::gpu {
namespace {

// Selects a GPU for the calling thread, and afterwards the one that was selected before. A thread
// without a selected GPU would create a context on GPU 0.
class DeviceScope {
 public:
  explicit DeviceScope(int device) noexcept {
    log_failure(cudaGetDevice(&before_), "cudaGetDevice");
    if (before_ != device) log_failure(cudaSetDevice(device), "cudaSetDevice");
    changed_ = before_ != device;
  }
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;
  ~DeviceScope() {
    if (changed_) log_failure(cudaSetDevice(before_), "cudaSetDevice");
  }

 private:
  int before_ = 0;
  bool changed_ = false;
};

}  // namespace

bool HostPinner::pin(void* memory, std::size_t bytes) noexcept {
  const DeviceScope scope(device_);
  if (cudaHostRegister(memory, bytes, cudaHostRegisterPortable) == cudaSuccess) return true;
  static_cast<void>(cudaGetLastError());  // otherwise the next launch would report it
  return false;
}

void HostPinner::unpin(void* memory) noexcept {
  const DeviceScope scope(device_);
  log_failure(cudaHostUnregister(memory), "cudaHostUnregister");
}

}  // namespace spex::gpu
