#include "reference/layout/patches.hpp"

#include <algorithm>
#include <climits>

#include <fmt/format.h>

#include "reference/core/error.hpp"
#include "reference/model/extract_options.hpp"
#include "reference/model/option_table.hpp"

namespace spex {
namespace {

void check_spectra(const ExtractOptions& o, int nfiber) {
  if (o.specmin >= nfiber)
    throw usage_error("--specmin", fmt::format("{} exceeds the PSF's fibers", o.specmin),
                      fmt::format("0 to {}", nfiber - 1));
  if (o.nspec && *o.nspec > nfiber - o.specmin)
    throw usage_error(
        "--nspec",
        fmt::format("{} spectra from fiber {} exceed the PSF's fibers", *o.nspec, o.specmin),
        fmt::format("1 to {}", nfiber - o.specmin));
}

}  // namespace

std::vector<Patch> make_patches(const ExtractOptions& options, const WaveGrid& grid, int nfiber) {
  check_options(options);
  check_spectra(options, nfiber);
  const int spec_begin = options.specmin;
  const int spec_end = spec_begin + options.nspec_of(nfiber);
  const int sub_size = options.bundlesize / options.nsubbundles;
  const int wavepad = effective_wavepad(options.wavepad, options.wavepad_frac);

  std::vector<Patch> patches;
  for (int bundle = spec_begin / options.bundlesize; bundle * options.bundlesize < spec_end;
       ++bundle) {
    const int bundle_begin = bundle * options.bundlesize;
    const int bundle_end = std::min(bundle_begin + options.bundlesize, nfiber);
    for (int sub = 0; sub < options.nsubbundles; ++sub) {
      const int first = bundle_begin + sub * sub_size;
      const int last = std::min(first + sub_size, bundle_end);
      if (first >= spec_end || last <= spec_begin || first >= last) continue;
      for (int step = 0; step * options.nwavestep < grid.nwave; ++step) {
        Patch patch;
        patch.bundle = bundle;
        patch.subbundle = sub;
        patch.step = step;
        patch.spec_first = first;
        patch.nspec = last - first;
        patch.pad_below = first > bundle_begin ? 1 : 0;
        patch.pad_above = last < bundle_end ? 1 : 0;
        patch.wave_first = step * options.nwavestep;
        patch.nwave = options.nwavestep;
        patch.nkept = std::min(options.nwavestep, grid.nwave - patch.wave_first);
        patch.wavepad = wavepad;
        patches.push_back(patch);
      }
    }
  }
  return patches;
}

PixelRange used_pixels(const PatchSpots& spots, int wavepad, double pixpad_frac, int nx_ccd,
                       int ny_ccd) {
  int xmin = INT_MAX, xmax = INT_MIN;
  int ypadmin = INT_MAX, ypadmax = INT_MIN;
  int ymin = INT_MAX, ymax = INT_MIN;
  for (int j = 0; j < spots.n(); ++j) {
    if (spots.xc(j) == dark_corner) continue;
    const int w = j % spots.nwave;
    xmin = std::min(xmin, spots.xc(j));
    xmax = std::max(xmax, spots.xc(j) + spots.spots->nx);
    ypadmin = std::min(ypadmin, spots.yc(j));
    ypadmax = std::max(ypadmax, spots.yc(j) + spots.spots->ny);
    if (w < wavepad || w >= spots.nwave - wavepad) continue;
    ymin = std::min(ymin, spots.yc(j));
    ymax = std::max(ymax, spots.yc(j) + spots.spots->ny);
  }
  if (ymin > ymax) return {};  // no core bin has light
  const RowRange rows = used_rows(ypadmin, ypadmax, ymin, ymax, pixpad_frac);
  return {std::max(xmin, 0), std::min(xmax, nx_ccd), std::max(rows.lo, 0),
          std::min(rows.hi, ny_ccd)};
}

}  // namespace spex
