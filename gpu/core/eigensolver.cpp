#include "gpu/core/eigensolver.hpp"

#include <stdexcept>

#include <fmt/format.h>

#include "reference/core/count.hpp"

namespace spex::gpu {
namespace {

constexpr auto vectors = CUSOLVER_EIG_MODE_VECTOR;
constexpr auto lower = CUBLAS_FILL_MODE_LOWER;

}  // namespace

std::string describe_syev_batched() {
  return fmt::format("{} of cuSOLVER {}.{}.{}",
                     has_syev_batched ? "XsyevBatched" : "Xsyevd, one by one,", CUSOLVER_VER_MAJOR,
                     CUSOLVER_VER_MINOR, CUSOLVER_VER_PATCH);
}

void SymmetricEigensolver::decompose(EighRoutine routine, const SymmetricMatrices& matrices,
                                     int* info) {
  switch (routine) {
    case EighRoutine::dsyevd:
      return syevd(matrices, info);
    case EighRoutine::syevj:
      return syevj(matrices, info);
    case EighRoutine::syevj_batched:
      return syevj_batched(matrices, info);
    case EighRoutine::syev_batched:
      return syev_batched(matrices, info);
    case EighRoutine::dsyevr:
      break;
  }
  throw std::logic_error("cuSOLVER has no dsyevr");
}

void SymmetricEigensolver::reserve_work(std::size_t on_device, std::size_t on_host) {
  reserve(work_, on_device);
  if (host_work_.size() >= on_host) return;
  context_->synchronize();  // an earlier call may still use the memory
  host_work_.resize(on_host);
}

void SymmetricEigensolver::syevd(const SymmetricMatrices& m, int* info) {
  const Context& c = *context_;
  std::size_t on_device = 0, on_host = 0;
  SPEX_GPU_CHECK(cusolverDnXsyevd_bufferSize(c.solver(), c.params(), vectors, lower, m.n,
                                             CUDA_R_64F, m.A, m.n, CUDA_R_64F, m.u, CUDA_R_64F,
                                             &on_device, &on_host));
  reserve_work(on_device, on_host);
  for (int k = 0; k < m.count; ++k)
    SPEX_GPU_CHECK(cusolverDnXsyevd(c.solver(), c.params(), vectors, lower, m.n, CUDA_R_64F,
                                    m.A + count_of(k, m.n, m.n), m.n, CUDA_R_64F,
                                    m.u + count_of(k, m.n), CUDA_R_64F, work_.get(), on_device,
                                    host_work_.data(), on_host, info + k));
}

void SymmetricEigensolver::syevj(const SymmetricMatrices& m, int* info) {
  const Context& c = *context_;
  int size = 0;
  SPEX_GPU_CHECK(cusolverDnDsyevj_bufferSize(c.solver(), vectors, lower, m.n, m.A, m.n, m.u, &size,
                                             c.jacobi()));
  reserve_work(static_cast<std::size_t>(size) * sizeof(double), 0);
  for (int k = 0; k < m.count; ++k)
    SPEX_GPU_CHECK(cusolverDnDsyevj(
        c.solver(), vectors, lower, m.n, m.A + count_of(k, m.n, m.n), m.n, m.u + count_of(k, m.n),
        reinterpret_cast<double*>(work_.get()), size, info + k, c.jacobi()));
}

void SymmetricEigensolver::syevj_batched(const SymmetricMatrices& m, int* info) {
  const Context& c = *context_;
  int size = 0;
  SPEX_GPU_CHECK(cusolverDnDsyevjBatched_bufferSize(c.solver(), vectors, lower, m.n, m.A, m.n, m.u,
                                                    &size, c.jacobi(), m.count));
  reserve_work(static_cast<std::size_t>(size) * sizeof(double), 0);
  SPEX_GPU_CHECK(cusolverDnDsyevjBatched(c.solver(), vectors, lower, m.n, m.A, m.n, m.u,
                                         reinterpret_cast<double*>(work_.get()), size, info,
                                         c.jacobi(), m.count));
}

void SymmetricEigensolver::syev_batched(const SymmetricMatrices& m, int* info) {
#if CUSOLVER_VERSION >= 11701
  const Context& c = *context_;
  std::size_t on_device = 0, on_host = 0;
  SPEX_GPU_CHECK(cusolverDnXsyevBatched_bufferSize(c.solver(), c.params(), vectors, lower, m.n,
                                                   CUDA_R_64F, m.A, m.n, CUDA_R_64F, m.u,
                                                   CUDA_R_64F, &on_device, &on_host, m.count));
  reserve_work(on_device, on_host);
  SPEX_GPU_CHECK(cusolverDnXsyevBatched(c.solver(), c.params(), vectors, lower, m.n, CUDA_R_64F,
                                        m.A, m.n, CUDA_R_64F, m.u, CUDA_R_64F, work_.get(),
                                        on_device, host_work_.data(), on_host, info, m.count));
#else
  syevd(m, info);
#endif
}

}  // namespace spex::gpu
