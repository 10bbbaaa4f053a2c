#include "reference/compare/production/patch_grid.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <system_error>

#include <fmt/format.h>

#include "reference/io/read_psf.hpp"
#include "reference/layout/wavelengths.hpp"
#include "reference/model/extract_options.hpp"
#include "reference/psf/spots.hpp"

namespace spex {
namespace {

constexpr double far_off_ccd = 1e6;  // rows; polynomials may have any value out of their range

ExtractOptions options_of(const PipelineFrame& ours, const FrameShape& shape) {
  ExtractOptions o;
  const auto whole = [&](const char* keyword, int otherwise) {
    return static_cast<int>(ours.number(keyword, otherwise));
  };
  o.specmin = static_cast<int>(ours.file.specmin);
  o.nspec = static_cast<int>(shape.nspec);
  o.bundlesize = whole("BUNDLESZ", o.bundlesize);
  o.nsubbundles = whole("NSUBBUN", o.nsubbundles);
  o.nwavestep = whole("NWAVESTP", o.nwavestep);
  o.wavepad = whole("WAVEPAD", o.wavepad);
  o.pixpad_frac = ours.number("PIXPADFR", o.pixpad_frac);
  o.wavepad_frac = ours.number("WAVPADFR", o.wavepad_frac);
  return o;
}

}  // namespace

PatchGrid::PatchGrid(const PipelineFrame& ours, const FrameShape& shape,
                     const std::string& psf_file) {
  if (!psf_file.empty()) psf_ = read_psf(psf_file);
  const ExtractOptions o = options_of(ours, shape);
  pixpad_frac_ = o.pixpad_frac;
  specmin_ = o.specmin;
  const std::vector<double>& wave = ours.file.image("WAVELENGTH")->value;
  const double heliocor = ours.number("HELIOCOR", 1);
  const double dw = wave.size() > 1 ? wave[1] - wave[0] : ours.number("WAVESTEP", 1);
  grid_ = {wave.front() / heliocor, dw / heliocor, static_cast<int>(shape.nwave)};
  const int end = o.specmin + static_cast<int>(shape.nspec);
  const int whole_bundles = (end + o.bundlesize - 1) / std::max(1, o.bundlesize) * o.bundlesize;
  for (const Patch& patch :
       make_patches(o, grid_, psf_ ? psf_->nfiber : std::max(end, whole_bundles))) {
    FramePatch one{.patch = patch};
    one.fiber_first = std::max(0LL, patch.spec_first - specmin_);
    one.fiber_end = std::min(shape.nspec, patch.spec_first + patch.nspec - specmin_);
    one.bin_first = patch.wave_first;
    one.bin_end = patch.wave_first + patch.nkept;
    if (psf_) one.is_cut = cuts(patch);
    steps_ = std::max<long long>(steps_, patch.step + 1);
    patches_.push_back(one);
  }
}

int PatchGrid::lowest_row(int fiber, int bin) const {
  const double row = std::floor(spot_center(*psf_, fiber, grid_.at(bin)).y - psf_->hsizey + 0.5);
  return static_cast<int>(std::clamp(row, -far_off_ccd, far_off_ccd));
}

bool PatchGrid::reaches_beyond(long long s, long long w) const {
  const int row = lowest_row(static_cast<int>(s + specmin_), static_cast<int>(w));
  return row < 0 || row + psf_->ny() > psf_->npix_y;
}

// As used_pixels (layout/patches.hpp), before the rows are clipped to the CCD.
bool PatchGrid::cuts(const Patch& patch) const {
  int ypadmin = std::numeric_limits<int>::max(), ypadmax = std::numeric_limits<int>::min();
  int ymin = ypadmin, ymax = ypadmax;
  for (int s = patch.padded_spec_first(); s < patch.padded_spec_first() + patch.padded_nspec(); ++s)
    for (int w = patch.padded_wave_first(); w < patch.padded_wave_first() + patch.padded_nwave();
         ++w) {
      const int row = lowest_row(s, w);
      ypadmin = std::min(ypadmin, row);
      ypadmax = std::max(ypadmax, row + psf_->ny());
      if (w < patch.wave_first || w >= patch.wave_first + patch.nwave) continue;
      ymin = std::min(ymin, row);
      ymax = std::max(ymax, row + psf_->ny());
    }
  const RowRange used = used_rows(ypadmin, ypadmax, ymin, ymax, pixpad_frac_);
  return used.lo < 0 || used.hi > psf_->npix_y;
}

std::string find_psf(const PipelineFrame& ours, const std::string& production_path,
                     const std::string& camera, const std::string& expid) {
  namespace fs = std::filesystem;
  std::vector<fs::path> candidates;
  for (const std::string& frame : {production_path, ours.file.path})
    for (const char* ending : {".fits", ".fits.gz"})
      candidates.push_back(fs::path(frame).parent_path() /
                           fmt::format("psf-{}-{}{}", camera, expid, ending));
  candidates.emplace_back(ours.find("IN_PSF").value_or(""));
  for (const fs::path& path : candidates) {
    std::error_code ignored;
    if (fs::is_regular_file(path, ignored)) return path.string();
  }
  return "";
}

}  // namespace spex
