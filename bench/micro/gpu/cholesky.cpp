// Cholesky of the band on the GPU.
#include <algorithm>

#include "bench/micro/checks.hpp"
#include "bench/micro/gpu/kernels.hpp"
#include "gpu/extract/band_workspace.hpp"
#include "reference/core/lapack.hpp"

namespace spex::bench {
namespace {

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

void run_band(benchmark::State& state, Device& device, FrameInput& frame, const PatchRange& range) {
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

void add_cholesky(const DevicePointer& device, const FramePointer& frame) {
  add_for_bundles("cholesky/band", device, frame, run_band);
}

}  // namespace spex::bench
