// One inflater of gzip files over the devices of a process.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <thread>
#include <vector>

#include "reference/fits/read/whole_inflater.hpp"

namespace spex::mpi {

/// Files that readers inflate by themselves while the devices start, with all CPUs.
inline constexpr int files_of_start = 2;

/// Deals files to the inflaters of several devices in turn. While the devices start, the readers
/// inflate the first files by themselves; later files are read, and wait for a device in inflate().
/// The readers also inflate what a device refuses. A device that fails is logged and gets no more
/// files: its extractors say what it means for the run. Thread-safe.
class DeviceInflaters final : public WholeInflater {
 public:
  /// Makes the inflater of a device.
  using Make = std::function<std::unique_ptr<WholeInflater>()>;

  /// `patience`: how long files wait for the first device; after that, none waits.
  explicit DeviceInflaters(std::chrono::milliseconds patience = std::chrono::seconds(5))
      : patience_(patience) {}
  DeviceInflaters(const DeviceInflaters&) = delete;
  DeviceInflaters& operator=(const DeviceInflaters&) = delete;
  /// Waits for inflaters that are being made.
  ~DeviceInflaters() override = default;

  /// Makes the inflater of `device` on another thread. Later calls for the same device do nothing.
  void start(int device, Make make);
  /// No device inflates files: none waits.
  void start_none();
  /// As WholeInflater says, also inflate(), which throws what an inflater throws other than
  /// Error(device).
  [[nodiscard]] bool takes(std::size_t size) override;
  [[nodiscard]] std::optional<std::size_t> inflate(std::span<char> memory,
                                                   std::size_t size) override;

 private:
  struct Ready {
    int device = 0;
    std::unique_ptr<WholeInflater> inflater;
    bool lost = false;
  };

  void make_one(int device, const Make& make);
  [[nodiscard]] bool is_starting() const;
  Ready* await_next();
  Ready* next();
  void lose(Ready& one, const std::exception& error);

  const std::chrono::milliseconds patience_;
  std::mutex mutex_;
  std::condition_variable made_one_;
  int left_to_readers_ = files_of_start;
  bool waits_ = true;     // for the first device
  std::size_t made_ = 0;  // devices whose inflater was made, or could not be made
  std::vector<std::unique_ptr<Ready>> ready_;
  std::size_t turn_ = 0;
  std::set<int> started_;
  std::vector<std::jthread> makers_;  // last, so that they end before what they use
};

}  // namespace spex::mpi
