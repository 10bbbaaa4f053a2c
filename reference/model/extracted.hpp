// The result of an extraction.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "reference/model/frame.hpp"
#include "reference/model/packed_image.hpp"
#include "reference/model/patch_result.hpp"

namespace spex {

/// The requested form of the spectra.
enum class SpectraOf {
  patches,        ///< separate spectra of each patch
  frame,          ///< spectra of the whole frame; requires all patches of the frame
  written_frame,  ///< the same, with R in float as in files
  packed_frame,   ///< the same, with R packed as in .gz files if the extractor supports it
};

/// Patch results in the requested order. If a whole frame was requested, an extractor may return
/// the spectra in `frame`; the patch results then lack their spectra.
struct Extracted {
  Extracted() = default;
  /// Converts the results of an extractor that returns only patches.
  // NOLINTNEXTLINE(google-explicit-constructor)
  Extracted(std::vector<PatchResult> results) : patches(std::move(results)) {}

  std::vector<PatchResult> patches;  ///< in the requested order
  std::optional<Frame> frame;        ///< without MASK, which take_frame adds
  /// Packed R of `frame`, whose own R is then empty. Absent if a packed R was not requested or
  /// would not be smaller.
  std::optional<PackedImage> resolution;
};

}  // namespace spex
