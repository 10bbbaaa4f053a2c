#include "reference/linalg/symmetric.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>

#include "reference/core/all_finite.hpp"
#include "reference/core/count.hpp"
#include "reference/core/lapack.hpp"

namespace spex {
namespace {

// A negative info is a wrong argument: our mistake, except that LAPACKE also reports NaN like this.
[[noreturn]] void wrong_argument(const char* routine, int info) {
  throw std::logic_error(std::string(routine) + ": argument " + std::to_string(-info) +
                         " is wrong");
}

// B = X X^T of the n columns of X (m x n), symmetric to the last bit.
void multiply_by_own_transpose(const std::vector<double>& X, int m, int n, std::vector<double>& B) {
  const std::size_t rows = m;
  B.resize(rows * rows);
  cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, m, n, 1.0, X.data(), m, 0.0, B.data(), m);
  for (std::size_t c = 0; c < rows; ++c)
    for (std::size_t r = c + 1; r < rows; ++r) B[r * rows + c] = B[c * rows + r];
}

}  // namespace

bool decompose(const std::vector<double>& A, int n, Eigen& eigen) {
  if (!all_finite(A)) return false;
  eigen.n = n;
  eigen.V = A;
  eigen.u.resize(n);
  const int info = LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'L', n, eigen.V.data(), n, eigen.u.data());
  if (info < 0) wrong_argument("dsyevd", info);
  return info == 0 && all_finite(eigen.u);
}

bool decompose_by_dsyevr(const std::vector<double>& A, int n, Eigen& eigen) {
  if (!all_finite(A)) return false;
  eigen.n = n;
  eigen.V.resize(A.size());
  eigen.u.resize(n);
  std::vector<double> destroyed = A;
  std::vector<int> support(2 * eigen.u.size());  // of the eigenvectors
  int found = 0;
  const int info = LAPACKE_dsyevr(LAPACK_COL_MAJOR, 'V', 'A', 'L', n, destroyed.data(), n, 0, 0, 0,
                                  0, 0, &found, eigen.u.data(), eigen.V.data(), n, support.data());
  if (info < 0) wrong_argument("dsyevr", info);
  return info == 0 && found == n && all_finite(eigen.u) && all_finite(eigen.V);
}

void clip_eigenvalues(Eigen& eigen) {
  const double least = 1e-14 * eigen.u.back();
  for (double& u : eigen.u) u = std::max(u, least);
}

void eigen_block(const Eigen& eigen, const std::vector<double>& d, int first, int m,
                 std::vector<double>& B) {
  const int n = eigen.n;
  const std::size_t rows = m;
  // X = V[rows, :] diag(sqrt(d)), B = X X^T.
  std::vector<double> X(rows * static_cast<std::size_t>(n));
  for (int k = 0; k < n; ++k) {
    const double root = std::sqrt(d[k]);
    const double* v = eigen.V.data() + static_cast<std::ptrdiff_t>(k) * n + first;
    double* x = X.data() + static_cast<std::size_t>(k) * rows;
    for (int i = 0; i < m; ++i) x[i] = v[i] * root;
  }
  multiply_by_own_transpose(X, m, n, B);
}

bool inverse_root(const std::vector<double>& A, int n, std::vector<double>& root) {
  if (!all_finite(A)) return false;
  const std::size_t rows = n;
  std::vector<double> L = A;
  int info = LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', n, L.data(), n);
  if (info < 0) wrong_argument("dpotrf", info);
  if (info > 0) return false;
  for (std::size_t c = 1; c < rows; ++c) std::fill_n(L.begin() + count_of(c, n), c, 0.0);

  std::vector<double> s(rows);
  std::array<double, 6> work{};  // its first number scales the singular values
  double no_Z = 0;
  info = LAPACKE_dgesvj(LAPACK_COL_MAJOR, 'L', 'U', 'N', n, n, L.data(), n, s.data(), 0, &no_Z, 1,
                        work.data());
  if (info < 0) wrong_argument("dgesvj", info);
  if (info > 0) return false;
  for (std::size_t c = 0; c < rows; ++c)
    for (std::size_t r = 0; r < rows; ++r) L[c * rows + r] /= std::sqrt(work[0] * s[c]);
  multiply_by_own_transpose(L, n, n, root);
  return all_finite(root);
}

void eigen_apply(const Eigen& eigen, const std::vector<double>& d, const std::vector<double>& y,
                 std::vector<double>& x) {
  const int n = eigen.n;
  std::vector<double> z(n);
  cblas_dgemv(CblasColMajor, CblasTrans, n, n, 1.0, eigen.V.data(), n, y.data(), 1, 0.0, z.data(),
              1);
  for (std::size_t k = 0; k < z.size(); ++k) z[k] *= d[k];
  x.resize(n);
  cblas_dgemv(CblasColMajor, CblasNoTrans, n, n, 1.0, eigen.V.data(), n, z.data(), 1, 0.0, x.data(),
              1);
}

}  // namespace spex
