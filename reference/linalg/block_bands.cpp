#include "reference/linalg/block_bands.hpp"

#include <algorithm>
#include <cstdlib>

namespace spex {
namespace {

// Numbers after a column: a group of eight bins may begin at its last element.
constexpr int room = 7;

}  // namespace

BlockBands::BlockBands(int nspec, int m, int reach, int apart)
    : nspec_(nspec),
      m_(m),
      reach_(std::min(reach, m - 1)),
      apart_(std::min(apart, nspec - 1)),
      stride_(2 * reach_ + 1 + room) {
  a_.assign(count_of(nspec_, apart_ + 1, m_, stride_), 0.0);
}

BlockBands::BlockBands(const std::vector<double>& N, int n, int m, int min_reach) {
  int reach = min_reach;
  int apart = 0;
  const auto each = [&](const auto& visit) {
    for (int j = 0; j < n; ++j)
      for (int i = j; i < n; ++i)
        if (const double a = N[count_of(j, n) + count_of(i)]; a != 0) visit(i, j, a);
  };
  each([&](int i, int j, double) {
    reach = std::max(reach, std::abs(i % m - j % m));
    apart = std::max(apart, i / m - j / m);
  });
  *this = BlockBands(n / m, m, reach, apart);
  each([&](int i, int j, double a) { column(i / m, j / m, j % m)[i % m - j % m + reach_] = a; });
  mirror_diagonal_blocks();
}

void BlockBands::mirror_diagonal_blocks() {
  for (int s = 0; s < nspec_; ++s)
    for (int v = 0; v < m_; ++v)
      for (int w = std::max(0, v - reach_); w < v; ++w)
        column(s, s, v)[w - v + reach_] = column(s, s, w)[v - w + reach_];
}

double BlockBands::at(int t, int w, int s, int v) const {
  if (s > t) return at(s, v, t, w);
  if (t - s > apart_ || std::abs(w - v) > reach_) return 0;
  // Diagonal blocks are stored as lower triangles.
  return t == s && w < v ? column(s, s, w)[v - w + reach_] : column(t, s, v)[w - v + reach_];
}

std::vector<double> BlockBands::dense() const {
  std::vector<double> N(count_of(n(), n()), 0.0);
  for (int s = 0; s < nspec_; ++s)
    for (int t = s; t <= std::min(s + apart_, nspec_ - 1); ++t)
      for (int v = 0; v < m_; ++v)
        for (int w = std::max(t == s ? v : 0, v - reach_); w <= std::min(m_ - 1, v + reach_); ++w)
          N[count_of(s * m_ + v, n()) + count_of(t * m_ + w)] = column(t, s, v)[w - v + reach_];
  return N;
}

}  // namespace spex
