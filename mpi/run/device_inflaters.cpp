#include "mpi/run/device_inflaters.hpp"

#include <exception>
#include <utility>

#include <spdlog/spdlog.h>

#include "reference/core/error.hpp"
#include "reference/core/thread_name.hpp"

namespace spex::mpi {

void DeviceInflaters::start(int device, Make make) {
  const std::scoped_lock lock(mutex_);
  if (!started_.insert(device).second) return;
  makers_.emplace_back([this, device, make = std::move(make)] { make_one(device, make); });
}

void DeviceInflaters::make_one(int device, const Make& make) {
  name_thread("spex inflater");
  std::unique_ptr<Ready> one;
  try {
    one = std::make_unique<Ready>(Ready{device, make()});
  } catch (const std::exception& error) {
    spdlog::warn("GPU {} inflates no images, the CPUs do: {}", device, words_of(error));
  }
  const std::scoped_lock lock(mutex_);
  if (one != nullptr) ready_.push_back(std::move(one));
  ++made_;
  made_one_.notify_all();
}

void DeviceInflaters::start_none() {
  const std::scoped_lock lock(mutex_);
  waits_ = false;
  made_one_.notify_all();
}

bool DeviceInflaters::takes(std::size_t size) {
  const std::scoped_lock lock(mutex_);
  if (!ready_.empty()) {
    const Ready* const one = next();
    return one != nullptr && one->inflater->takes(size);
  }
  if (!is_starting()) return false;
  if (left_to_readers_ == 0) return true;
  --left_to_readers_;
  return false;
}

// Whether a first device may still come. The caller has locked.
bool DeviceInflaters::is_starting() const {
  return ready_.empty() && waits_ && (started_.empty() || made_ < started_.size());
}

// The device whose turn it is, after the first device has started; null if there is none.
DeviceInflaters::Ready* DeviceInflaters::await_next() {
  std::unique_lock lock(mutex_);
  if (!made_one_.wait_for(lock, patience_, [&] { return !is_starting(); })) waits_ = false;
  Ready* const one = next();
  ++turn_;
  return one;
}

// The device whose turn it is; null if there is none. The caller has locked.
DeviceInflaters::Ready* DeviceInflaters::next() {
  for (std::size_t k = 0; k < ready_.size(); ++k) {
    Ready& one = *ready_[(turn_ + k) % ready_.size()];
    if (!one.lost) return &one;
  }
  return nullptr;
}

void DeviceInflaters::lose(Ready& one, const std::exception& error) {
  const std::scoped_lock lock(mutex_);
  if (!std::exchange(one.lost, true))
    spdlog::error("GPU {} inflates no more images, the CPUs do: {}", one.device, words_of(error));
}

std::optional<std::size_t> DeviceInflaters::inflate(std::span<char> memory, std::size_t size) {
  Ready* const one = await_next();
  if (one == nullptr) return std::nullopt;
  try {
    const std::optional<std::size_t> content = one->inflater->inflate(memory, size);
    if (content)
      spdlog::debug("GPU {} inflated an image of {} bytes", one->device, *content);
    else
      spdlog::debug("GPU {} left an image to the CPUs", one->device);
    return content;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::device) throw;
    lose(*one, error);
    return std::nullopt;
  }
}

}  // namespace spex::mpi
