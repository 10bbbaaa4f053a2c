// Options of the extraction of a frame, with production's names and defaults.
#pragma once

#include <cstdint>
#include <optional>

#include "reference/model/choices.hpp"
#include "reference/model/extract_options.hpp"
#include "reference/model/mask_bits.hpp"
#include "reference/model/wave_range.hpp"

namespace spex {

/// How patches are extracted, and how the inputs are read; names and defaults as on the command
/// line.
struct FrameOptions : ExtractOptions {
  std::optional<WaveRange> wavelength;          ///< if absent, the camera's default grid
  std::optional<XyRange> xyrange;               ///< of the CCD, if the image is a cut-out
  std::uint32_t mask_bits = ccdmask::rejected;  ///< pixels with any of these bits are rejected
  PsfTails psf_tails = PsfTails::off;           ///< tails of spots
};

}  // namespace spex
