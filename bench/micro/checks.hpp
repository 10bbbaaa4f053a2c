// Checks of a micro-benchmark's result, made once before timing. A check throws std::runtime_error
// `what: ...`, which ends the program with status 1.
#pragma once

#include <vector>

namespace spex::bench {

/// Requires finite numbers within `tolerance` of the expected ones.
void require_close(const char* what, const std::vector<double>& found,
                   const std::vector<double>& expected, double tolerance);

/// Requires A = V diag(u) V^T for a symmetric A of order n: A V = V diag(u) to 1e-12 n times the
/// largest u.
void require_decomposition(const char* what, const std::vector<double>& A, int n,
                           const std::vector<double>& V, const std::vector<double>& u);

}  // namespace spex::bench
