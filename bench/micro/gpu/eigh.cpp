// Eigendecompositions by cuSOLVER: single ones of order n, and batches.
#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "bench/micro/checks.hpp"
#include "bench/micro/gpu/kernels.hpp"
#include "gpu/core/eigensolver.hpp"
#include "reference/core/count.hpp"

namespace spex::bench {
namespace {

constexpr auto vectors = CUSOLVER_EIG_MODE_VECTOR;
constexpr auto lower = CUBLAS_FILL_MODE_LOWER;

// `count` matrices of order n, which a decomposition overwrites.
struct Matrices {
  int n;
  int count;
  gpu::DeviceBuffer<double> original;
  gpu::DeviceBuffer<double> A;
  gpu::DeviceBuffer<double> u;
  gpu::DeviceBuffer<int> info;

  Matrices(int order, int number, cudaStream_t stream)
      : n(order),
        count(number),
        original(repeat(random_matrix(order), number, stream)),
        A(original.count()),
        u(count_of(order, number)),
        info(gpu::to_device(std::vector<int>(static_cast<std::size_t>(number), 0), stream)) {}

  void restore(cudaStream_t stream) const {
    SPEX_GPU_CHECK(
        cudaMemcpyAsync(A.get(), original.get(), A.bytes(), cudaMemcpyDeviceToDevice, stream));
  }
};

// Measures `decompose` on the batch, and checks that all matrices converged.
template <class Decompose>
void measure(benchmark::State& state, Device& device, const Matrices& batch,
             const Decompose& decompose) {
  const std::size_t n = batch.n;
  device.measure(
      state, [&] { batch.restore(device.stream()); }, decompose,
      [&] {  // the last of the batch
        const auto last = [&](const gpu::DeviceBuffer<double>& values, std::size_t size) {
          return gpu::to_host(values.get() + values.count() - size, size, device.stream());
        };
        require_decomposition("eigh", random_matrix(batch.n), batch.n, last(batch.A, n * n),
                              last(batch.u, n));
      });
  const std::vector<int> info = gpu::to_host(batch.info, device.stream());
  if (std::count(info.begin(), info.end(), 0) != batch.count)
    throw std::runtime_error("eigh: a matrix failed");
  state.SetItemsProcessed(state.iterations() * batch.count);
}

// Divide and conquer, with one call per matrix or one for all.
template <gpu::SyevCalls calls>
void run_syev(benchmark::State& state, Device& device, int n, int count) {
  const gpu::Context& c = device.context();
  const Matrices batch(n, count, device.stream());
  const gpu::SymmetricMatrices matrices{n, count, batch.A.get(), batch.u.get()};
  const gpu::SyevRoom room = gpu::syev_room(c, calls, matrices);
  const gpu::DeviceBuffer<std::byte> work(room.on_device);
  std::vector<std::byte> host_work(room.on_host);
  measure(state, device, batch, [&] {
    gpu::syev(c, calls, matrices, room, work.get(), host_work.data(), batch.info.get());
  });
}

void run_jacobi(benchmark::State& state, Device& device, int n, int count) {
  const gpu::Context& c = device.context();
  const Matrices batch(n, count, device.stream());
  int lwork = 0;
  SPEX_GPU_CHECK(cusolverDnDsyevjBatched_bufferSize(c.solver(), vectors, lower, n, batch.A.get(), n,
                                                    batch.u.get(), &lwork, c.jacobi(), count));
  const gpu::DeviceBuffer<double> work(static_cast<std::size_t>(lwork));
  measure(state, device, batch, [&] {
    SPEX_GPU_CHECK(cusolverDnDsyevjBatched(c.solver(), vectors, lower, n, batch.A.get(), n,
                                           batch.u.get(), work.get(), lwork, batch.info.get(),
                                           c.jacobi(), count));
  });
}

// The blocks C_s of a bundle's 235 patches of 5 spectra; the patches of a subbundle.
constexpr int blocks_of_bundle = 1175;
constexpr int patches_of_subbundle = 47;

}  // namespace

void add_eigh(const DevicePointer& device) {
  const auto add = [&](const std::string& name, int n, int count,
                       void (*run)(benchmark::State&, Device&, int, int)) {
    add_benchmark(name, [=](benchmark::State& state) { run(state, *device, n, count); });
  };
  for (const int n : eigh_orders)
    add(fmt::format("eigh/single/{}", n), n, 1, run_syev<gpu::SyevCalls::each>);
  const auto add_batched = [&](int n, int count) {
    if constexpr (gpu::has_syev_batched)
      add(fmt::format("eigh/xsyev/{}/{}", n, count), n, count, run_syev<gpu::SyevCalls::one>);
    add(fmt::format("eigh/jacobi/{}/{}", n, count), n, count, run_jacobi);
  };
  for (const int n : {32, 50, 64, 74, 96, 128}) add_batched(n, blocks_of_bundle);
  for (const int n : {350, 518}) add_batched(n, patches_of_subbundle);
}

}  // namespace spex::bench
