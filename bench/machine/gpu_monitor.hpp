// Samples the GPUs of this node during a run.
#pragma once

#include <optional>
#include <vector>

#include "bench/machine/nvml.hpp"
#include "bench/machine/repeated.hpp"

namespace spex::bench {

struct GpuObservation {
  GpuState before, after;
  GpuExtremes extremes;
  std::optional<double> min_memory_bytes;  ///< smallest memory in use so far
  /// Largest increase over the smallest memory in use so far, so that memory that another process
  /// frees while this run starts does not count.
  std::optional<double> memory_bytes;
  /// Time of the first sample with at least the memory of a CUDA context in use; seconds since
  /// 1970.
  std::optional<double> first_use_unix;
  double busy_sum = 0;  ///< over samples with a value of the driver
  int busy_samples = 0;
};

/// Extends `kept` by the extremes of more states of the same GPU.
void add_extremes(const GpuExtremes& more, GpuExtremes& kept);

/// Samples the GPUs `indices` from construction to `stop`, five times a second: often enough to see
/// throttling and memory, and seldom enough not to disturb.
class GpuMonitor {
 public:
  GpuMonitor(const Nvml& nvml, std::vector<int> indices);

  /// Ends sampling; the result is in the order of the indices.
  [[nodiscard]] std::vector<GpuObservation> stop();

 private:
  void sample();

  const Nvml& nvml_;
  std::vector<int> indices_;
  std::vector<GpuObservation> observed_;
  std::optional<Repeated> sampler_;
};

}  // namespace spex::bench
