// Spots of a bundle on the CPU (extraction.md, section 2).
#include "reference/psf/spots.hpp"

#include <benchmark/benchmark.h>

#include "bench/micro/checks.hpp"
#include "bench/micro/kernel_input.hpp"

namespace spex::bench {
namespace {

// A spot sums to one electron; the tests of reference/psf compare its values with oracles.
void require_unit_sums(const Spots& spots) {
  const std::size_t size = spots.nx * spots.ny;
  std::vector<double> sums(spots.xc.size(), 0.0);
  for (std::size_t i = 0; i < spots.value.size(); ++i) sums[i / size] += spots.value[i];
  require_close("spots", sums, std::vector<double>(sums.size(), 1.0), 1e-12);
}

// Flops of one spot (reference/psf/spot.hpp, reference/core/simd/lane_functions.hpp): additions,
// multiplications and divisions, one each.
double flops_of_spot(const Psf& psf) {
  constexpr double exp_flops = 33, gaussian_flops = 55 + exp_flops;
  const double nx = psf.nx(), ny = psf.ny(), gx = psf.ghdegx + 1, gy = psf.ghdegy + 1;
  const double parameters = psf.ncoeff * (5.0 + 2.0 * psf.nparam());
  const auto edges = [](double n, int degree) {
    return (n + 1) * (4 + gaussian_flops + 4 * degree);
  };
  const double integrals = gx * nx + gy * ny;
  const double values = 2 * (gx * gy * nx + gy * nx * ny) + 2 * nx * ny;
  return parameters + edges(nx, psf.ghdegx) + edges(ny, psf.ghdegy) + integrals + values;
}

void run_spots(benchmark::State& state) {
  const KernelInput& input = one_bundle();
  const int nfiber = *input.options.nspec;
  const std::vector<double> wave = input.grid.range(0, input.grid.nwave);
  require_unit_sums(evaluate_spots(input.psf, 0, nfiber, wave));
  std::int64_t nspots = 0;
  for (auto _ : state) {
    const Spots spots = evaluate_spots(input.psf, 0, nfiber, wave);
    nspots = static_cast<std::int64_t>(spots.xc.size());
    benchmark::DoNotOptimize(spots.value.data());
  }
  state.SetItemsProcessed(state.iterations() * nspots);
  state.SetBytesProcessed(state.iterations() * nspots * input.psf.nx() * input.psf.ny() *
                          static_cast<std::int64_t>(sizeof(double)));
  state.counters["flops"] =
      benchmark::Counter(static_cast<double>(nspots) * flops_of_spot(input.psf),
                         benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(run_spots)->Name("spots/bundle")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace spex::bench
