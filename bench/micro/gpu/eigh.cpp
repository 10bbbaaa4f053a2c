// Eigendecompositions by cuSOLVER: single matrices of order n, batches, and N of a subbundle.
#include <algorithm>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "bench/micro/checks.hpp"
#include "bench/micro/gpu/kernels.hpp"
#include "gpu/core/eigensolver.hpp"
#include "gpu/extract/eigh/eigh_workspace.hpp"
#include "reference/core/count.hpp"
#include "reference/extract/extract_inputs.hpp"

namespace spex::bench {
namespace {

// `count` matrices of order n, which a decomposition overwrites.
struct Matrices {
  int n;
  int count;
  gpu::DeviceBuffer<double> original;
  gpu::DeviceBuffer<double> A;
  gpu::DeviceBuffer<double> u;
  gpu::DeviceBuffer<int> info;

  Matrices(int order, int number, gpu::DeviceBuffer<double> values, cudaStream_t stream)
      : n(order),
        count(number),
        original(std::move(values)),
        A(original.count()),
        u(count_of(order, number)),
        info(gpu::to_device(std::vector<int>(static_cast<std::size_t>(number), 0), stream)) {}

  void restore(cudaStream_t stream) const {
    SPEX_GPU_CHECK(
        cudaMemcpyAsync(A.get(), original.get(), A.bytes(), cudaMemcpyDeviceToDevice, stream));
  }
};

// Measures the routine on the batch, and checks that all matrices converged.
void measure(benchmark::State& state, Device& device, EighRoutine routine, const Matrices& batch) {
  const std::size_t n = batch.n;
  gpu::SymmetricEigensolver solver(device.context());
  device.measure(
      state, [&] { batch.restore(device.stream()); },
      [&] {
        solver.decompose(routine, {batch.n, batch.count, batch.A.get(), batch.u.get()},
                         batch.info.get());
      },
      [&] {  // the last of the batch
        const auto last = [&](const gpu::DeviceBuffer<double>& values, std::size_t size) {
          return gpu::to_host(values.get() + values.count() - size, size, device.stream());
        };
        require_decomposition("eigh", last(batch.original, n * n), batch.n, last(batch.A, n * n),
                              last(batch.u, n));
      });
  const std::vector<int> info = gpu::to_host(batch.info, device.stream());
  if (std::count(info.begin(), info.end(), 0) != batch.count)
    throw std::runtime_error("eigh: a matrix failed");
  state.SetItemsProcessed(state.iterations() * batch.count);
}

void run_random(benchmark::State& state, Device& device, EighRoutine routine, int n, int count) {
  measure(state, device, routine,
          {n, count, repeat(random_matrix(n), count, device.stream()), device.stream()});
}

// N of the patches of one subbundle, as the eigh engine assembles them.
Matrices subbundle_matrices(const Device& device, const ExtractOptions& options, int subbundle) {
  KernelInput input = make_kernel_input(1, options);
  std::erase_if(input.patches, [&](const Patch& patch) { return patch.subbundle != subbundle; });
  const ExtractInputs inputs{&input.psf, &input.pixels, input.grid, input.options};
  gpu::FrameOnDevice frame(device.context(), false);
  frame.load(inputs, input.patches);
  const auto count = static_cast<int>(input.patches.size());
  gpu::EighWorkspace workspace(device.context(), false);
  workspace.begin(gpu::make_batch(frame, 0, count, frame.evaluate_spots(0, count)), {}, inputs);
  workspace.assemble();
  const int n = workspace.batch().n;
  gpu::DeviceBuffer<double> N(count_of(count, n, n));
  SPEX_GPU_CHECK(cudaMemcpyAsync(N.get(), workspace.N(), N.bytes(), cudaMemcpyDeviceToDevice,
                                 device.stream()));
  device.context().synchronize();
  return {n, count, std::move(N), device.stream()};
}

// Settings and subbundle that make patches of order n.
struct PatchOrder {
  int n;
  int nwavestep;
  bool padded;    // as in production
  int subbundle;  // 0: 6 spectra; 2: 7
};
constexpr PatchOrder patch_orders[] = {
    {350, 30, false, 2}, {420, 50, false, 0}, {490, 50, false, 2}, {518, 50, true, 2}};

void run_subbundle(benchmark::State& state, Device& device, EighRoutine routine,
                   const PatchOrder& order) {
  ExtractOptions options;
  options.nwavestep = order.nwavestep;
  if (!order.padded) options.wavepad_frac = options.pixpad_frac = 0;
  const Matrices batch = subbundle_matrices(device, options, order.subbundle);
  if (batch.n != order.n)
    throw std::runtime_error(fmt::format("eigh: N has order {}, not {}", batch.n, order.n));
  measure(state, device, routine, batch);
  state.counters["patches"] = batch.count;
}

// The blocks C_s of a bundle's 235 patches of 5 spectra; the patches of a subbundle.
constexpr int blocks_of_bundle = 1175;
constexpr int patches_of_subbundle = 47;

}  // namespace

void add_eigh(const DevicePointer& device) {
  const auto add = [&](const std::string& name, EighRoutine routine, int n, int count) {
    add_benchmark(name,
                  [=](benchmark::State& state) { run_random(state, *device, routine, n, count); });
  };
  for (const int n : eigh_orders) add(fmt::format("eigh/single/{}", n), EighRoutine::dsyevd, n, 1);
  const auto add_batched = [&](int n, int count) {
    if constexpr (gpu::has_syev_batched)
      add(fmt::format("eigh/xsyev/{}/{}", n, count), EighRoutine::syev_batched, n, count);
    add(fmt::format("eigh/jacobi/{}/{}", n, count), EighRoutine::syevj_batched, n, count);
  };
  for (const int n : {32, 50, 64, 74, 96, 128}) add_batched(n, blocks_of_bundle);
  for (const int n : {350, 518}) add_batched(n, patches_of_subbundle);

  const auto add_subbundle = [&](const char* variant, EighRoutine routine) {
    for (const PatchOrder& order : patch_orders)
      add_benchmark(fmt::format("eigh_N/{}/{}", variant, order.n), [=](benchmark::State& state) {
        run_subbundle(state, *device, routine, order);
      });
  };
  add_subbundle("syevd", EighRoutine::dsyevd);
  add_subbundle("syevj", EighRoutine::syevj);
  add_subbundle("syevj_batched", EighRoutine::syevj_batched);
  if constexpr (gpu::has_syev_batched) add_subbundle("syev_batched", EighRoutine::syev_batched);
}

}  // namespace spex::bench
