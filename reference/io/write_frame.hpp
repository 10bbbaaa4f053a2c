// Writes extracted spectra and model images (extraction.md, section 7).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "reference/fits/fits_write.hpp"
#include "reference/fits/gzip.hpp"
#include "reference/model/frame.hpp"
#include "reference/model/packed_image.hpp"
#include "reference/model/preproc.hpp"
#include "reference/model/scores.hpp"

namespace spex {

/// What goes into a frame file beside the spectra.
struct FrameFileContent {
  const Frame* frame = nullptr;         ///< spectra to write; never null
  std::string camera;                   ///< "b0" ...: its letter names the SCORES columns
  std::vector<std::string> cards;       ///< copied into the primary header
  std::vector<HeaderKeyword> keywords;  ///< written after them, and win over them
  /// Whose rows of fibers specmin ... specmin + nspec - 1 are written; the HDU FIBERMAP is left out
  /// where null or empty.
  const Fibermap* fibermap = nullptr;
  const Scores* scores = nullptr;  ///< the HDU SCORES is left out where null
  /// FLUX, IVAR, RESOLUTION and CHI2PIX in float64 and an HDU PIXMASK_FRACTION at the end, so that
  /// a comparison sees more than float32 holds.
  bool full_precision = false;
  int threads = 1;  ///< that write and compress; the bytes are the same
  /// Of a .gz file (gzip.hpp).
  int compress_level = 1;
  /// RESOLUTION in place of the frame's, for a .gz file in float32; the frame's where null.
  const PackedImage* resolution = nullptr;
};

/// Writes FLUX, IVAR, MASK, WAVELENGTH, RESOLUTION, FIBERMAP, CHI2PIX, SCORES with CHECKSUM and
/// DATASUM to a temporary name in the folder of `path` and renames it; gzip-compressed where `path`
/// ends in .gz. The bytes depend on the content alone (no dates). Throws Error(data); then nothing
/// is left behind.
void write_frame(const std::string& path, const FrameFileContent& content);

/// The cards that write_frame puts into the primary header: `cards`, but those whose keyword is one
/// of `keywords`, and then `keywords`. Throws Error(data).
[[nodiscard]] std::vector<std::string> header_cards(const std::vector<std::string>& cards,
                                                    const std::vector<HeaderKeyword>& keywords);

/// Writes a model image (HDU MODEL, f8, BUNIT electron) in the same way.
void write_model(const std::string& path, const ModelImage& model,
                 const std::vector<std::string>& cards, const std::vector<HeaderKeyword>& keywords,
                 const GzipSettings& settings = {});

}  // namespace spex
