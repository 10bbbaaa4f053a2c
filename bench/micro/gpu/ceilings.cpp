// Peak rates of the GPU: FP64 arithmetic on its cores and tensor cores, matrix products, FP64
// matrix products emulated by cuBLAS with integers, and copies within its memory.
#include <stdexcept>

#include "bench/micro/checks.hpp"
#include "bench/micro/gpu/fp64_rates.hpp"
#include "bench/micro/gpu/kernels.hpp"
#include "gpu/core/lazy_libraries.hpp"
#include "reference/core/lapack.hpp"

namespace spex::bench {
namespace {

void run_dgemm(benchmark::State& state, Device& device, int n) {
  const std::vector<double> A = random_matrix(n);
  const gpu::DeviceBuffer<double> a = repeat(A, 1, device.stream());
  const gpu::DeviceBuffer<double> c(a.count());
  const double one = 1;
  const double zero = 0;
  device.measure(
      state,
      [&] {
        SPEX_GPU_CHECK(cublasDgemm(device.context().blas(), CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one,
                                   a.get(), n, a.get(), n, &zero, c.get(), n));
      },
      [&] {  // the last column of the product; A is symmetric
        const std::size_t order = n;
        const double* last = A.data() + (A.size() - order);
        std::vector<double> expected(order);
        cblas_dsymv(CblasColMajor, CblasLower, n, 1.0, A.data(), n, last, 1, 0.0, expected.data(),
                    1);
        require_close("ceiling/dgemm",
                      gpu::to_host(c.get() + c.count() - order, order, device.stream()), expected,
                      1e-9);
      });
  state.counters["flops"] =
      benchmark::Counter(2.0 * n * n * n, benchmark::Counter::kIsIterationInvariantRate);
}

void run_copy(benchmark::State& state, Device& device) {
  constexpr std::size_t bytes = std::size_t{1} << 30;
  const gpu::DeviceBuffer<char> from(bytes);
  const gpu::DeviceBuffer<char> to(bytes);
  SPEX_GPU_CHECK(cudaMemsetAsync(from.get(), 1, bytes, device.stream()));
  device.measure(
      state,
      [&] {
        SPEX_GPU_CHECK(cudaMemcpyAsync(to.get(), from.get(), bytes, cudaMemcpyDeviceToDevice,
                                       device.stream()));
      },
      [&] {
        if (gpu::to_host(to, device.stream()) != std::vector<char>(bytes, 1))
          throw std::runtime_error("ceiling/copy: a copied byte differs");
      });
  // Each byte is read and written.
  state.SetBytesProcessed(state.iterations() * 2 * static_cast<std::int64_t>(bytes));
}

// Arithmetic in registers, on the cores or on the FP64 tensor cores.
void run_rate(benchmark::State& state, Device& device, bool tensor) {
  constexpr std::size_t lanes_of_multiprocessor = 2048;
  cudaDeviceProp properties{};
  SPEX_GPU_CHECK(cudaGetDeviceProperties(&properties, 0));
  const gpu::DeviceBuffer<double> sums(lanes_of_multiprocessor * properties.multiProcessorCount);
  Fp64Work work;
  device.measure(
      state, [&] { work = do_fp64_work(tensor, sums, device.stream()); },
      [&] {
        const std::vector<double> found = gpu::to_host(sums, device.stream());
        require_close("ceiling", found, std::vector<double>(found.size(), work.sum), 0);
      });
  state.counters["flops"] =
      benchmark::Counter(work.flops, benchmark::Counter::kIsIterationInvariantRate);
}

#if CUBLAS_VERSION >= 130100
// EAGER: emulate wherever cuBLAS can, even where emulation is slower, and use the GPU's own FP64
// otherwise. The precision stays that of FP64, as by default.
void run_dgemm_emulated(benchmark::State& state, Device& device, int n) {
  const cublasHandle_t blas = device.context().blas();
  SPEX_GPU_CHECK(cublasSetMathMode(blas, CUBLAS_FP64_EMULATED_FIXEDPOINT_MATH));
  SPEX_GPU_CHECK(cublasSetEmulationStrategy(blas, CUBLAS_EMULATION_STRATEGY_EAGER));
  run_dgemm(state, device, n);
  SPEX_GPU_CHECK(cublasSetEmulationStrategy(blas, CUBLAS_EMULATION_STRATEGY_DEFAULT));
  SPEX_GPU_CHECK(cublasSetMathMode(blas, CUBLAS_DEFAULT_MATH));
}
#endif

}  // namespace

void add_ceilings(const DevicePointer& device) {
  const auto add = [&](const char* name, const auto& run) {
    add_benchmark(name, [=](benchmark::State& state) { run(state, *device); });
  };
  add("ceiling/fma", [](auto& state, Device& target) { run_rate(state, target, false); });
  add("ceiling/tensor", [](auto& state, Device& target) { run_rate(state, target, true); });
#if CUBLAS_VERSION >= 130100
  add("ceiling/dgemm_emulated/518",
      [](auto& state, Device& target) { run_dgemm_emulated(state, target, 518); });
  add("ceiling/dgemm_emulated/8192",
      [](auto& state, Device& target) { run_dgemm_emulated(state, target, 8192); });
#endif
  add("ceiling/dgemm/8192", [](auto& state, Device& target) { run_dgemm(state, target, 8192); });
  add("ceiling/copy", run_copy);
}

}  // namespace spex::bench
