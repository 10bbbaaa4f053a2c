#include "bench/micro/checks.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "reference/core/lapack.hpp"

namespace spex::bench {

void require_close(const char* what, const std::vector<double>& found,
                   const std::vector<double>& expected, double tolerance) {
  if (found.size() != expected.size())
    throw std::runtime_error(
        fmt::format("{}: {} numbers ({} expected)", what, found.size(), expected.size()));
  for (std::size_t k = 0; k < found.size(); ++k)
    if (!(std::abs(found[k] - expected[k]) <= tolerance))
      throw std::runtime_error(fmt::format("{}: number {} is {:.17g} ({:.17g} expected, to {:.1g})",
                                           what, k, found[k], expected[k], tolerance));
}

void require_decomposition(const char* what, const std::vector<double>& A, int n,
                           const std::vector<double>& V, const std::vector<double>& u) {
  std::vector<double> product(A.size()), scaled = V;
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1.0, A.data(), n, V.data(), n,
              0.0, product.data(), n);
  for (std::size_t k = 0; k < scaled.size(); ++k) scaled[k] *= u[k / static_cast<std::size_t>(n)];
  const double largest = *std::max_element(u.begin(), u.end());
  require_close(what, product, scaled, 1e-12 * n * largest);
}

}  // namespace spex::bench
