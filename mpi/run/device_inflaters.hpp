// One inflater of gzip files over the devices of a process.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "reference/fits/read/whole_inflater.hpp"

namespace spex::mpi {

/// Deals files to the inflaters of several devices in turn. While no inflater is ready, and for
/// files of a device that fails, the readers inflate by themselves. A device that fails is logged
/// and gets no more files: its extractors say what it means for the run. Thread-safe.
class DeviceInflaters final : public WholeInflater {
 public:
  /// Makes the inflater of a device.
  using Make = std::function<std::unique_ptr<WholeInflater>()>;

  DeviceInflaters() = default;
  DeviceInflaters(const DeviceInflaters&) = delete;
  DeviceInflaters& operator=(const DeviceInflaters&) = delete;
  /// Waits for inflaters that are being made. All files must be destroyed.
  ~DeviceInflaters() override = default;

  /// Makes the inflater of `device` on another thread. Later calls for the same device do nothing.
  void start(int device, Make make);
  /// As WholeInflater says. Throws what an inflater throws other than Error(device).
  [[nodiscard]] std::unique_ptr<InflatedFile> begin(std::size_t size) override;

 private:
  class File;
  struct Ready {
    int device = 0;
    std::unique_ptr<WholeInflater> inflater;
    bool lost = false;
  };

  void make_one(int device, const Make& make);
  Ready* next();
  void lose(Ready& one, const std::exception& error);

  std::mutex mutex_;
  std::vector<std::unique_ptr<Ready>> ready_;
  std::size_t turn_ = 0;
  std::set<int> started_;
  std::vector<std::jthread> makers_;  // last, so that they end before what they use
};

}  // namespace spex::mpi
