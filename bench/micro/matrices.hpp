// Matrices for the benchmarks of linear algebra; column-major.
#pragma once

#include <vector>

namespace spex::bench {

/// Orders for which eigendecompositions are measured one at a time.
inline constexpr int eigh_orders[] = {32, 64, 128, 256, 350, 512, 518, 1024, 2048};

/// A random symmetric matrix of order n, positive definite: its eigenvalues lie in a half circle of
/// radius 2 sqrt(n / 3) about 2 sqrt(n), so that few are close and no algorithm ends early.
[[nodiscard]] std::vector<double> random_matrix(int n);

}  // namespace spex::bench
