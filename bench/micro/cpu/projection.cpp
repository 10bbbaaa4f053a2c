// The projection matrix A of a patch on the CPU (extraction.md, section 4): sparse by rows
// (baseline), panels of a spectrum each (cpu-refactor), and whole with its zeros.
#include "reference/extract/projection.hpp"

#include <benchmark/benchmark.h>

#include "bench/micro/checks.hpp"
#include "bench/micro/cpu/kernels.hpp"
#include "bench/micro/dense_projection.hpp"
#include "reference/extract/normal_equations.hpp"

namespace spex::bench {
namespace {

// Each way makes A, and gives A^T v where it is asked for.

std::vector<double> project_sparse(const PatchInput& patch, const std::vector<double>* v) {
  const SparseProjection A = make_sparse_projection(patch.spots(), patch.pixels().range);
  benchmark::DoNotOptimize(A.value.data());
  std::vector<double> sums(v != nullptr ? static_cast<std::size_t>(patch.spots().n()) : 0);
  for (std::size_t i = 0; v != nullptr && i < v->size(); ++i)
    for (auto e = static_cast<std::size_t>(A.first[i]);
         e < static_cast<std::size_t>(A.first[i + 1]); ++e)
      sums[A.bin[e]] += A.value[e] * (*v)[i];
  return sums;
}

// Of one panel: row (x - x0) ny + y of it is pixel (x, y) of the band.
void add_panel(const DensePanel& panel, const PixelRange& band, const PixelRange& range,
               const std::vector<double>& v, double* sums) {
  const double* a = panel.A.data();
  for (int w = panel.w0; w < panel.w1; ++w)
    for (int x = panel.x0; x < panel.x1; ++x)
      for (int y = band.y0; y < band.y1; ++y)
        sums[w] += *a++ * v[(y - range.y0) * range.nx() + x - range.x0];
}

std::vector<double> project_panels(const PatchInput& patch, const std::vector<double>* v) {
  const PixelRange& range = patch.pixels().range;
  std::vector<double> sums(v != nullptr ? static_cast<std::size_t>(patch.spots().n()) : 0);
  for (const PixelRange& band : row_bands(range))
    for (int s = 0; s < patch.spots().nspec; ++s) {
      const DensePanel panel = make_dense_panel(patch.spots(), s, band);
      benchmark::DoNotOptimize(panel.A.data());
      if (v != nullptr) add_panel(panel, band, range, *v, sums.data() + s * patch.spots().nwave);
    }
  return sums;
}

std::vector<double> project_dense(const PatchInput& patch, const std::vector<double>* v) {
  const DenseProjection A = make_dense_projection(patch.spots(), patch.pixels().range);
  benchmark::DoNotOptimize(A.A.data());
  std::vector<double> sums(v != nullptr ? static_cast<std::size_t>(A.columns) : 0);
  for (std::size_t j = 0; j < sums.size(); ++j)
    for (std::size_t i = 0; i < v->size(); ++i)
      sums[j] += A.A[j * static_cast<std::size_t>(A.rows) + i] * (*v)[i];
  return sums;
}

}  // namespace

void add_projection(const InputPointer& input) {
  using Project = std::vector<double> (*)(const PatchInput&, const std::vector<double>*);
  const auto add = [&](const char* name, Project project) {
    benchmark::RegisterBenchmark(name, [input, name, project](benchmark::State& state) {
      const PatchInput patch(*input);
      const PatchPixels& pixels = patch.pixels();
      require_close(name, project(patch, &pixels.p),
                    apply_transpose(patch.spots(), pixels.range, pixels.p), 1e-10);
      for (auto _ : state) project(patch, nullptr);
      state.SetItemsProcessed(state.iterations());
      state.counters["n"] = patch.spots().n();
      state.counters["pixels"] = static_cast<double>(patch.pixels().p.size());
    })->Unit(benchmark::kMicrosecond);
  };
  add("projection/sparse", project_sparse);
  add("projection/panels", project_panels);
  add("projection/dense", project_dense);
}

}  // namespace spex::bench
