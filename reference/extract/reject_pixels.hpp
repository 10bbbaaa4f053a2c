// Pixels that the model cannot explain, such as cosmic rays that preprocessing missed
// (extraction.md, section 5.3).
#pragma once

#include <cstdint>
#include <vector>

#include "reference/extract/extract_patches.hpp"
#include "reference/extract/frame_flux.hpp"
#include "reference/layout/patches.hpp"
#include "reference/model/patch_result.hpp"
#include "reference/model/preproc.hpp"

namespace spex {

/// The rejected pixels of a bundle.
struct RejectedPixels {
  std::vector<std::uint32_t> places;  ///< y nx + x of the CCD, ascending
  int rounds = 0;                     ///< rounds in which pixels were rejected

  /// The number of places within `range`, on a CCD of `nx` columns.
  [[nodiscard]] int count_within(const PixelRange& range, int nx) const;
  /// Sets what the result of a patch of the bundle says of them. `range`: the pixels of the patch.
  void put_into(const Patch& patch, const PixelRange& range, int nx, PatchResult& result) const;
};

/// A copy of the pixels of a frame, in which the rejected pixels of one bundle have no weight.
class BundlePixels {
 public:
  /// `frame` must outlive this object.
  explicit BundlePixels(const Pixels& frame) : frame_(frame), own_(frame) {}

  [[nodiscard]] const Pixels& pixels() const { return own_; }  ///< with the weights of now
  /// Sets W_i = 0 at these places.
  void reject(const std::vector<std::uint32_t>& places);
  /// Gives these places their weights again.
  void restore(const std::vector<std::uint32_t>& places);

 private:
  const Pixels& frame_;
  Pixels own_;
};

/// Bounds of the rejection.
namespace reject_bounds {
/// Rounds, at most.
inline constexpr int max_rounds = 5;
/// What `wavepad` is wider by than that of the extraction: light beyond the extended grid is in no
/// model, and disturbs the pixels near its ends.
inline constexpr int more_wavepad = 10;
/// The threshold of a pixel next to a rejected one, relative to that of others.
inline constexpr double neighbor = 0.5;
/// 1 - h_i, at least: a pixel that alone holds a bin leaves no residual.
inline constexpr double min_spread = 0.1;
}  // namespace reject_bounds

/// The bins that the rejection needs before and after those of a bundle's patches.
[[nodiscard]] int more_bins(const ExtractInputs& inputs);

/// Finds the pixels of one bundle that exceed the model by `inputs.options.reject_pixels` sigmas,
/// and takes their weights in `pixels`, which holds those of the frame. `spots` are those of the
/// bundle's fibers at the bins of its patches and `more_bins` before and after them. The result
/// depends on the frame, the bundle and the options alone. Throws as evaluate_spots.
[[nodiscard]] RejectedPixels reject_pixels(const ExtractInputs& inputs, int bundle,
                                           const Spots& spots, BundlePixels& pixels, int threads,
                                           StageTimes& times);

}  // namespace spex
