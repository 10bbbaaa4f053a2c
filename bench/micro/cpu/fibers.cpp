// A patch spectrum by spectrum on the CPU (extraction.md, section 5.1): the stages of the method
// cholesky, and the whole patch's factor and roots, which take the patches that the guard refuses.
#include <cmath>
#include <functional>
#include <stdexcept>

#include <benchmark/benchmark.h>

#include "bench/micro/checks.hpp"
#include "bench/micro/cpu/kernels.hpp"
#include "reference/extract/fiber_cholesky.hpp"

namespace spex::bench {
namespace {

// Of one way to do a patch; throws where it cannot.
using Way =
    std::function<void(const NormalEquations&, const BlockRange&, Decorrelated&, StageTimes&)>;

void by_fibers(const NormalEquations& equations, const BlockRange& blocks, Decorrelated& result,
               StageTimes& times) {
  if (decorrelate_fibers(by_spectra(equations, blocks.nwave), blocks, result, times) !=
      FiberGuard::none)
    throw std::runtime_error("fibers: the guard refuses the patch");
}

void by_whole_patch(const NormalEquations& equations, const BlockRange& blocks,
                    Decorrelated& result, StageTimes& times) {
  if (!decorrelate_whole_patch(equations, Decorrelate::signal, blocks, result, times))
    throw std::runtime_error("fibers: the whole patch has no factor");
}

BlockRange blocks_of(const PatchInput& input, int ndiag) {
  const Patch& patch = input.patch();
  return {patch.pad_below, patch.nspec, patch.padded_nwave(), ndiag};
}

// Fluxes in units of their errors, and errors as parts of themselves, as the definition has them.
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

// Times one stage of the patch.
void run_stage(benchmark::State& state, const KernelInput& input, const Way& way, Stage stage) {
  const PatchInput patch(input);
  const NormalEquations equations = patch.equations();
  const BlockRange blocks = blocks_of(patch, input.psf.ndiag());
  Decorrelated result;
  StageTimes first;
  way(equations, blocks, result, first);
  require_definition(equations, blocks, result);
  for (auto _ : state) {
    StageTimes times;
    way(equations, blocks, result, times);
    benchmark::DoNotOptimize(result.flux.data());
    state.SetIterationTime(times.get(stage));
  }
  state.SetItemsProcessed(state.iterations());
  state.counters["n"] = equations.n;
}

}  // namespace

void add_fibers(const InputPointer& input) {
  const auto add = [&](const char* name, const Way& way, Stage stage) {
    benchmark::RegisterBenchmark(
        name, [=](benchmark::State& state) { run_stage(state, *input, way, stage); })
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
  };
  add("fibers/solve", by_fibers, Stage::solve);
  add("fibers/decorrelate", by_fibers, Stage::decorrelate);
  add("fibers/whole_patch/solve", by_whole_patch, Stage::solve);
  add("fibers/whole_patch/decorrelate", by_whole_patch, Stage::decorrelate);
}

}  // namespace spex::bench
