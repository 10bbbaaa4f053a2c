// N on the GPU (extraction.md, section 4), straight from overlapping spots.
#include <algorithm>
#include <stdexcept>

#include "bench/micro/checks.hpp"
#include "bench/micro/gpu/kernels.hpp"
#include "gpu/extract/band_workspace.hpp"
#include "reference/core/count.hpp"

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

void run_band(benchmark::State& state, Device& device, FrameInput& frame, const PatchRange& range) {
  gpu::BandWorkspace workspace(device.context(), false);
  workspace.begin(frame.batch(range), frame.inputs());
  device.measure(
      state, [&] { workspace.assemble(); }, [&] { require_band(device, frame, workspace); });
  state.SetItemsProcessed(state.iterations() * range.count());
  state.counters["block"] = workspace.layout().size();
}

}  // namespace

void add_normal_equations(const DevicePointer& device, const FramePointer& frame) {
  add_for_bundles("normal_equations/direct", device, frame, run_band);
}

}  // namespace spex::bench
