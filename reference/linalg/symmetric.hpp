// Linear algebra of symmetric matrices through LAPACKE and CBLAS, one thread a call.
//
// Matrices are dense and column-major with leading dimension n; only the lower triangle is read
// where a matrix is symmetric. A factorization that fails is a value (false), not an exception:
// what to do about it is the caller's business.
#pragma once

#include <vector>

namespace spex {

/// Eigendecomposition A = V diag(u) V^T, eigenvalues ascending.
struct Eigen {
  int n = 0;              ///< order of the matrix
  std::vector<double> u;  ///< [n]
  std::vector<double> V;  ///< n x n, eigenvectors in columns
};

/// Decomposes the symmetric A (n x n) by dsyevd. False where LAPACK reports no convergence or A
/// holds a value that is not finite.
[[nodiscard]] bool decompose(const std::vector<double>& A, int n, Eigen& eigen);

/// The same by dsyevr, the routine of SciPy's eigh.
[[nodiscard]] bool decompose_by_dsyevr(const std::vector<double>& A, int n, Eigen& eigen);

/// Raises every eigenvalue below 1e-14 of the largest to that (extraction.md, section 5).
void clip_eigenvalues(Eigen& eigen);

/// B = V[rows, :] diag(d) V[rows, :]^T, the diagonal block of V diag(d) V^T for rows
/// [first, first + m). B is m x m, both triangles set; d has n entries, none negative.
void eigen_block(const Eigen& eigen, const std::vector<double>& d, int first, int m,
                 std::vector<double>& B);

/// A^(-1/2) of the positive definite A (n x n), both triangles set: A = L L^T and L = U diag(s) Z^T
/// by one-sided Jacobi rotations (dgesvj), so that A^(-1/2) = U diag(1/s) U^T. Eigenvalues of A
/// that are far smaller than the largest keep their digits, where rows and columns of A differ in
/// scale by as much; decompose leaves them those that the largest has to spare (Demmel and Veselic
/// 1992). False where A is not positive definite to working precision or LAPACK reports no
/// convergence.
[[nodiscard]] bool inverse_root(const std::vector<double>& A, int n, std::vector<double>& root);

/// x = V diag(d) V^T y; x and y have n entries.
void eigen_apply(const Eigen& eigen, const std::vector<double>& d, const std::vector<double>& y,
                 std::vector<double>& x);

}  // namespace spex
