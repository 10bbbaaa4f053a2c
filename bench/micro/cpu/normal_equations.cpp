// N, y and q of a patch on the CPU (extraction.md, section 4): as bands (cholesky), sparse
// (baseline) and as panels (cpu-refactor).
#include "reference/extract/normal_equations.hpp"

#include <cmath>
#include <functional>
#include <stdexcept>

#include <benchmark/benchmark.h>

#include "bench/micro/checks.hpp"
#include "bench/micro/kernel_input.hpp"

namespace spex::bench {
namespace {

using Assemble = std::function<NormalEquations(const PatchSpots&, const PatchPixels&)>;

// All methods must give the same lower triangle, y and q.
void check(const PatchInput& patch, const Assemble& assemble) {
  const NormalEquations expected = assemble_sparse(patch.spots(), patch.pixels());
  const NormalEquations found = assemble(patch.spots(), patch.pixels());
  const int n = expected.n;
  for (int column = 0; column < n; ++column)
    for (int row = column; row < n; ++row) {
      const std::size_t k = column * n + row;
      const std::size_t diagonal = column * n + column;
      if (!(std::abs(found.N[k] - expected.N[k]) <= 1e-12 * expected.N[diagonal]))
        throw std::runtime_error("normal_equations: the methods do not agree");
    }
  require_close("normal_equations: y", found.y, expected.y, 1e-10);
  require_close("normal_equations: q", found.q, expected.q, 1e-12);
}

// Products and sums for N: one for every pixel that two spots share.
double products_of(const PatchInput& patch) {
  const SparseProjection A = make_sparse_projection(patch.spots(), patch.pixels().range);
  double products = 0;
  for (std::size_t i = 0; i + 1 < A.first.size(); ++i) {
    const double covering = A.first[i + 1] - A.first[i];
    products += covering * (covering + 1) / 2;
  }
  return products;
}

NormalEquations assemble_whole_bands(const PatchSpots& spots, const PatchPixels& pixels) {
  return whole(assemble_bands(spots, pixels));
}

// Times `way`; `checked` is the same computation with a dense N.
template <class Way>
void run_assembly(benchmark::State& state, const Way& way, const Assemble& checked) {
  const PatchInput patch(one_bundle());
  check(patch, checked);
  for (auto _ : state) benchmark::DoNotOptimize(way(patch.spots(), patch.pixels()));
  state.SetItemsProcessed(state.iterations());
  state.counters["n"] = patch.spots().n();
  state.counters["flops"] =
      benchmark::Counter(2 * products_of(patch), benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK_CAPTURE(run_assembly, bands, assemble_bands, assemble_whole_bands)
    ->Name("normal_equations/bands")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run_assembly, sparse, assemble_sparse, assemble_sparse)
    ->Name("normal_equations/sparse")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run_assembly, panels, assemble_dense, assemble_dense)
    ->Name("normal_equations/panels")
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace spex::bench
