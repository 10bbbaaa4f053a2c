#include "reference/extract/quality.hpp"

#include <algorithm>
#include <utility>

#include "reference/extract/chi_square.hpp"

namespace spex {

std::vector<double> pixmask_fraction(const PatchSpots& spots, const PatchPixels& pixels) {
  std::vector<double> good(pixels.W.size());
  for (std::size_t i = 0; i < good.size(); ++i) good[i] = pixels.W[i] > 0 ? 1.0 : 0.0;
  std::vector<double> fraction = apply_transpose(spots, pixels.range, good);
  for (double& f : fraction) f = std::clamp(1 - f, 0.0, 1.0);
  return fraction;
}

std::vector<double> chi2pix(const PatchSpots& spots, const PatchPixels& pixels,
                            const std::vector<double>& f, double psferr, Chi2Pixels counted) {
  const std::vector<double> m = apply(spots, pixels.range, f);
  std::vector<double> chi2(m.size());
  std::vector<double> used(m.size());
  for (std::size_t i = 0; i < m.size(); ++i) {
    const ChiSquare one = chi_square(pixels.p[i], m[i], pixels.W[i], psferr, counted);
    chi2[i] = one.value;
    used[i] = one.counts ? 1.0 : 0.0;
  }
  auto [result, weight] = apply_transpose(spots, pixels.range, chi2, used);
  for (std::size_t j = 0; j < result.size(); ++j)
    result[j] = weight[j] > 0 ? result[j] / weight[j] : 0.0;
  return std::move(result);
}

}  // namespace spex
