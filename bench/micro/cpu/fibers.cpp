// The stages of the method cholesky on a patch, spectrum by spectrum on the CPU (extraction.md,
// section 5.1).
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <benchmark/benchmark.h>

#include "bench/micro/checks.hpp"
#include "bench/micro/kernel_input.hpp"
#include "bench/roofline/patch_counts.hpp"
#include "reference/extract/fiber_cholesky.hpp"
#include "reference/extract/patch.hpp"

namespace spex::bench {
namespace {

void decorrelate(const NormalEquations& equations, const BlockRange& blocks, Decorrelated& result,
                 StageTimes& times) {
  if (decorrelate_fibers(by_spectra(equations, blocks.nwave), blocks, result, times) !=
      FiberGuard::none)
    throw std::runtime_error("fibers: the guard refuses the patch");
}

// Compares fluxes in units of their errors, and errors relatively, with the definition.
void require_definition(const NormalEquations& equations, const BlockRange& blocks,
                        const Decorrelated& found) {
  Decorrelated expected;
  StageTimes times;
  if (!decorrelate_eigh(equations, Decorrelate::signal, blocks, expected, times))
    throw std::runtime_error("fibers: no convergence");
  std::vector<double> pull, part;
  for (std::size_t i = 0; i < expected.flux.size(); ++i) {
    pull.push_back((found.flux.at(i) - expected.flux[i]) * std::sqrt(expected.ivar[i]));
    part.push_back(found.ivar.at(i) / expected.ivar[i] - 1);
  }
  const std::vector<double> zero(pull.size(), 0.0);
  require_close("fibers: flux", pull, zero, 1e-6);
  require_close("fibers: ivar", part, zero, 1e-6);
}

// Flops of the stages of the method cholesky for a patch whose spectra all have neighbors. Known
// zeros and lanes without a spectrum do not count.
double flops_of_solve(const BlockBands& N, const BlockRange& blocks) {
  constexpr double sweeps = 6;
  const double m = N.m(), r = N.reach(), nspec = N.nspec();
  const BandFlops band{m, r};
  const double of_sweep = nspec * (band.solution() + 2 * 2 * m * (2 * r + 1));
  // V of two neighbors of each core spectrum, V^T V, and D f.
  const double complement = 2 * (r * m * m + m * m * m / 3) + 2 * m * m;
  return nspec * (band.factor() + band.inverse()) + sweeps * of_sweep + blocks.nspec * complement;
}
double flops_of_decorrelate(const BlockBands& N, const BlockRange& blocks) {
  constexpr double poles = 16, poles_of_E = 8, right_hand_sides = 2;
  const double m = N.m(), r = std::max(N.reach(), blocks.ndiag);
  const BandFlops band{m, r};
  const double of_pole = band.factor() + band.inverse() + right_hand_sides * band.solution();
  const double of_pole_of_E = band.factor() + right_hand_sides * (2 * band.solution() + 2 * m * m);
  return blocks.nspec *
         (band.factor() + band.inverse() + poles * of_pole + poles_of_E * of_pole_of_E + 2 * m * m);
}

// Times one stage of the patch; `flops` computes its flops.
void run_stage(benchmark::State& state, Stage stage,
               double (*flops)(const BlockBands&, const BlockRange&)) {
  const PatchInput patch(one_bundle());
  const NormalEquations equations = patch.equations();
  const BlockRange blocks = core_blocks(patch.patch(), one_bundle().psf.hsizey);
  Decorrelated result;
  StageTimes first;
  decorrelate(equations, blocks, result, first);
  require_definition(equations, blocks, result);
  for (auto _ : state) {
    StageTimes times;
    decorrelate(equations, blocks, result, times);
    benchmark::DoNotOptimize(result.flux.data());
    state.SetIterationTime(times.get(stage));
  }
  state.SetItemsProcessed(state.iterations());
  state.counters["n"] = equations.n;
  state.counters["flops"] = benchmark::Counter(flops(by_spectra(equations, blocks.nwave).N, blocks),
                                               benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK_CAPTURE(run_stage, solve, Stage::solve, flops_of_solve)
    ->Name("fibers/solve")
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(run_stage, decorrelate, Stage::decorrelate, flops_of_decorrelate)
    ->Name("fibers/decorrelate")
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace spex::bench
