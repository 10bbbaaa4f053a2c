#include "reference/frame/bad_2d_fits.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "reference/core/median.hpp"
#include "reference/model/mask_bits.hpp"

namespace spex {
namespace {

// Whether all values are below bad_fit_factor times their median, without computing the median: if
// more than half of the values exceed a fifth of the largest, the median does, too.
bool median_bounds_all(const double* values, int count) {
  if (count == 0) return true;
  constexpr double beyond_rounding = 1 + 1e-12;
  const double bound = beyond_rounding * *std::max_element(values, values + count) / bad_fit_factor;
  return 2 * std::count_if(values, values + count, [&](double v) { return v > bound; }) > count;
}

void flag_above_medians(Frame& frame) {
  // The median over fibers, computed only for the wavelengths that need it.
  std::vector<std::optional<double>> at_wavelength(frame.nwave);
  std::vector<double> column(frame.nspec);
  const auto median_at = [&](int w) {
    if (!at_wavelength[w]) {
      for (int s = 0; s < frame.nspec; ++s) column[s] = frame.chi2pix[frame.bin(s, w)];
      at_wavelength[w] = median(column);
    }
    return *at_wavelength[w];
  };
  for (int s = 0; s < frame.nspec; ++s) {
    const double* const row = frame.chi2pix.data() + frame.bin(s, 0);
    if (median_bounds_all(row, frame.nwave)) continue;
    const double of_fiber = median({row, row + frame.nwave});
    for (int w = 0; w < frame.nwave; ++w)
      if (row[w] > bad_fit_factor * of_fiber && row[w] > bad_fit_factor * median_at(w))
        frame.mask[frame.bin(s, w)] |= specmask::BAD2DFIT;
  }
}

}  // namespace

void flag_bad_2d_fits(Frame& frame, Bad2dFit rule) {
  if (rule == Bad2dFit::relative) {
    flag_above_medians(frame);
    return;
  }
  for (std::size_t j = 0; j < frame.nbins(); ++j)
    if (frame.chi2pix[j] > bad_fit_chi2) frame.mask[j] |= specmask::BAD2DFIT;
}

}  // namespace spex
