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
  const PatchSpots core = patch.core_spots();
  PatchPixels pixels = patch.pixels();
  const std::vector<double> f(spots.n(), 100.0);
  // If the model equals the image, chi2pix is zero.
  pixels.p = apply(spots, pixels.range, f);
  const std::vector<double> zero(core.n(), 0.0);
  require_close("quality", chi2pix(core, spots, pixels, f, 0.01), zero, 1e-20);
  const PixelRange box = box_around(core, pixels.range);
  const auto of_model = static_cast<double>(make_sparse_projection(spots, box).value.size());
  const auto of_core = static_cast<double>(make_sparse_projection(core, box).value.size());
  for (auto _ : state) {
    benchmark::DoNotOptimize(pixmask_fraction(core, pixels));
    benchmark::DoNotOptimize(chi2pix(core, spots, pixels, f, 0.01));
  }
  state.SetItemsProcessed(state.iterations());
  // Per element of A: one product and sum for the model, and three for sums over pixels of core
  // bins.
  state.counters["flops"] =
      benchmark::Counter(2 * of_model + 6 * of_core, benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(run_quality)->Name("quality/patch")->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace spex::bench
