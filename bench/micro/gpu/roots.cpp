// Covariance blocks and their roots on the GPU (extraction.md, section 5): by Newton and Schulz
// from the factored band (direct), and by cuSOLVER's Jacobi rotations from given blocks (eigh).
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "bench/micro/checks.hpp"
#include "bench/micro/gpu/kernels.hpp"
#include "bench/micro/matrices.hpp"
#include "gpu/extract/band_workspace.hpp"
#include "reference/linalg/symmetric.hpp"

namespace spex::bench {
namespace {

// Where C is a random matrix, ivar is the square of the row sums of its root.
void require_ivar(FrameInput& frame, int m) {
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
  require_close("roots/jacobi", result.ivar, expected, 1e-11);
}

void run_newton_schulz(benchmark::State& state, Device& device, FrameInput& frame,
                       const PatchRange& range) {
  gpu::BandWorkspace workspace(device.context(), false);
  workspace.begin(frame.batch(range), frame.inputs());
  workspace.assemble();
  workspace.factor();
  device.measure(
      state, [&] { workspace.roots(); },
      [&] {
        workspace.hard_roots();
        frame.require_spectra("roots/newton_schulz");
      });
  state.counters["left_to_jacobi"] = workspace.hard_roots();
  frame.require_done(range, "roots");
  state.SetItemsProcessed(state.iterations() * workspace.batch().ncores());
  state.counters["m"] = workspace.layout().nwave;
  state.counters["block"] = workspace.layout().size();
}

void run_jacobi(benchmark::State& state, Device& device, FrameInput& frame,
                const PatchRange& range) {
  gpu::BandWorkspace workspace(device.context(), false);
  workspace.begin(frame.batch(range), frame.inputs());
  workspace.assemble();
  workspace.factor();
  const gpu::RootBatch batch = workspace.root_batch();
  const int m = batch.layout.nwave;
  const gpu::DeviceBuffer<double> original =
      repeat(random_matrix(m), batch.ncores, device.stream());
  const gpu::DeviceBuffer<double> C(original.count());
  gpu::EigenSolver solver(device.context());
  device.measure(
      state,
      [&] {
        SPEX_GPU_CHECK(cudaMemcpyAsync(C.get(), original.get(), C.bytes(), cudaMemcpyDeviceToDevice,
                                       device.stream()));
      },
      [&] {
        solver.store_roots(EigenBatch::blocks, batch.patches, batch.cores, batch.ncores, m, C.get(),
                           batch.f, batch.q, batch.layout.strides(), batch.status,
                           frame.on_device().spectra());
      },
      [&] { require_ivar(frame, m); });
  frame.require_done(range, "roots");
  state.SetItemsProcessed(state.iterations() * batch.ncores);
}

}  // namespace

void add_roots(const DevicePointer& device, const FramePointer& frame) {
  const auto add = [&](const char* variant, const FramePointer& of, int nbundles,
                       void (*run)(benchmark::State&, Device&, FrameInput&, const PatchRange&)) {
    const PatchRange range = of->bundles(nbundles);
    const int m = of->on_device().geometry().front().nwave;
    set_timing(benchmark::RegisterBenchmark(
        fmt::format("roots/{}/{}/{}", variant, m, range.count()).c_str(),
        [device, of, range, run](benchmark::State& state) { run(state, *device, *of, range); }));
  };
  // Steps of 39 bins make blocks of 63.
  const auto shorter = std::make_shared<FrameInput>(*device, 39);
  for (const FramePointer& of : {shorter, frame}) {
    for (const int nbundles : {1, 2}) add("newton_schulz", of, nbundles, run_newton_schulz);
    add("jacobi", of, 1, run_jacobi);
  }
}

}  // namespace spex::bench
