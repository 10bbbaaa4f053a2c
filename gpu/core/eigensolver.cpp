#include "gpu/core/eigensolver.hpp"

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

SyevRoom syev_room(const Context& context, [[maybe_unused]] SyevCalls calls,
                   const SymmetricMatrices& m) {
  SyevRoom room;
#if CUSOLVER_VERSION >= 11701
  if (calls == SyevCalls::one) {
    SPEX_GPU_CHECK(cusolverDnXsyevBatched_bufferSize(
        context.solver(), context.params(), vectors, lower, m.n, CUDA_R_64F, m.A, m.n, CUDA_R_64F,
        m.u, CUDA_R_64F, &room.on_device, &room.on_host, m.count));
    return room;
  }
#endif
  SPEX_GPU_CHECK(cusolverDnXsyevd_bufferSize(context.solver(), context.params(), vectors, lower,
                                             m.n, CUDA_R_64F, m.A, m.n, CUDA_R_64F, m.u, CUDA_R_64F,
                                             &room.on_device, &room.on_host));
  return room;
}

void syev(const Context& context, [[maybe_unused]] SyevCalls calls, const SymmetricMatrices& m,
          const SyevRoom& room, std::byte* on_device, std::byte* on_host, int* info) {
#if CUSOLVER_VERSION >= 11701
  if (calls == SyevCalls::one) {
    SPEX_GPU_CHECK(cusolverDnXsyevBatched(
        context.solver(), context.params(), vectors, lower, m.n, CUDA_R_64F, m.A, m.n, CUDA_R_64F,
        m.u, CUDA_R_64F, on_device, room.on_device, on_host, room.on_host, info, m.count));
    return;
  }
#endif
  for (int k = 0; k < m.count; ++k)
    SPEX_GPU_CHECK(cusolverDnXsyevd(context.solver(), context.params(), vectors, lower, m.n,
                                    CUDA_R_64F, m.A + count_of(k, m.n, m.n), m.n, CUDA_R_64F,
                                    m.u + count_of(k, m.n), CUDA_R_64F, on_device, room.on_device,
                                    on_host, room.on_host, info + k));
}

}  // namespace spex::gpu
