// The band of N on the GPU: assembled straight from overlapping spots (extraction.md, section 4),
// and its Cholesky factor.
#include <algorithm>
#include <stdexcept>

#include "bench/micro/checks.hpp"
#include "bench/micro/gpu/kernels.hpp"
#include "gpu/extract/band_workspace.hpp"
#include "reference/core/count.hpp"
#include "reference/core/lapack.hpp"

namespace spex::bench {
namespace {

// Every pair of bins that the band holds.
void require_band(const Device& device, const FrameInput& frame,
                  const gpu::BandWorkspace& workspace) {
  const NormalEquations equations = frame.checked().equations();
  const gpu::BandLayout& layout = workspace.layout();
  const int nspec = frame.checked().spots().nspec;
  const int nwave = frame.checked().spots().nwave;
  const int size = layout.size();
  const std::vector<double> panels = gpu::to_host(
      workspace.root_batch().panels +
          count_of(frame.checked_index() - workspace.batch().index.front()) * layout.patch_size(),
      layout.patch_size(), device.stream());
  std::vector<double> found;
  std::vector<double> expected;
  for (int column = 0; column < equations.n; ++column)
    for (int row = 0; row < equations.n; ++row) {
      const int i = row % nwave * layout.nslots + row / nwave;
      const int j = column % nwave * layout.nslots + column / nwave;
      const int block = j / size;
      if (i < j || i / size > block + 1) continue;
      found.push_back(panels[count_of(block) * layout.panel_size() +
                             count_of(j - block * size, 2 * size) + count_of(i - block * size)]);
      expected.push_back(equations.N[count_of(std::min(row, column), equations.n) +
                                     count_of(std::max(row, column))]);
    }
  if (nspec > layout.nslots) throw std::runtime_error("normal_equations: too few slots");
  require_close("normal_equations", found, expected, 1e-14);
}

// f of one patch.
void require_solution(const Device& device, const FrameInput& frame,
                      const gpu::BandWorkspace& workspace) {
  const NormalEquations equations = frame.checked().equations();
  const int nwave = frame.checked().spots().nwave;
  std::vector<double> L = equations.N;
  std::vector<double> expected = equations.y;
  LAPACKE_dposv(LAPACK_COL_MAJOR, 'L', equations.n, 1, L.data(), equations.n, expected.data(),
                equations.n);
  const gpu::BinStrides strides = workspace.layout().strides();
  const std::vector<double> f =
      gpu::to_host(workspace.root_batch().f +
                       strides.patch(frame.checked_index() - workspace.batch().index.front()),
                   static_cast<std::size_t>(strides.of_patch), device.stream());
  std::vector<double> found;
  for (int j = 0; j < equations.n; ++j) found.push_back(f[strides.bin(j / nwave, j % nwave)]);
  const double largest = *std::max_element(expected.begin(), expected.end());
  require_close("cholesky/band", found, expected, 1e-9 * largest);
}

void run_assembly(benchmark::State& state, Device& device, FrameInput& frame,
                  const PatchRange& range) {
  gpu::BandWorkspace workspace(device.context(), false);
  workspace.begin(frame.batch(range), frame.inputs());
  device.measure(
      state, [&] { workspace.assemble(); }, [&] { require_band(device, frame, workspace); });
  state.SetItemsProcessed(state.iterations() * range.count());
  state.counters["block"] = workspace.layout().size();
}

void run_factor(benchmark::State& state, Device& device, FrameInput& frame,
                const PatchRange& range) {
  gpu::BandWorkspace workspace(device.context(), false);
  workspace.begin(frame.batch(range), frame.inputs());
  device.measure(
      state, [&] { workspace.assemble(); },
      [&] {
        workspace.factor();
        workspace.check();
      },
      [&] { require_solution(device, frame, workspace); });
  frame.require_done(range, "cholesky/band");
  state.SetItemsProcessed(state.iterations() * range.count());
  state.counters["block"] = workspace.layout().size();
  state.counters["n"] = workspace.layout().rows();
}

}  // namespace

void add_normal_equations(const DevicePointer& device, const FramePointer& frame) {
  add_for_bundles("normal_equations/direct", device, frame, run_assembly);
}

void add_cholesky(const DevicePointer& device, const FramePointer& frame) {
  add_for_bundles("cholesky/band", device, frame, run_factor);
}

}  // namespace spex::bench
