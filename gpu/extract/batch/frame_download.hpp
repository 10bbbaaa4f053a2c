// Copies the spectra of a frame to the host, as patches or as a whole frame.
#pragma once

#include <vector>

#include "gpu/core/context.hpp"
#include "gpu/extract/batch/batch_view.hpp"
#include "gpu/extract/batch/pinned_pieces.hpp"
#include "gpu/files/pack_resolution.hpp"
#include "reference/extract/extract_patches.hpp"
#include "reference/model/extracted.hpp"

namespace spex::gpu {

/// The spectra of a loaded frame, and what their transfer needs.
struct FrameSpectra {
  const Context* context = nullptr;
  SpectraView spectra;
  int fiber = 0;                         ///< the PSF's fiber that is fiber 0 of the spectra
  PinnedPieces* pieces = nullptr;        ///< for the transfers
  DeviceBuffer<double>* room = nullptr;  ///< for R in another form; loses its numbers
  ResolutionPacker* packer = nullptr;
};

/// Waits for the stream and copies the spectra of all patches of the frame, in their order.
[[nodiscard]] std::vector<PatchResult> download_patches(const FrameSpectra& from,
                                                        const std::vector<PatchGeometry>& patches);

/// Waits for the stream and copies a whole frame without MASK (flux and ivar per Angstrom,
/// extraction.md, section 7), with R in the requested form, into `to.frame` and `to.resolution`.
void download_frame(const FrameSpectra& from, const ExtractInputs& inputs, SpectraOf wanted,
                    Extracted& to);

}  // namespace spex::gpu
