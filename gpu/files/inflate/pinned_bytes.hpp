// Large page-locked host memory.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>

namespace spex::gpu {

/// Bytes in huge pages, which CUDA locks 20 times faster than memory of its own. For all devices.
class PinnedBytes {
 public:
  PinnedBytes() = default;
  PinnedBytes(const PinnedBytes&) = delete;
  PinnedBytes& operator=(const PinnedBytes&) = delete;
  ~PinnedBytes();

  /// Ensures `size` bytes; loses the content if it must grow, and then has an eighth to spare.
  /// False if there is no memory, or none that can be locked; then it is empty.
  [[nodiscard]] bool reserve(std::size_t size);
  [[nodiscard]] char* get() const { return data_.get(); }

 private:
  struct Free {
    void operator()(char* data) const noexcept { std::free(data); }
  };

  void release() noexcept;

  std::unique_ptr<char, Free> data_;
  std::size_t size_ = 0;
};

}  // namespace spex::gpu
