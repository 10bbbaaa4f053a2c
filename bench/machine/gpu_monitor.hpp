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
  /// Most in use beyond the least until then: what another process gives back late, while this run
  /// begins, hides nothing of what the run takes.
  std::optional<double> memory_bytes;
  /// Of the first look at which a context's memory was in use, or more; seconds since 1970.
  std::optional<double> first_use_unix;
  double busy_sum = 0;  ///< of the looks at which the driver told
  int busy_looks = 0;

  /// Of the time watched.
  [[nodiscard]] std::optional<double> joules() const;
  /// The part of the time in which a kernel ran, the mean of the looks.
  [[nodiscard]] std::optional<double> busy() const;

  void see_memory(const GpuState& state);
};

/// Adds more looks at a GPU to those of `kept`.
void add_looks(const GpuExtremes& looks, GpuExtremes& kept);

/// Looks at the GPUs `indices` from its construction to `stop`, a few times a second: often enough
/// for throttling and memory, seldom enough not to disturb.
class GpuMonitor {
 public:
  GpuMonitor(const Nvml& nvml, std::vector<int> indices);

  /// Ends the watching; in the order of the indices.
  [[nodiscard]] std::vector<GpuObservation> stop();

 private:
  void look();

  const Nvml& nvml_;
  std::vector<int> indices_;
  std::vector<GpuObservation> seen_;
  std::optional<Repeated> looks_;
};

}  // namespace spex::bench
