// Which bins of two frames hold light, and why some hold light in one frame only.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "reference/compare/production/difference.hpp"
#include "reference/compare/production/patch_grid.hpp"
#include "reference/compare/production/pipeline_frame.hpp"
#include "reference/compare/structure.hpp"

namespace spex {

/// The spectra of a frame.
struct Spectra {
  const FrameImage& flux;        ///< [nspec, nwave]
  const FrameImage& ivar;        ///< [nspec, nwave]
  const FrameImage& mask;        ///< [nspec, nwave]
  const FrameImage& resolution;  ///< [nspec, ndiagonals, nwave]
  const FrameImage& chi2pix;     ///< [nspec, nwave]
};
/// The spectra of a frame that has all of these HDUs.
[[nodiscard]] Spectra spectra_of(const FrameFile& file);

/// Two frames of the same camera and exposure, whose HDUs have equal shapes.
struct PipelinePair {
  const PipelineFrame& ours;                ///< of spex-cpu or spex-gpu
  const PipelineFrame& production;          ///< of DESI's pipeline
  FrameShape shape;                         ///< of both
  Spectra a = spectra_of(ours.file);        ///< of ours
  Spectra b = spectra_of(production.file);  ///< of production

  /// Row s as a fiber counted from 0 in the PSF.
  [[nodiscard]] long long fiber(long long s) const { return ours.file.specmin + s; }
  /// Bin (s, w) of HDU `hdu`.
  [[nodiscard]] Place place(const std::string& hdu, long long s, long long w) const {
    return bin_place(ours.file, hdu, s, w);
  }
  /// Index of bin (s, w) in FLUX.
  [[nodiscard]] std::size_t bin(long long s, long long w) const {
    return static_cast<std::size_t>(s * shape.nwave + w);
  }
  /// Index of element (s, d, w) in RESOLUTION.
  [[nodiscard]] std::size_t element(long long s, long long d, long long w) const {
    return static_cast<std::size_t>((s * shape.ndiagonals + d) * shape.nwave + w);
  }
};

/// What a bin holds.
enum class BinState : unsigned char {
  both,     ///< light in both frames: values are compared
  neither,  ///< no light in either
  dropped,  ///< in a patch that production dropped at the edge of the CCD
  dark,     ///< no usable pixel: ours is 0, production keeps the prior
  beyond,   ///< not finite in production; ours is 0 and NODATA
  wrong,    ///< light in one frame only, or values that are no numbers: not expected
};

/// The states of all bins.
struct BinStates {
  std::vector<BinState> state;  ///< [nspec, nwave]
  std::vector<bool> near_dark;  ///< within a padded patch of a bin without light (DarkLimits)
};

/// Finds the states, and adds what differs to `differences`:
///
/// - A patch whose flux, ivar and R are 0 in production alone is dropped if the CCD's edge cuts it.
///   Without a PSF: if all patches from there to the same end of the grid are dropped, too.
/// - A bin with ivar 0 in ours alone is dark if ours flags ALLBADPIX, production's ivar is below
/// 1e-6
///   of the median, and its flux below 1e-4 sigma: that is the prior (extraction.md, section 4).
/// - A bin that is not finite in production is beyond float32 if ours is 0 and flagged NODATA.
[[nodiscard]] BinStates find_bin_states(const PipelinePair& pair, const PatchGrid& grid,
                                        Differences& differences);

}  // namespace spex
