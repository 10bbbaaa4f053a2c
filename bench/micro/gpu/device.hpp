// The GPU under test, and how a benchmark runs on it.
#pragma once

#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "gpu/core/context.hpp"
#include "gpu/core/copy.hpp"
#include "gpu/extract/batch/stage_events.hpp"

namespace spex::bench {

/// A stream with its libraries on GPU 0, and the timing on it.
class Device {
 public:
  Device();

  [[nodiscard]] const gpu::Context& context() const { return context_; }
  [[nodiscard]] cudaStream_t stream() const { return context_.stream(); }

  /// Runs `prepare` and `work`, which put work on the stream, once as a warm-up and then for each
  /// iteration. After the warm-up calls `check`, which throws if the result is wrong. The time is
  /// that of `work` on the GPU's clock, after the L2 cache was emptied.
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
      StageTimes times;
      events_.time(Stage::solve, work);  // any stage can time
      events_.collect(times);
      state.SetIterationTime(times.get(Stage::solve));
    }
  }
  template <class Work, class Check>
  void measure(benchmark::State& state, const Work& work, const Check& check) {
    measure(
        state, [] {}, work, check);
  }

 private:
  /// Overwrites memory of twice the size of the L2 cache.
  void empty_cache();

  gpu::Context context_;
  gpu::StageEvents events_{context_.stream()};
  gpu::DeviceBuffer<char> filler_;
};

/// Registers run(state), timed by Device::measure.
template <class Run>
void add_benchmark(const std::string& name, const Run& run) {
  benchmark::RegisterBenchmark(name.c_str(), run)->UseManualTime()->Unit(benchmark::kMillisecond);
}

/// `count` consecutive copies of a matrix, made in the stream's order.
gpu::DeviceBuffer<double> repeat(const std::vector<double>& matrix, int count, cudaStream_t stream);

}  // namespace spex::bench
