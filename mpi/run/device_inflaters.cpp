#include "mpi/run/device_inflaters.hpp"

#include <exception>
#include <optional>
#include <span>
#include <utility>

#include <spdlog/spdlog.h>

#include "reference/core/error.hpp"
#include "reference/core/thread_name.hpp"

namespace spex::mpi {

// A file of one device.
class DeviceInflaters::File final : public InflatedFile {
 public:
  File(DeviceInflaters& all, Ready& one, std::unique_ptr<InflatedFile> file)
      : all_(&all), one_(&one), file_(std::move(file)) {}

  [[nodiscard]] std::span<char> compressed() override { return file_->compressed(); }
  [[nodiscard]] std::optional<std::span<const char>> inflate() override {
    try {
      const std::optional<std::span<const char>> content = file_->inflate();
      if (content)
        spdlog::debug("GPU {} inflated an image of {} bytes", one_->device, content->size());
      else
        spdlog::debug("GPU {} left an image to the CPUs", one_->device);
      return content;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::device) throw;
      all_->lose(*one_, error);
      return std::nullopt;
    }
  }

 private:
  DeviceInflaters* all_;
  Ready* one_;
  std::unique_ptr<InflatedFile> file_;
};

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

// Waits for the first device, unless the readers are to inflate the file meanwhile.
void DeviceInflaters::await_first(std::unique_lock<std::mutex>& lock) {
  if (!ready_.empty() || !waits_) return;
  if (left_to_readers_ > 0) {
    --left_to_readers_;
    return;
  }
  const auto decided = [&] {
    return !ready_.empty() || !waits_ || (!started_.empty() && made_ == started_.size());
  };
  if (!made_one_.wait_for(lock, patience_, decided)) waits_ = false;
}

// The device whose turn it is; null if there is none.
DeviceInflaters::Ready* DeviceInflaters::next() {
  std::unique_lock lock(mutex_);
  await_first(lock);
  for (std::size_t k = 0; k < ready_.size(); ++k) {
    Ready& one = *ready_[turn_++ % ready_.size()];
    if (!one.lost) return &one;
  }
  return nullptr;
}

void DeviceInflaters::lose(Ready& one, const std::exception& error) {
  const std::scoped_lock lock(mutex_);
  if (!std::exchange(one.lost, true))
    spdlog::error("GPU {} inflates no more images, the CPUs do: {}", one.device, words_of(error));
}

std::unique_ptr<InflatedFile> DeviceInflaters::begin(std::size_t size) {
  Ready* const one = next();
  if (one == nullptr) return nullptr;
  try {
    std::unique_ptr<InflatedFile> file = one->inflater->begin(size);
    if (file == nullptr) return nullptr;
    return std::make_unique<File>(*this, *one, std::move(file));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::device) throw;
    lose(*one, error);
    return nullptr;
  }
}

}  // namespace spex::mpi
