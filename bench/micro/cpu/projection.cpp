// The projection matrix A of a patch on the CPU (extraction.md, section 4): sparse by rows
// (baseline), panels of a spectrum each (cpu-refactor), and whole with its zeros.
#include "reference/extract/projection.hpp"

#include <algorithm>

#include <benchmark/benchmark.h>

#include "bench/micro/cpu/dense_projection.hpp"
#include "bench/micro/cpu/kernels.hpp"

namespace spex::bench {
namespace {

// Rows of a band of panels, as assemble_dense has them.
constexpr int band_rows = 16;

void make_sparse(const PatchInput& patch) {
  const SparseProjection A = make_sparse_projection(patch.spots(), patch.pixels().range);
  benchmark::DoNotOptimize(A.value.data());
}

void make_panels(const PatchInput& patch) {
  const PixelRange& range = patch.pixels().range;
  for (int y0 = range.y0; y0 < range.y1; y0 += band_rows) {
    PixelRange band = range;
    band.y0 = y0;
    band.y1 = std::min(y0 + band_rows, range.y1);
    for (int s = 0; s < patch.spots().nspec; ++s) {
      const DensePanel panel = make_dense_panel(patch.spots(), s, band);
      benchmark::DoNotOptimize(panel.A.data());
    }
  }
}

void make_dense(const PatchInput& patch) {
  const DenseProjection A = make_dense_projection(patch.spots(), patch.pixels().range);
  benchmark::DoNotOptimize(A.A.data());
}

}  // namespace

void add_projection(const InputPointer& input) {
  const auto add = [&](const char* name, void (*make)(const PatchInput&)) {
    benchmark::RegisterBenchmark(name, [input, make](benchmark::State& state) {
      const PatchInput patch(*input);
      for (auto _ : state) make(patch);
      state.SetItemsProcessed(state.iterations());
      state.counters["n"] = patch.spots().n();
      state.counters["pixels"] = static_cast<double>(patch.pixels().p.size());
    })->Unit(benchmark::kMicrosecond);
  };
  add("projection/sparse", make_sparse);
  add("projection/panels", make_panels);
  add("projection/dense", make_dense);
}

}  // namespace spex::bench
