// What a micro-benchmark computes is looked at once, before the clock runs. A check throws
// std::runtime_error `what: ...`, which ends the program with status 1.
#pragma once

#include <vector>

namespace spex::bench {

/// No number differs from the expected one by more than `tolerance`, nor is it not finite.
void require_close(const char* what, const std::vector<double>& found,
                   const std::vector<double>& expected, double tolerance);

/// A = V diag(u) V^T for a symmetric A of order n, as A V = V diag(u) to 1e-12 n of the largest u.
void require_decomposition(const char* what, const std::vector<double>& A, int n,
                           const std::vector<double>& V, const std::vector<double>& u);

}  // namespace spex::bench
