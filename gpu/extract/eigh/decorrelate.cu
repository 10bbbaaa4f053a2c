#include "gpu/core/launch.hpp"
#include "gpu/core/lazy_libraries.hpp"
#include "gpu/extract/eigh/decorrelate.hpp"
#include "reference/core/count.hpp"

namespace spex::gpu {
namespace {

constexpr int threads = 256;
constexpr int failed = 1;  // status of a patch

// Largest condition number of a block that Xsyevd decomposes. Its errors are 2e-16 of the largest
// eigenvalue, so beyond this the patch is solved again by fallback_routines.
constexpr double syevd_condition_bound = 1e6;

// Replaces a matrix with a non-finite number by the unit matrix and marks its patch as failed,
// because cuSOLVER's behavior is undefined for such matrices. Each patch has `per_patch` matrices,
// or `owner` identifies the patch.
__global__ void finite_kernel(double* A, int n, const CoreSpectrum* owner, int* status) {
  double* matrix = A + static_cast<size_t>(blockIdx.x) * n * n;
  int bad = 0;
  for (int k = threadIdx.x; k < n * n; k += threads) bad |= isfinite(matrix[k]) ? 0 : 1;
  if (__syncthreads_or(bad) == 0) return;
  for (int k = threadIdx.x; k < n * n; k += threads) matrix[k] = k / n == k % n ? 1.0 : 0.0;
  if (threadIdx.x == 0)
    atomicExch(status + (owner != nullptr ? owner[blockIdx.x].patch : blockIdx.x), failed);
}

// Matrices that cuSOLVER has decomposed, and what is recorded of them.
struct DecomposedMatrices {
  double* u;  // [matrix][n]
  int n;
  const int* info;            // [matrix], of cuSOLVER
  const CoreSpectrum* owner;  // [matrix], as for finite_kernel
  double condition_bound;
  int ill_conditioned;  // status of a patch with a condition number above the bound
  int* status;          // [patch]
  int* clipped;         // [matrix]: 1 if an eigenvalue was too small; null: not stored
};

// Clips eigenvalues to 1e-14 of the largest (section 5), and checks cuSOLVER's info and condition
// numbers.
__global__ void clip_kernel(DecomposedMatrices of) {
  const int n = of.n;
  double* u = of.u + static_cast<size_t>(blockIdx.x) * n;
  const double least = 1e-14 * u[n - 1];
  const bool has_smaller = u[0] < least;
  const bool near_singular = isfinite(of.condition_bound) && u[n - 1] > of.condition_bound * u[0];
  __syncthreads();
  for (int k = threadIdx.x; k < n; k += threads) u[k] = fmax(u[k], least);
  if (threadIdx.x != 0) return;
  if (of.clipped != nullptr && has_smaller) of.clipped[blockIdx.x] = 1;
  int* of_patch = of.status + (of.owner != nullptr ? of.owner[blockIdx.x].patch : blockIdx.x);
  if (of.info[blockIdx.x] != 0 || !(least > 0) || !isfinite(least))
    atomicExch(of_patch, failed);
  else if (near_singular)
    atomicCAS(of_patch, 0, of.ill_conditioned);
}

// X = V diag(u^power)
__global__ void scale_columns_kernel(const double* V, const double* u, int n, double power,
                                     double* X) {
  const size_t column = static_cast<size_t>(blockIdx.x) * n + blockIdx.y;
  const double factor = pow(u[column], power);
  for (int r = threadIdx.x; r < n; r += threads) X[column * n + r] = V[column * n + r] * factor;
}

// x_k = x_k u_k^power
__global__ void scale_vector_kernel(const double* u, long long count, double power, double* x) {
  const long long k = static_cast<long long>(blockIdx.x) * threads + threadIdx.x;
  if (k < count) x[k] *= pow(u[k], power);
}

__global__ void fill_kernel(double value, long long count, double* x) {
  const long long k = static_cast<long long>(blockIdx.x) * threads + threadIdx.x;
  if (k < count) x[k] = value;
}

// Q = X X^T, one block per column. Not cuBLAS, so that rounding does not depend on the batch size.
__global__ void square_kernel(const double* X_all, int m, double* Q_all) {
  const double* X = X_all + static_cast<size_t>(blockIdx.x) * m * m;
  double* Q = Q_all + static_cast<size_t>(blockIdx.x) * m * m;
  const int column = blockIdx.y;
  for (int row = threadIdx.x; row < m; row += blockDim.x) {
    double sum = 0;
    for (int k = 0; k < m; ++k)
      sum += X[static_cast<size_t>(k) * m + row] * X[static_cast<size_t>(k) * m + column];
    Q[static_cast<size_t>(column) * m + row] = sum;
  }
}

// Replaces f by the eigendecomposition's f if N is not positive definite.
__global__ void choose_kernel(const int* not_definite, int n, const double* other, double* f) {
  if (not_definite[blockIdx.x] == 0) return;
  for (int k = threadIdx.x; k < n; k += threads)
    f[static_cast<size_t>(blockIdx.x) * n + k] = other[static_cast<size_t>(blockIdx.x) * n + k];
}

// V diag(u) V^T of `count` matrices of order n.
struct Decomposition {
  int n;
  int count;
  const double* V;  // [count][n][n]
  const double* u;  // [count][n]
};

// X = V diag(u^power)
void scale_columns(const Decomposition& of, double power, double* X, cudaStream_t stream) {
  scale_columns_kernel<<<dim3(of.count, of.n), threads, 0, stream>>>(of.V, of.u, of.n, power, X);
  SPEX_LAUNCH_CHECK();
}

// out = V diag(u^power) V^T x for all matrices; `work` has the size of out.
void apply_function(const Context& context, const Decomposition& of, double power, const double* x,
                    double* work, double* out) {
  const double one = 1, zero = 0;
  const int n = of.n, count = of.count;
  const long long stride = static_cast<long long>(n) * n;
  SPEX_GPU_CHECK(cublasDgemmStridedBatched(context.blas(), CUBLAS_OP_T, CUBLAS_OP_N, n, 1, n, &one,
                                           of.V, n, stride, x, n, n, &zero, work, n, n, count));
  const long long size = static_cast<long long>(n) * count;
  scale_vector_kernel<<<blocks_for(size, threads), threads, 0, context.stream()>>>(of.u, size,
                                                                                   power, work);
  SPEX_LAUNCH_CHECK();
  SPEX_GPU_CHECK(cublasDgemmStridedBatched(context.blas(), CUBLAS_OP_N, CUBLAS_OP_N, n, 1, n, &one,
                                           of.V, n, stride, work, n, n, &zero, out, n, n, count));
}

// B_s = X_s X_s^T for `count` spectra of one patch; X_s is m rows of X's n columns, the first at X.
void spectrum_blocks(const Context& context, const double* X, int n, int m, int count, double* B) {
  const double one = 1, zero = 0;
  SPEX_GPU_CHECK(cublasDgemmStridedBatched(context.blas(), CUBLAS_OP_N, CUBLAS_OP_T, m, m, n, &one,
                                           X, n, m, X, n, m, &zero, B, m,
                                           static_cast<long long>(m) * m, count));
}

}  // namespace

void EigenSolver::decompose(EighRoutine routine, int n, int count, double* A, double* u) {
  reserve(info_, static_cast<std::size_t>(count));
  eigensolver_.decompose(routine, {n, count, A, u}, info_.get());
}

void EigenSolver::solve(const EighRoutines& routines, const Patches& patches) {
  const Context& c = *context_;
  const int count = patches.count;
  const int n = patches.nspec * patches.nwave;
  const auto size = count_of(count, n);
  reserve(u_, size);
  reserve(vectors_, 3 * size);
  finite_kernel<<<count, threads, 0, c.stream()>>>(patches.N, n, nullptr, patches.status);
  SPEX_LAUNCH_CHECK();
  reserve(not_definite_, static_cast<std::size_t>(count));
  normal_solver_.solve(routines.f, {n, count, patches.N, patches.y, patches.f},
                       not_definite_.get());
  decompose(routines.N, n, count, patches.N, u_.get());
  clip_kernel<<<count, threads, 0, c.stream()>>>({u_.get(), n, info_.get(), nullptr,
                                                  patches.condition_bound, guarded, patches.status,
                                                  not_definite_.get()});
  SPEX_LAUNCH_CHECK();
  apply_function(c, {n, count, patches.N, u_.get()}, -1, patches.y, vectors_.get(),
                 vectors_.get() + size);
  choose_kernel<<<count, threads, 0, c.stream()>>>(not_definite_.get(), n, vectors_.get() + size,
                                                   patches.f);
  SPEX_LAUNCH_CHECK();
}

void EigenSolver::decorrelate(const EighRoutines& routines, Decorrelate kind,
                              const Patches& patches, const std::vector<CoreSpectrum>& cores,
                              const SpectraView& spectra) {
  const Context& c = *context_;
  const int count = patches.count;
  const int m = patches.nwave;
  const int n = patches.nspec * m;
  const int ncores = static_cast<int>(cores.size());
  const auto size = count_of(count, n);
  const auto block_size = count_of(m, m);
  reserve(scaled_, size * static_cast<std::size_t>(n));
  reserve(blocks_, cores.size() * block_size);
  reserve(Q_, cores.size() * block_size);
  reserve(cores_, cores.size());
  SPEX_GPU_CHECK(cudaMemcpyAsync(cores_.get(), cores.data(), cores.size() * sizeof(CoreSpectrum),
                                 cudaMemcpyHostToDevice, c.stream()));

  const bool signal = kind == Decorrelate::signal;
  const Decomposition N{n, count, patches.N, u_.get()};
  scale_columns(N, signal ? -0.5 : 0.25, scaled_.get(), c.stream());
  double* out = signal ? blocks_.get() : Q_.get();
  for (int k = 0, first = 0; k < count; ++k) {
    int ncore = 0;
    while (first + ncore < ncores && cores[first + ncore].patch == k) ++ncore;
    const double* X = scaled_.get() + static_cast<std::size_t>(k) * n * n;
    spectrum_blocks(c, X + static_cast<std::size_t>(patches.pad_below) * m, n, m, ncore,
                    out + static_cast<std::size_t>(first) * block_size);
    first += ncore;
  }
  const CoreBatch batch{patches.geometry, cores_.get(), ncores,         m,
                        {n, m, 1},        patches.q,    patches.status, spectra};
  if (!signal) {
    // Row sums and Q f use the whole patch.
    double* r = vectors_.get() + size;
    double* Qf = r + size;
    fill_kernel<<<blocks_for(static_cast<long long>(size), threads), threads, 0, c.stream()>>>(
        1.0, static_cast<long long>(size), Qf);
    SPEX_LAUNCH_CHECK();
    apply_function(c, N, 0.5, Qf, vectors_.get(), r);
    apply_function(c, N, 0.5, patches.f, vectors_.get(), Qf);
    store_noise(batch, Q_.get(), r, Qf, c.stream());
    return;
  }
  store_roots(routines.blocks, batch, blocks_.get(), patches.f);
}

void EigenSolver::store_roots(EighRoutine routine, const CoreBatch& batch, double* C,
                              const double* f) {
  const Context& c = *context_;
  const int ncores = batch.ncores, m = batch.m;
  const std::size_t size = count_of(ncores, m, m);
  reserve(block_u_, count_of(ncores, m));
  reserve(scaled_, size);
  reserve(Q_, size);
  finite_kernel<<<ncores, threads, 0, c.stream()>>>(C, m, batch.cores, batch.status);
  SPEX_LAUNCH_CHECK();
  decompose(routine, m, ncores, C, block_u_.get());
  const double condition_bound = routine == EighRoutine::dsyevd ? syevd_condition_bound : INFINITY;
  clip_kernel<<<ncores, threads, 0, c.stream()>>>({block_u_.get(), m, info_.get(), batch.cores,
                                                   condition_bound, failed, batch.status, nullptr});
  SPEX_LAUNCH_CHECK();
  // Q_s = V diag(u^-1/2) V^T as X X^T with X = V diag(u^-1/4)
  scale_columns({m, ncores, C, block_u_.get()}, -0.25, scaled_.get(), c.stream());
  square_kernel<<<dim3(ncores, m), 64, 0, c.stream()>>>(scaled_.get(), m, Q_.get());
  SPEX_LAUNCH_CHECK();
  reserve(row_sums_, 2 * count_of(ncores, m));
  store_signal(batch, Q_.get(), f, row_sums_.get(), c.stream());
}

}  // namespace spex::gpu
