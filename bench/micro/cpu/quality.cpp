// pixmask_fraction and chi2pix of a patch on the CPU (extraction.md, section 6).
#include "reference/extract/quality.hpp"

#include <benchmark/benchmark.h>

#include "bench/micro/checks.hpp"
#include "bench/micro/kernel_input.hpp"

namespace spex::bench {
namespace {

void run_quality(benchmark::State& state) {
  const PatchInput patch(one_bundle());
  const PatchSpots spots = patch.spots();
  PatchPixels pixels = patch.pixels();
  const std::vector<double> f(spots.n(), 100.0);
  // Where the model is the image, chi2pix is zero.
  pixels.p = apply(spots, pixels.range, f);
  const std::vector<double> zero(f.size(), 0.0);
  require_close("quality", chi2pix(spots, pixels, f, 0.01), zero, 1e-20);
  const auto nonzeros =
      static_cast<double>(make_sparse_projection(spots, pixels.range).value.size());
  for (auto _ : state) {
    benchmark::DoNotOptimize(pixmask_fraction(spots, pixels));
    benchmark::DoNotOptimize(chi2pix(spots, pixels, f, 0.01));
  }
  state.SetItemsProcessed(state.iterations());
  // Of each element of A: one product and sum for the model, three for sums over pixels.
  state.counters["flops"] =
      benchmark::Counter(8 * nonzeros, benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(run_quality)->Name("quality/patch")->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace spex::bench
