// The GPUs of this node while something runs on them.
#pragma once

#include <optional>
#include <vector>

#include "bench/machine/nvml.hpp"
#include "bench/machine/repeated.hpp"

namespace spex::bench {

struct GpuObservation {
  GpuState before, after;
  GpuExtremes most;
  std::optional<double> memory_least_bytes;  ///< in use
  /// Largest increase over the least memory in use until then, so that memory that another process
  /// frees while this run starts does not count.
  std::optional<double> memory_bytes;
  /// Time of the first sample with at least the memory of a context in use; seconds since 1970.
  std::optional<double> first_use_unix;
  double busy_sum = 0;  ///< over samples for which the driver has a value
  int busy_samples = 0;
};

/// Extends `kept` by the extremes of more states of the same GPU.
void add_extremes(const GpuExtremes& more, GpuExtremes& kept);

/// Samples the GPUs `indices` a few times a second from its construction to `stop`: often enough to
/// see throttling and memory, seldom enough not to disturb.
class GpuMonitor {
 public:
  GpuMonitor(const Nvml& nvml, std::vector<int> indices);

  /// Ends sampling; the result is in the order of the indices.
  [[nodiscard]] std::vector<GpuObservation> stop();

 private:
  void look();

  const Nvml& nvml_;
  std::vector<int> indices_;
  std::vector<GpuObservation> seen_;
  std::optional<Repeated> looks_;
};

}  // namespace spex::bench
