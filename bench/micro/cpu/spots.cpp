// Spots of a bundle on the CPU (extraction.md, section 2).
#include "reference/psf/spots.hpp"

#include <benchmark/benchmark.h>

#include "bench/micro/cpu/kernels.hpp"

namespace spex::bench {

void add_spots(const InputPointer& input) {
  benchmark::RegisterBenchmark("spots/bundle", [input](benchmark::State& state) {
    const std::vector<double> wave = input->grid.range(0, input->grid.nwave);
    std::int64_t nspots = 0;
    for (auto _ : state) {
      const Spots spots = evaluate_spots(input->psf, 0, input->psf.nfiber, wave);
      nspots = static_cast<std::int64_t>(spots.xc.size());
      benchmark::DoNotOptimize(spots.value.data());
    }
    state.SetItemsProcessed(state.iterations() * nspots);
    state.SetBytesProcessed(state.iterations() * nspots * input->psf.nx() * input->psf.ny() *
                            static_cast<std::int64_t>(sizeof(double)));
  })->Unit(benchmark::kMillisecond);
}

}  // namespace spex::bench
