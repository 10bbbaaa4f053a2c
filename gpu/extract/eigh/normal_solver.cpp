#include "gpu/extract/eigh/normal_solver.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "gpu/core/lazy_libraries.hpp"
#include "reference/core/count.hpp"

namespace spex::gpu {
namespace {

constexpr auto lower = CUBLAS_FILL_MODE_LOWER;

}  // namespace

void NormalSolver::solve(SolveRoutine routine, const NormalSystems& s, int* failed) {
  const auto size = count_of(s.count, s.n, s.n);
  reserve(factors_, size);
  reserve(info_, static_cast<std::size_t>(s.count));
  SPEX_GPU_CHECK(cudaMemcpyAsync(factors_.get(), s.N, size * sizeof(double),
                                 cudaMemcpyDeviceToDevice, context_->stream()));
  SPEX_GPU_CHECK(cudaMemcpyAsync(s.f, s.y, count_of(s.count, s.n) * sizeof(double),
                                 cudaMemcpyDeviceToDevice, context_->stream()));
  switch (routine) {
    case SolveRoutine::qr:
      return by_qr(s, failed);
    case SolveRoutine::cholesky:
      return by_cholesky(s, failed);
    case SolveRoutine::cholesky_batched:
      return by_batched_cholesky(s, failed);
    case SolveRoutine::eigenvectors:
      break;
  }
  throw std::logic_error("f is not computed from eigenvectors here");
}

// N = Q R, f = R^-1 (Q^T y).
void NormalSolver::by_qr(const NormalSystems& s, int* failed) {
  const Context& c = *context_;
  const int n = s.n;
  constexpr int columns = 1;
  reserve(tau_, static_cast<std::size_t>(n));
  int to_factor = 0, to_multiply = 0;
  SPEX_GPU_CHECK(cusolverDnDgeqrf_bufferSize(c.solver(), n, n, factors_.get(), n, &to_factor));
  SPEX_GPU_CHECK(cusolverDnDormqr_bufferSize(c.solver(), CUBLAS_SIDE_LEFT, CUBLAS_OP_T, n, columns,
                                             n, factors_.get(), n, tau_.get(), s.f, n,
                                             &to_multiply));
  const int size = std::max(to_factor, to_multiply);
  reserve(work_, static_cast<std::size_t>(size));
  SPEX_GPU_CHECK(
      cudaMemsetAsync(failed, 0, static_cast<std::size_t>(s.count) * sizeof(int), c.stream()));
  const double one = 1;
  for (int k = 0; k < s.count; ++k) {
    double* const QR = factors_.get() + count_of(k, n, n);
    double* const f = s.f + count_of(k, n);
    SPEX_GPU_CHECK(
        cusolverDnDgeqrf(c.solver(), n, n, QR, n, tau_.get(), work_.get(), size, info_.get() + k));
    SPEX_GPU_CHECK(cusolverDnDormqr(c.solver(), CUBLAS_SIDE_LEFT, CUBLAS_OP_T, n, columns, n, QR, n,
                                    tau_.get(), f, n, work_.get(), size, info_.get() + k));
    SPEX_GPU_CHECK(cublasDtrsm(c.blas(), CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N,
                               CUBLAS_DIAG_NON_UNIT, n, columns, &one, QR, n, f, n));
  }
}

void NormalSolver::by_cholesky(const NormalSystems& s, int* failed) {
  const Context& c = *context_;
  int size = 0;
  SPEX_GPU_CHECK(cusolverDnDpotrf_bufferSize(c.solver(), lower, s.n, factors_.get(), s.n, &size));
  reserve(work_, static_cast<std::size_t>(size));
  for (int k = 0; k < s.count; ++k) {
    double* const L = factors_.get() + count_of(k, s.n, s.n);
    SPEX_GPU_CHECK(cusolverDnDpotrf(c.solver(), lower, s.n, L, s.n, work_.get(), size, failed + k));
    SPEX_GPU_CHECK(cusolverDnDpotrs(c.solver(), lower, s.n, 1, L, s.n, s.f + count_of(k, s.n), s.n,
                                    info_.get() + k));
  }
}

void NormalSolver::by_batched_cholesky(const NormalSystems& s, int* failed) {
  const Context& c = *context_;
  std::vector<double*> pointers;
  for (int k = 0; k < s.count; ++k) pointers.push_back(factors_.get() + count_of(k, s.n, s.n));
  for (int k = 0; k < s.count; ++k) pointers.push_back(s.f + count_of(k, s.n));
  reserve(pointers_, pointers.size());
  SPEX_GPU_CHECK(cudaMemcpyAsync(pointers_.get(), pointers.data(),
                                 pointers.size() * sizeof(double*), cudaMemcpyHostToDevice,
                                 c.stream()));
  SPEX_GPU_CHECK(
      cusolverDnDpotrfBatched(c.solver(), lower, s.n, pointers_.get(), s.n, failed, s.count));
  SPEX_GPU_CHECK(cusolverDnDpotrsBatched(c.solver(), lower, s.n, 1, pointers_.get(), s.n,
                                         pointers_.get() + s.count, s.n, info_.get(), s.count));
}

}  // namespace spex::gpu
