// NVIDIA's management library, loaded at run time: spex-bench builds and runs without a driver.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/result/record.hpp"
#include "bench/result/system_record.hpp"
#include "mpi/run/visible_gpus.hpp"

namespace spex::bench {

/// The GPUs of this node in NVML's order, which is that of their PCI addresses.
class Nvml {
 public:
  /// Does not throw without a driver: there are then no GPUs, and `reason` tells why.
  Nvml();
  ~Nvml();

  /// Why there are no GPUs; empty if NVML works.
  [[nodiscard]] const std::string& reason() const { return reason_; }
  /// The file of the loaded library; empty without one.
  [[nodiscard]] std::string library_file() const;
  [[nodiscard]] std::optional<std::string> driver() const;
  [[nodiscard]] std::vector<mpi::GpuIdentity> identities() const;
  [[nodiscard]] GpuDescription describe(int index) const;
  [[nodiscard]] GpuState state(int index) const;

 private:
  struct Library;
  std::unique_ptr<Library> library_;
  std::string reason_;
};

}  // namespace spex::bench
