// NVIDIA's management library, loaded at run time: spex-bench builds and runs without a driver.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/machine/visible_gpus.hpp"
#include "bench/plan/members.hpp"
#include "bench/result/record.hpp"

namespace spex::bench {

/// Properties of a GPU. Absent: the driver has no value.
struct GpuDescription {
  int index = 0;
  std::string uuid;
  std::string name;
  std::optional<double> memory_bytes;
  std::optional<bool> ecc;
  std::optional<bool> mig;
  std::optional<bool> persistence;  ///< the driver stays loaded while nothing runs
  std::optional<double> power_limit_w;
  std::optional<double> clock_max_sm_mhz;
  std::optional<double> clock_max_memory_mhz;
  std::optional<double> pcie_generation;
  std::optional<double> pcie_width;
  SPEX_MEMBERS(index, uuid, name, memory_bytes, ecc, mig, persistence, power_limit_w,
               clock_max_sm_mhz, clock_max_memory_mhz, pcie_generation, pcie_width)
};

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
  [[nodiscard]] std::vector<GpuIdentity> identities() const;
  [[nodiscard]] GpuDescription describe(int index) const;
  [[nodiscard]] GpuState state(int index) const;

 private:
  struct Library;
  std::unique_ptr<Library> library_;
  std::string reason_;
};

}  // namespace spex::bench
