#include "reference/extract/quality.hpp"

#include <algorithm>
#include <climits>
#include <utility>

#include "reference/core/count.hpp"
#include "reference/extract/chi_square.hpp"

namespace spex {

PixelRange box_around(const PatchSpots& spots, const PixelRange& range) {
  PixelRange box{INT_MAX, INT_MIN, INT_MAX, INT_MIN};
  for (int j = 0; j < spots.n(); ++j) {
    const int xc = spots.xc(j), yc = spots.yc(j);
    box = {std::min(box.x0, xc), std::max(box.x1, xc + spots.spots->nx), std::min(box.y0, yc),
           std::max(box.y1, yc + spots.spots->ny)};
  }
  return {std::max(box.x0, range.x0), std::min(box.x1, range.x1), std::max(box.y0, range.y0),
          std::min(box.y1, range.y1)};
}

namespace {

// pixmask_fraction from sum_i A_ij [W_i > 0].
std::vector<double> masked_fraction(std::vector<double> good) {
  for (double& sum : good) sum = std::clamp(1 - sum, 0.0, 1.0);
  return good;
}

}  // namespace

std::vector<double> pixmask_fraction(const PatchSpots& spots, const PatchPixels& pixels) {
  std::vector<double> good(pixels.W.size());
  for (std::size_t i = 0; i < good.size(); ++i) good[i] = pixels.W[i] > 0 ? 1.0 : 0.0;
  return masked_fraction(apply_transpose(spots, pixels.range, good));
}

std::vector<double> chi2pix(const PatchSpots& core, const PatchSpots& spots,
                            const PatchPixels& pixels, const std::vector<double>& f, double psferr,
                            Chi2Pixels counted) {
  return quality(core, spots, pixels, f, psferr, counted).chi2pix;
}

PatchQuality quality(const PatchSpots& core, const PatchSpots& spots, const PatchPixels& pixels,
                     const std::vector<double>& f, double psferr, Chi2Pixels counted) {
  const PixelRange box = box_around(core, pixels.range);
  const std::vector<double> m = apply(spots, box, f);
  std::vector<double> chi2(m.size()), good(m.size()), used(m.size());
  for (int y = 0; y < box.ny(); ++y) {
    const std::size_t row = count_of(box.y0 + y - pixels.range.y0, pixels.range.nx()) +
                            count_of(box.x0 - pixels.range.x0);
    for (int x = 0; x < box.nx(); ++x) {
      const std::size_t i = count_of(y, box.nx()) + count_of(x), at = row + count_of(x);
      const ChiSquare one = chi_square(pixels.p[at], m[i], pixels.W[at], psferr, counted);
      chi2[i] = one.value;
      good[i] = pixels.W[at] > 0 ? 1.0 : 0.0;
      used[i] = one.counts ? 1.0 : 0.0;
    }
  }
  auto [sums, of_good] = apply_transpose(core, box, chi2, good);
  // Mostly all good pixels count.
  const std::vector<double> weight = used == good ? of_good : apply_transpose(core, box, used);
  for (std::size_t j = 0; j < sums.size(); ++j) sums[j] = weight[j] > 0 ? sums[j] / weight[j] : 0.0;
  return {masked_fraction(std::move(of_good)), std::move(sums)};
}

}  // namespace spex
