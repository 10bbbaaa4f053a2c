// Copies the spectra of a frame to the host, as patches or as a whole frame.
#pragma once

#include <vector>

#include "gpu/core/context.hpp"
#include "gpu/extract/batch/batch_view.hpp"
#include "gpu/extract/batch/host_transfers.hpp"
#include "gpu/files/pack_resolution.hpp"
#include "reference/extract/extract_patches.hpp"
#include "reference/model/extracted.hpp"
#include "reference/model/frame.hpp"

namespace spex::gpu {

/// The spectra of a loaded frame, and what their transfer needs.
struct FrameSpectra {
  const Context* context = nullptr;
  SpectraView spectra;
  int fiber = 0;  ///< the PSF's fiber that is fiber 0 of the spectra
  HostTransfers* transfers = nullptr;
  DeviceBuffer<double>* room = nullptr;  ///< for R in another form; loses its numbers
  ResolutionPacker* packer = nullptr;
};

/// Waits for the stream and copies the spectra of all patches of the frame, in their order.
[[nodiscard]] std::vector<PatchResult> download_patches(const FrameSpectra& from,
                                                        const std::vector<PatchGeometry>& patches);

/// A frame of zeros for download_frame(), with R unless it will be packed. Takes milliseconds: to
/// be called while the GPU works.
[[nodiscard]] Frame frame_to_fill(const FrameSpectra& from, const ExtractInputs& inputs,
                                  SpectraOf wanted);

/// Waits for the stream and copies a whole frame without MASK (flux and ivar per Angstrom,
/// extraction.md, section 7), with R in the requested form, into `to.frame` and `to.resolution`.
/// `to.frame` is a frame_to_fill().
void download_frame(const FrameSpectra& from, SpectraOf wanted, Extracted& to);

}  // namespace spex::gpu
