// Writes extracted spectra and model images (extraction.md, section 7).
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "reference/fits/write/fits_write.hpp"
#include "reference/fits/write/gzip.hpp"
#include "reference/model/frame.hpp"
#include "reference/model/packed_image.hpp"
#include "reference/model/preproc.hpp"
#include "reference/model/scores.hpp"

namespace spex {

/// The content of a frame file.
struct FrameFileContent {
  const Frame* frame = nullptr;    ///< spectra to write; never null
  std::string camera;              ///< "b0" ...; the letter selects the names of the SCORES columns
  std::vector<std::string> cards;  ///< copied into the primary header
  std::vector<HeaderKeyword>
      keywords;  ///< written after `cards`; they replace cards with the same keyword
  /// The rows of the frame's spectra, in their order. If null or empty, the file has no HDU
  /// FIBERMAP.
  const Fibermap* fibermap = nullptr;
  const Scores* scores = nullptr;  ///< if null, the file has no HDU SCORES
  /// Write FLUX, IVAR, RESOLUTION and CHI2PIX in float64 and append an HDU PIXMASK_FRACTION, for
  /// comparisons beyond float32 precision.
  bool full_precision = false;
  int threads = 1;  ///< threads that write and compress; the bytes do not depend on them
  /// Compression level of a .gz file (gzip.hpp).
  int compress_level = 1;
  /// Packed RESOLUTION that replaces the frame's, for a .gz file in float32; null: use the frame's.
  const PackedImage* resolution = nullptr;
};

/// Atomically writes FLUX, IVAR, MASK, WAVELENGTH, RESOLUTION, FIBERMAP, CHI2PIX and SCORES with
/// CHECKSUM and DATASUM; gzip-compressed if `path` ends in .gz. The unit of the spectra is that of
/// the card BUNIT, by default electron, per Angstrom. The bytes depend only on the content (no
/// dates). Throws Error(data) and then leaves no file behind.
void write_frame(const std::string& path, const FrameFileContent& content);

/// The cards of the primary header: `cards` without the keywords of `keywords`, then `keywords`.
/// Throws Error(data).
[[nodiscard]] std::vector<std::string> header_cards(const std::vector<std::string>& cards,
                                                    const std::vector<HeaderKeyword>& keywords);

/// Atomically writes a model image (HDU MODEL, f8; BUNIT is that of `cards`, by default electron).
void write_model(const std::string& path, const ModelImage& model,
                 const std::vector<std::string>& cards, const std::vector<HeaderKeyword>& keywords,
                 const GzipSettings& settings = {});

/// The rejected pixels of a CCD.
struct RejectedMask {
  int nx = 0;                         ///< columns of the CCD
  int ny = 0;                         ///< rows of the CCD
  std::vector<std::uint32_t> places;  ///< y nx + x
};

/// Atomically writes the mask of rejected pixels: the HDU MASK, u1 [ny, nx], COSMIC at their places
/// and 0 elsewhere.
void write_rejected(const std::string& path, const RejectedMask& rejected,
                    const std::vector<std::string>& cards,
                    const std::vector<HeaderKeyword>& keywords, const GzipSettings& settings = {});

}  // namespace spex
