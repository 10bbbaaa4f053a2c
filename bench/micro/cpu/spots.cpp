// Spots of a bundle on the CPU (extraction.md, section 2).
#include "reference/psf/spots.hpp"

#include <benchmark/benchmark.h>

#include "bench/micro/checks.hpp"
#include "bench/micro/cpu/kernels.hpp"

namespace spex::bench {
namespace {

// A spot is of one electron; its values are held to oracles by the tests of reference/psf.
void require_unit_sums(const Spots& spots) {
  const std::size_t size = spots.nx * spots.ny;
  std::vector<double> sums(spots.xc.size(), 0.0);
  for (std::size_t i = 0; i < spots.value.size(); ++i) sums[i / size] += spots.value[i];
  require_close("spots", sums, std::vector<double>(sums.size(), 1.0), 1e-12);
}

}  // namespace

void add_spots(const InputPointer& input) {
  benchmark::RegisterBenchmark("spots/bundle", [input](benchmark::State& state) {
    const std::vector<double> wave = input->grid.range(0, input->grid.nwave);
    require_unit_sums(evaluate_spots(input->psf, 0, input->psf.nfiber, wave));
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
