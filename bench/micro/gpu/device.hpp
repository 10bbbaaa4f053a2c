// The GPU that is measured, its clock, and how a benchmark runs on it.
#pragma once

#include <vector>

#include <benchmark/benchmark.h>

#include "gpu/core/context.hpp"
#include "gpu/core/copy.hpp"

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
  /// work on the stream. What the first `work` computed is `check`'s to look at, which throws where
  /// it is wrong. The time is that of `work` alone on the GPU's clock, with the L2 cache emptied
  /// before it.
  template <class Prepare, class Work, class Check>
  void measure(benchmark::State& state, const Prepare& prepare, const Work& work,
               const Check& check) {
    prepare();
    work();
    context_.synchronize();
    check();
    for (auto _ : state) {
      prepare();
      empty_cache();
      clock_.begin(stream());
      work();
      clock_.end(stream());
      state.SetIterationTime(clock_.seconds());
    }
  }
  template <class Work, class Check>
  void measure(benchmark::State& state, const Work& work, const Check& check) {
    measure(
        state, [] {}, work, check);
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

/// `count` copies of a matrix, one behind the other, made in the stream's order.
gpu::DeviceBuffer<double> repeat(const std::vector<double>& matrix, int count, cudaStream_t stream);

}  // namespace spex::bench
