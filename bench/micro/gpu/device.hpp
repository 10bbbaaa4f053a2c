// The GPU that is measured, its clock, and how a benchmark runs on it.
#pragma once

#include <vector>

#include <benchmark/benchmark.h>

#include "gpu/core/buffer.hpp"
#include "gpu/core/context.hpp"

namespace spex::bench {

/// Seconds of GPU work between two marks on a stream.
class StreamClock {
 public:
  StreamClock();
  void begin(cudaStream_t stream) { SPEX_GPU_CHECK(cudaEventRecord(begin_.get(), stream)); }
  void end(cudaStream_t stream) { SPEX_GPU_CHECK(cudaEventRecord(end_.get(), stream)); }
  /// Waits for the end.
  [[nodiscard]] double seconds() const;

 private:
  using Owner = gpu::detail::Owner<cudaEvent_t, gpu::detail::DeleteEvent>;
  Owner begin_, end_;
};

/// A stream with its libraries on GPU 0, and what measuring there takes.
class Device {
 public:
  Device();

  [[nodiscard]] const gpu::Context& context() const { return context_; }
  [[nodiscard]] cudaStream_t stream() const { return context_.stream(); }

  /// Runs `prepare` and `work` for each iteration, once more before them to warm up; each puts
  /// work on the stream. The time is that of `work` alone on the GPU's clock, with the L2 cache
  /// emptied before it.
  template <class Prepare, class Work>
  void measure(benchmark::State& state, const Prepare& prepare, const Work& work) {
    prepare();
    work();
    context_.synchronize();
    for (auto _ : state) {
      prepare();
      empty_cache();
      clock_.begin(stream());
      work();
      clock_.end(stream());
      state.SetIterationTime(clock_.seconds());
    }
  }
  template <class Work>
  void measure(benchmark::State& state, const Work& work) {
    measure(
        state, [] {}, work);
  }

 private:
  /// Fills memory of twice the cache's size.
  void empty_cache();

  gpu::Context context_;
  StreamClock clock_;
  gpu::DeviceBuffer<char> filler_;
};

/// How a benchmark on the GPU is timed.
inline void set_timing(benchmark::internal::Benchmark* benchmark) {
  benchmark->UseManualTime()->Unit(benchmark::kMillisecond);
}

/// Copies values to a new buffer, and waits.
template <class T>
gpu::DeviceBuffer<T> to_device(const std::vector<T>& values) {
  gpu::DeviceBuffer<T> buffer(values.size());
  SPEX_GPU_CHECK(cudaMemcpy(buffer.get(), values.data(), buffer.bytes(), cudaMemcpyHostToDevice));
  return buffer;
}
/// Copies a buffer to the host, and waits.
template <class T>
std::vector<T> to_host(const gpu::DeviceBuffer<T>& buffer) {
  std::vector<T> values(buffer.count());
  SPEX_GPU_CHECK(cudaMemcpy(values.data(), buffer.get(), buffer.bytes(), cudaMemcpyDeviceToHost));
  return values;
}
/// `count` copies of a matrix, one behind the other.
gpu::DeviceBuffer<double> repeat(const std::vector<double>& matrix, int count);

/// Throws `what: ...` where one of the numbers that the GPU left as statuses is not 0.
void require_zeros(const gpu::DeviceBuffer<int>& status, const char* what);

}  // namespace spex::bench
