// What an extraction gives.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "reference/model/frame.hpp"
#include "reference/model/packed_image.hpp"
#include "reference/model/patch_result.hpp"

namespace spex {

/// In which form spectra are wanted.
enum class SpectraOf {
  patches,        ///< those of each patch apart
  frame,          ///< of the whole frame, whose patches are all asked for
  written_frame,  ///< the same, with R in float, as files have it
  packed_frame,   ///< the same, with R packed where the extractor can, as .gz files have it
};

/// The results of patches, in their order. An extractor that was asked for a whole frame, and has
/// its spectra in one piece, gives them in `frame`, and of the patches all but the spectra.
struct Extracted {
  Extracted() = default;
  /// Patches alone, which are what an extractor of patches returns.
  // NOLINTNEXTLINE(google-explicit-constructor)
  Extracted(std::vector<PatchResult> results) : patches(std::move(results)) {}

  std::vector<PatchResult> patches;  ///< in the order asked for
  std::optional<Frame> frame;        ///< without MASK; take_frame makes it
  /// R of `frame`, which has none itself then; absent where a packed R was not asked for or would
  /// not be smaller.
  std::optional<PackedImage> resolution;
};

}  // namespace spex
