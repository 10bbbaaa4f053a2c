// Spots of a bundle on the CPU (extraction.md, section 2).
#include "reference/psf/spots.hpp"

#include <benchmark/benchmark.h>

#include "bench/micro/cpu/kernels.hpp"

namespace spex::bench {

void add_spots(const SamplePointer& sample) {
  benchmark::RegisterBenchmark("spots/bundle", [sample](benchmark::State& state) {
    const std::vector<double> wave = sample->grid.range(0, sample->grid.nwave);
    std::int64_t nspots = 0;
    for (auto _ : state) {
      const Spots spots = evaluate_spots(sample->psf, 0, sample->psf.nfiber, wave);
      nspots = static_cast<std::int64_t>(spots.xc.size());
      benchmark::DoNotOptimize(spots.value.data());
    }
    state.SetItemsProcessed(state.iterations() * nspots);
    state.SetBytesProcessed(state.iterations() * nspots * sample->psf.nx() * sample->psf.ny() *
                            static_cast<std::int64_t>(sizeof(double)));
  })->Unit(benchmark::kMillisecond);
}

}  // namespace spex::bench
