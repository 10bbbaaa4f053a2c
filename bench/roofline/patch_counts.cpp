#include "bench/roofline/patch_counts.hpp"

#include <algorithm>
#include <cmath>

#include "reference/core/count.hpp"
#include "reference/extract/normal_equations.hpp"
#include "reference/model/extract_options.hpp"
#include "reference/psf/spots.hpp"

namespace spex::bench {
namespace {

// The positions of the spots of a range, without their values.
Spots spot_corners(const Psf& psf, const WaveGrid& grid, const SpotRange& range) {
  return place_spots(psf, range.spec_first, range.nspec(),
                     grid.range(range.wave_first, range.nwave()));
}

// Spot j cut to the used pixels.
PixelRange clip(const PatchSpots& spots, int j, const PixelRange& range) {
  return {std::max(spots.xc(j), range.x0), std::min(spots.xc(j) + spots.spots->nx, range.x1),
          std::max(spots.yc(j), range.y0), std::min(spots.yc(j) + spots.spots->ny, range.y1)};
}

double area(const PixelRange& range) {
  return static_cast<double>(range.nx()) * range.ny();
}

// With c_i spots that cover pixel i, the pairs share sum_i c_i (c_i + 1) / 2 pixels.
double pair_pixels(const PatchSpots& spots, const PixelRange& range) {
  const int stride = range.nx() + 1;
  // Row by row, the difference c_i - c_(i - 1).
  std::vector<int> change(count_of(stride, range.ny()));
  for (int j = 0; j < spots.n(); ++j) {
    const PixelRange spot = clip(spots, j, range);
    if (spot.nx() == 0) continue;
    for (int y = spot.y0; y < spot.y1; ++y) {
      const int row = (y - range.y0) * stride - range.x0;
      ++change[row + spot.x0];
      --change[row + spot.x1];
    }
  }
  double pairs = 0;
  int covering = 0;  // 0 at the end of every row
  for (const int step : change) {
    covering += step;
    pairs += 0.5 * covering * (covering + 1.0);
  }
  return pairs;
}

// Traces ascend or descend, so the bins whose spots overlap with a given one are adjacent. The
// limit of the used pixels is ignored, as on the GPU.
int overlap_reach(const PatchSpots& spots) {
  int reach = 1;
  const auto overlap = [&](int j, int k) {
    return spots.xc(j) != dark_corner && std::abs(spots.xc(j) - spots.xc(k)) < spots.spots->nx &&
           std::abs(spots.yc(j) - spots.yc(k)) < spots.spots->ny;
  };
  for (int s = 0; s < spots.nspec; ++s)
    for (int t = 0; t < spots.nspec; ++t)
      for (int w = 0; w < spots.nwave; ++w)
        while (w + reach + 1 < spots.nwave &&
               overlap(s * spots.nwave + w, t * spots.nwave + w + reach + 1))
          ++reach;
  return std::min(reach, spots.nwave);
}

PatchCounts count_patch(const Patch& patch, const PatchSpots& spots, const Psf& psf,
                        const ExtractOptions& options) {
  PatchCounts counts;
  counts.nspec = patch.padded_nspec();
  counts.ncore = patch.nspec;
  counts.nwave = patch.padded_nwave();
  counts.nkept = patch.nkept;
  counts.n = patch.n();
  counts.range = used_pixels(spots, patch.wavepad, options.pixpad_frac, psf.npix_x, psf.npix_y);
  counts.reach = overlap_reach(spots);
  counts.npixel = area(counts.range);
  if (counts.npixel == 0) return counts;
  for (int j = 0; j < spots.n(); ++j) {
    const double pixels = area(clip(spots, j, counts.range));
    const int s = j / spots.nwave - patch.pad_below;
    const int w = j % spots.nwave - patch.wavepad;
    counts.nonzeros += pixels;
    if (s >= 0 && s < patch.nspec && w >= 0 && w < patch.nkept) counts.core_nonzeros += pixels;
  }
  counts.pair_pixels = pair_pixels(spots, counts.range);
  return counts;
}

}  // namespace

void SpotRange::add(const Patch& patch) {
  spec_first = std::min(spec_first, patch.padded_spec_first());
  spec_last = std::max(spec_last, patch.padded_spec_first() + patch.padded_nspec());
  wave_first = std::min(wave_first, patch.padded_wave_first());
  wave_last = std::max(wave_last, patch.padded_wave_first() + patch.padded_nwave());
}

std::vector<PatchCounts> count_patches(const Psf& psf, const WaveGrid& grid,
                                       const ExtractOptions& options,
                                       const std::vector<Patch>& patches) {
  SpotRange range;
  for (const Patch& patch : patches) range.add(patch);
  const Spots corners = spot_corners(psf, grid, range);
  std::vector<PatchCounts> counts;
  counts.reserve(patches.size());
  for (const Patch& patch : patches)
    counts.push_back(count_patch(
        patch,
        {&corners, patch.padded_spec_first() - range.spec_first,
         patch.padded_wave_first() - range.wave_first, patch.padded_nspec(), patch.padded_nwave()},
        psf, options));
  return counts;
}

}  // namespace spex::bench
