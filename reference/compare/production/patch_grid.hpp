// The patches of a frame, and which of them the edge of the CCD cuts.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "reference/compare/frame_file.hpp"
#include "reference/compare/production/pipeline_frame.hpp"
#include "reference/layout/patches.hpp"
#include "reference/model/psf.hpp"

namespace spex {

/// A patch of the frame: fibers [fiber_first, fiber_end) and bins [bin_first, bin_end) of the file.
struct FramePatch {
  Patch patch;                      ///< in the fibers of the PSF and the bins of the grid
  long long fiber_first = 0;        ///< row of FLUX
  long long fiber_end = 0;          ///< one past the last
  long long bin_first = 0;          ///< column of FLUX
  long long bin_end = 0;            ///< one past the last
  std::optional<bool> is_cut = {};  ///< whether the CCD's edge cuts it; nothing without a PSF
};

/// The division of a frame by the options in its header, and its PSF.
class PatchGrid {
 public:
  /// `ours` states the options. `psf_file` is the frame's PSF; empty if unknown. Throws Error if
  /// the header's options are impossible or the PSF cannot be read.
  PatchGrid(const PipelineFrame& ours, const FrameShape& shape, const std::string& psf_file);

  [[nodiscard]] const std::vector<FramePatch>& patches() const { return patches_; }  ///< all
  /// Patches of a row of subbundles.
  [[nodiscard]] long long steps() const { return steps_; }
  /// Whether a PSF tells where the CCD ends.
  [[nodiscard]] bool knows_ccd() const { return psf_.has_value(); }
  /// Whether the spot of bin (s, w) of the file reaches beyond the CCD's first or last row. Only
  /// with a PSF.
  [[nodiscard]] bool reaches_beyond(long long s, long long w) const;

 private:
  [[nodiscard]] int lowest_row(int fiber, int bin) const;
  [[nodiscard]] bool cuts(const Patch& patch) const;

  std::optional<Psf> psf_;
  WaveGrid grid_;
  double pixpad_frac_ = 0;
  long long specmin_ = 0;
  long long steps_ = 0;
  std::vector<FramePatch> patches_;
};

/// psf-CAMERA-EXPID.fits or .fits.gz in the folders of two frames, or the path that `ours` names
/// (IN_PSF); empty if there is none.
[[nodiscard]] std::string find_psf(const PipelineFrame& ours, const std::string& production_path,
                                   const std::string& camera, const std::string& expid);

}  // namespace spex
