// Covariance blocks and their roots on the GPU (extraction.md, section 5): by Newton and Schulz
// from the factored band, and by one-sided Jacobi rotations of given blocks (hard ones of the
// band).
#include <cmath>
#include <numeric>
#include <stdexcept>

#include <fmt/format.h>

#include "bench/micro/checks.hpp"
#include "bench/micro/gpu/kernels.hpp"
#include "gpu/extract/band_workspace.hpp"
#include "gpu/extract/decorrelate.hpp"
#include "gpu/linalg/jacobi_roots.hpp"
#include "reference/linalg/symmetric.hpp"

namespace spex::bench {
namespace {

// Where C is a random matrix, ivar is the square of the row sums of its root.
void require_ivar(FrameInput& frame, const char* what, int m) {
  Eigen eigen;
  if (!decompose(random_matrix(m), m, eigen)) throw std::runtime_error("roots: no convergence");
  std::vector<double> inverse_root, sums;
  for (const double u : eigen.u) inverse_root.push_back(1 / std::sqrt(u));
  eigen_apply(eigen, inverse_root, std::vector<double>(eigen.u.size(), 1.0), sums);
  const PatchResult result = frame.on_device().download()[frame.checked_index()];
  std::vector<double> expected;
  for (int s = 0; s < result.nspec; ++s)
    for (int w = 0; w < result.nwave; ++w) {
      const double r = sums[w + frame.checked().patch().wavepad];
      expected.push_back(r * r);
    }
  require_close(what, result.ivar, expected, 1e-11);
}

void make_factor(gpu::BandWorkspace& workspace, FrameInput& frame, const PatchRange& range) {
  workspace.begin(frame.batch(range), frame.inputs());
  workspace.assemble();
  workspace.factor();
  workspace.check();
}

void run_newton_schulz(benchmark::State& state, Device& device, FrameInput& frame,
                       const PatchRange& range) {
  gpu::BandWorkspace workspace(device.context(), false);
  make_factor(workspace, frame, range);
  device.measure(
      state, [&] { workspace.roots(); },
      [&] {
        workspace.hard_roots();
        frame.require_spectra("roots/newton_schulz");
      });
  const gpu::RootBatch batch = workspace.root_batch();
  const std::vector<int> hard =
      gpu::to_host<int>(batch.hard, count_of(batch.ncores), device.stream());
  state.counters["left_to_jacobi"] = std::accumulate(hard.begin(), hard.end(), 0.0);
  frame.require_done(range, "roots");
  state.SetItemsProcessed(state.iterations() * workspace.batch().ncores());
  state.counters["m"] = workspace.layout().nwave;
  state.counters["block"] = workspace.layout().size();
}

void run_one_sided_jacobi(benchmark::State& state, Device& device, FrameInput& frame,
                          const PatchRange& range) {
  gpu::BandWorkspace workspace(device.context(), false);
  make_factor(workspace, frame, range);
  const gpu::RootBatch batch = workspace.root_batch();
  const int m = batch.layout.nwave;
  const gpu::DeviceBuffer<double> original =
      repeat(random_matrix(m), batch.ncores, device.stream());
  const gpu::DeviceBuffer<double> C(original.count()), sums(count_of(batch.ncores, 2, m));
  device.measure(
      state,
      [&] {
        SPEX_GPU_CHECK(cudaMemcpyAsync(C.get(), original.get(), C.bytes(), cudaMemcpyDeviceToDevice,
                                       device.stream()));
      },
      [&] {
        gpu::find_jacobi_roots(batch.cores, batch.ncores, nullptr, m, C.get(), batch.status,
                               device.stream());
        gpu::store_signal(batch.patches, batch.cores, batch.ncores, C.get(), m, batch.f, batch.q,
                          batch.layout.strides(), sums.get(), batch.status,
                          frame.on_device().spectra(), device.stream());
      },
      [&] { require_ivar(frame, "roots/one_sided_jacobi", m); });
  frame.require_done(range, "roots");
  state.SetItemsProcessed(state.iterations() * batch.ncores);
}

}  // namespace

void add_roots(const DevicePointer& device, const FramePointer& frame) {
  const int m = frame->on_device().geometry().front().nwave;
  add_for_bundles(fmt::format("roots/newton_schulz/{}", m), device, frame, run_newton_schulz);
  add_for_bundles(fmt::format("roots/one_sided_jacobi/{}", m), device, frame, run_one_sided_jacobi);
}

}  // namespace spex::bench
