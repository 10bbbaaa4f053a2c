// Cholesky on the GPU: dense and batched by cuSOLVER and cuBLAS, and the project's band.
#include <algorithm>

#include <fmt/format.h>

#include "bench/micro/checks.hpp"
#include "bench/micro/gpu/kernels.hpp"
#include "bench/micro/matrices.hpp"
#include "gpu/extract/band_workspace.hpp"
#include "reference/core/count.hpp"
#include "reference/core/lapack.hpp"

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
        original_x_(
            repeat(std::vector<double>(static_cast<std::size_t>(n), 1.0), count, device.stream())),
        x_(original_x_.count()),
        L_pointers_(gpu::to_device(pointers(L_, matrix_size()), device.stream())),
        x_pointers_(gpu::to_device(pointers(x_, static_cast<std::size_t>(n)), device.stream())),
        info_(
            gpu::to_device(std::vector<int>(static_cast<std::size_t>(count), 0), device.stream())),
        solve_info_(1) {}

  void restore() {
    SPEX_GPU_CHECK(cudaMemcpyAsync(L_.get(), original_.get(), L_.bytes(), cudaMemcpyDeviceToDevice,
                                   device_->stream()));
    restore_right_sides();
  }
  void restore_right_sides() {
    SPEX_GPU_CHECK(cudaMemcpyAsync(x_.get(), original_x_.get(), x_.bytes(),
                                   cudaMemcpyDeviceToDevice, device_->stream()));
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
  /// The factors and solutions one after the other, as multi-gpu has them.
  void factor_and_solve_singly() {
    const cusolverDnHandle_t solver = device_->context().solver();
    const auto bytes = static_cast<std::size_t>(lwork()) * sizeof(double);
    if (work_.bytes() < bytes) work_ = gpu::DeviceBuffer<double>(bytes / sizeof(double));
    for (int k = 0; k < count_; ++k) {
      double* const L = L_.get() + static_cast<std::size_t>(k) * matrix_size();
      double* const x = x_.get() + static_cast<std::size_t>(k) * static_cast<std::size_t>(n_);
      SPEX_GPU_CHECK(
          cusolverDnDpotrf(solver, lower, n_, L, n_, work_.get(), lwork(), info_.get() + k));
      SPEX_GPU_CHECK(cusolverDnDpotrs(solver, lower, n_, 1, L, n_, x, n_, solve_info_.get()));
    }
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
  /// Of the last matrix: L, x = A^-1 1, and A^-1, as LAPACK has them.
  void require_factors() const {
    require_close("cholesky/potrf", lower_triangle(last(L_, matrix_size()).data(), n_),
                  lower_triangle(factor_by_lapack().data(), n_), 1e-11);
  }
  void require_solutions() const {
    std::vector<double> x(n_, 1.0);
    LAPACKE_dpotrs(LAPACK_COL_MAJOR, 'L', n_, 1, factor_by_lapack().data(), n_, x.data(), n_);
    require_close("cholesky/potrs", last(x_, x.size()), x, 1e-12);
  }
  void require_inverses() const {
    std::vector<double> inverse = factor_by_lapack();
    LAPACKE_dpotri(LAPACK_COL_MAJOR, 'L', n_, inverse.data(), n_);
    require_close("cholesky/inverse", lower_triangle(last(C_, matrix_size()).data(), n_),
                  lower_triangle(inverse.data(), n_), 1e-12);
  }
  void require_done() const { require_zeros(gpu::to_host(info_, device_->stream()), "cholesky"); }

 private:
  [[nodiscard]] std::vector<double> factor_by_lapack() const {
    std::vector<double> L = random_matrix(n_);
    LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', n_, L.data(), n_);
    return L;
  }
  // What belongs to the last matrix of the batch.
  [[nodiscard]] std::vector<double> last(const gpu::DeviceBuffer<double>& of,
                                         std::size_t size) const {
    return gpu::to_host(of.get() + of.count() - size, size, device_->stream());
  }
  [[nodiscard]] std::size_t matrix_size() const { return count_of(n_, n_); }
  [[nodiscard]] int lwork() const {
    int numbers = 0;
    SPEX_GPU_CHECK(cusolverDnDpotrf_bufferSize(device_->context().solver(), lower, n_, L_.get(), n_,
                                               &numbers));
    return numbers;
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
  gpu::DeviceBuffer<double> original_, L_, original_x_, x_, unit_, X_, C_, work_;
  gpu::DeviceBuffer<double*> L_pointers_, x_pointers_, X_pointers_;
  gpu::DeviceBuffer<int> info_, solve_info_;
};

void run_potrf(benchmark::State& state, Device& device, int n, int count) {
  CholeskyBatch batch(device, n, count);
  device.measure(
      state, [&] { batch.restore(); }, [&] { batch.factor(); }, [&] { batch.require_factors(); });
  batch.require_done();
}

void run_potrs(benchmark::State& state, Device& device, int n, int count) {
  CholeskyBatch batch(device, n, count);
  batch.restore();
  batch.factor();
  device.measure(
      state, [&] { batch.restore_right_sides(); }, [&] { batch.solve(); },
      [&] { batch.require_solutions(); });
  batch.require_done();
}

// Both factors and solutions: what a subbundle's batch takes the place of.
void run_solve_batched(benchmark::State& state, Device& device, int n, int count) {
  CholeskyBatch batch(device, n, count);
  device.measure(
      state, [&] { batch.restore(); },
      [&] {
        batch.factor();
        batch.solve();
      },
      [&] { batch.require_solutions(); });
  batch.require_done();
}

void run_solve_single(benchmark::State& state, Device& device, int n, int count) {
  CholeskyBatch batch(device, n, count);
  device.measure(
      state, [&] { batch.restore(); }, [&] { batch.factor_and_solve_singly(); },
      [&] { batch.require_solutions(); });
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
      },
      [&] { batch.require_inverses(); });
  batch.require_done();
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
    add("solve_batched", n, run_solve_batched);
    add("solve_one_by_one", n, run_solve_single);
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
