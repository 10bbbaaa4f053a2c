// RAII owners of device memory and pinned host memory.
#pragma once

#include <cstddef>
#include <utility>

#include "gpu/core/check.hpp"

namespace spex::gpu {

/// `count` uninitialized elements of T on the current device.
template <class T>
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  explicit DeviceBuffer(std::size_t count) : count_(count) {
    if (count == 0) return;
    void* data = nullptr;
    SPEX_GPU_CHECK(cudaMalloc(&data, bytes()));
    data_ = static_cast<T*>(data);
  }
  DeviceBuffer(DeviceBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), count_(std::exchange(other.count_, 0)) {}
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
    return *this;
  }
  ~DeviceBuffer() {
    if (data_ != nullptr) log_failure(cudaFree(data_), "cudaFree");
  }

  [[nodiscard]] T* get() const { return data_; }
  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] std::size_t bytes() const { return count_ * sizeof(T); }

 private:
  T* data_ = nullptr;
  std::size_t count_ = 0;
};

/// `count` uninitialized elements of T in page-locked host memory.
template <class T>
class PinnedBuffer {
 public:
  PinnedBuffer() = default;
  explicit PinnedBuffer(std::size_t count) : count_(count) {
    if (count == 0) return;
    void* data = nullptr;
    SPEX_GPU_CHECK(cudaMallocHost(&data, count * sizeof(T)));
    data_ = static_cast<T*>(data);
  }
  PinnedBuffer(PinnedBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), count_(std::exchange(other.count_, 0)) {}
  PinnedBuffer& operator=(PinnedBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
    return *this;
  }
  ~PinnedBuffer() {
    if (data_ != nullptr) log_failure(cudaFreeHost(data_), "cudaFreeHost");
  }

  [[nodiscard]] T* get() const { return data_; }
  [[nodiscard]] std::size_t count() const { return count_; }

 private:
  T* data_ = nullptr;
  std::size_t count_ = 0;
};

/// Ensures a capacity of `count` elements; if the buffer must grow, it grows to `room` >= `count`
/// elements and loses its content. Returns whether it grew. Freeing memory waits for the whole GPU,
/// so that a buffer of varying use should have a capacity for most frames.
template <class Buffer>
bool reserve(Buffer& buffer, std::size_t count, std::size_t room) {
  if (buffer.count() >= count) return false;
  buffer = Buffer();
  buffer = Buffer(room);
  return true;
}
/// The same with an eighth more, so that a buffer that one arm's frame fills holds those of others.
template <class Buffer>
bool reserve(Buffer& buffer, std::size_t count) {
  return reserve(buffer, count, count + count / 8);
}

/// Fills a buffer with bytes 0xFF on the stream (NaN as double, -1 as int), so that unwritten
/// elements are noticed.
template <class T>
void fill_with_nan(const DeviceBuffer<T>& buffer, cudaStream_t stream) {
  SPEX_GPU_CHECK(cudaMemsetAsync(buffer.get(), 0xFF, buffer.bytes(), stream));
}

}  // namespace spex::gpu
