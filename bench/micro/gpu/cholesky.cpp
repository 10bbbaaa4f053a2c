// Cholesky on the GPU: dense and batched by cuSOLVER and cuBLAS, and the project's band.
#include <fmt/format.h>

#include "bench/micro/gpu/kernels.hpp"
#include "bench/micro/matrices.hpp"
#include "gpu/extract/band_workspace.hpp"

namespace spex::bench {
namespace {

constexpr auto lower = CUBLAS_FILL_MODE_LOWER;
constexpr int patches_of_bundle = 235;

// Matrices of order n, their factors, and right-hand sides, which each run destroys.
class CholeskyBatch {
 public:
  CholeskyBatch(const Device& device, int n, int count)
      : device_(&device),
        n_(n),
        count_(count),
        original_(repeat(random_matrix(n), count, device.stream())),
        L_(original_.count()),
        x_(static_cast<std::size_t>(n) * static_cast<std::size_t>(count)),
        L_pointers_(gpu::to_device(pointers(L_, matrix_size()), device.stream())),
        x_pointers_(gpu::to_device(pointers(x_, static_cast<std::size_t>(n)), device.stream())),
        info_(
            gpu::to_device(std::vector<int>(static_cast<std::size_t>(count), 0), device.stream())),
        solve_info_(1) {}

  void restore() {
    SPEX_GPU_CHECK(cudaMemcpyAsync(L_.get(), original_.get(), L_.bytes(), cudaMemcpyDeviceToDevice,
                                   device_->stream()));
    SPEX_GPU_CHECK(cudaMemsetAsync(x_.get(), 0, x_.bytes(), device_->stream()));
  }
  void factor() {
    SPEX_GPU_CHECK(cusolverDnDpotrfBatched(device_->context().solver(), lower, n_,
                                           L_pointers_.get(), n_, info_.get(), count_));
  }
  void solve() {
    SPEX_GPU_CHECK(cusolverDnDpotrsBatched(device_->context().solver(), lower, n_, 1,
                                           L_pointers_.get(), n_, x_pointers_.get(), n_,
                                           solve_info_.get(), count_));
  }
  /// X = L^-1, C = X^T X; after allocate_inverse.
  void invert() {
    const gpu::Context& c = device_->context();
    const double one = 1;
    const double zero = 0;
    SPEX_GPU_CHECK(cudaMemcpyAsync(X_.get(), unit_.get(), X_.bytes(), cudaMemcpyDeviceToDevice,
                                   device_->stream()));
    SPEX_GPU_CHECK(cublasDtrsmBatched(c.blas(), CUBLAS_SIDE_LEFT, lower, CUBLAS_OP_N,
                                      CUBLAS_DIAG_NON_UNIT, n_, n_, &one, L_pointers_.get(), n_,
                                      X_pointers_.get(), n_, count_));
    const auto stride = static_cast<long long>(matrix_size());
    SPEX_GPU_CHECK(cublasDgemmStridedBatched(c.blas(), CUBLAS_OP_T, CUBLAS_OP_N, n_, n_, n_, &one,
                                             X_.get(), n_, stride, X_.get(), n_, stride, &zero,
                                             C_.get(), n_, stride, count_));
  }
  void allocate_inverse() {
    std::vector<double> unit(matrix_size(), 0.0);
    for (std::size_t k = 0; k < unit.size(); k += static_cast<std::size_t>(n_) + 1) unit[k] = 1;
    unit_ = repeat(unit, count_, device_->stream());
    X_ = gpu::DeviceBuffer<double>(L_.count());
    C_ = gpu::DeviceBuffer<double>(L_.count());
    X_pointers_ = gpu::to_device(pointers(X_, matrix_size()), device_->stream());
  }
  void require_done() const { require_zeros(gpu::to_host(info_, device_->stream()), "cholesky"); }

 private:
  [[nodiscard]] std::size_t matrix_size() const {
    return static_cast<std::size_t>(n_) * static_cast<std::size_t>(n_);
  }
  [[nodiscard]] std::vector<double*> pointers(const gpu::DeviceBuffer<double>& to,
                                              std::size_t size) const {
    std::vector<double*> all;
    for (int k = 0; k < count_; ++k) all.push_back(to.get() + static_cast<std::size_t>(k) * size);
    return all;
  }

  const Device* device_;
  int n_;
  int count_;
  gpu::DeviceBuffer<double> original_, L_, x_, unit_, X_, C_;
  gpu::DeviceBuffer<double*> L_pointers_, x_pointers_, X_pointers_;
  gpu::DeviceBuffer<int> info_, solve_info_;
};

void run_potrf(benchmark::State& state, Device& device, int n, int count) {
  CholeskyBatch batch(device, n, count);
  device.measure(
      state, [&] { batch.restore(); }, [&] { batch.factor(); });
  batch.require_done();
}

void run_potrs(benchmark::State& state, Device& device, int n, int count) {
  CholeskyBatch batch(device, n, count);
  batch.restore();
  batch.factor();
  device.measure(state, [&] { batch.solve(); });
  batch.require_done();
}

void run_inverse(benchmark::State& state, Device& device, int n, int count) {
  CholeskyBatch batch(device, n, count);
  batch.allocate_inverse();
  device.measure(
      state, [&] { batch.restore(); },
      [&] {
        batch.factor();
        batch.invert();
      });
  batch.require_done();
}

void run_band(benchmark::State& state, Device& device, FrameInput& frame, const PatchRange& range) {
  gpu::BandWorkspace workspace(device.context(), false);
  workspace.begin(frame.batch(range), frame.inputs());
  device.measure(
      state, [&] { workspace.assemble(); }, [&] { workspace.factor(); });
  frame.require_done(range, "cholesky/band");
  state.SetItemsProcessed(state.iterations() * range.count());
  state.counters["block"] = workspace.layout().size();
  state.counters["n"] = workspace.layout().rows();
}

}  // namespace

void add_cholesky(const DevicePointer& device, const FramePointer& frame) {
  const auto add = [&](const char* variant, int n,
                       void (*run)(benchmark::State&, Device&, int, int)) {
    set_timing(benchmark::RegisterBenchmark(
        fmt::format("cholesky/{}/{}/{}", variant, n, patches_of_bundle).c_str(),
        [device, n, run](benchmark::State& state) {
          run(state, *device, n, patches_of_bundle);
          state.SetItemsProcessed(state.iterations() * patches_of_bundle);
        }));
  };
  for (const int n : {350, 518}) {
    add("potrf", n, run_potrf);
    add("potrs", n, run_potrs);
    add("inverse", n, run_inverse);
  }
  for (const int nbundles : {1, 2}) {
    const PatchRange range = frame->bundles(nbundles);
    set_timing(benchmark::RegisterBenchmark(fmt::format("cholesky/band/{}", range.count()).c_str(),
                                            [device, frame, range](benchmark::State& state) {
                                              run_band(state, *device, *frame, range);
                                            }));
  }
}

}  // namespace spex::bench
