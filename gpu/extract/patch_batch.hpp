// Patches of a loaded frame that an engine works on together.
#pragma once

#include <vector>

#include "gpu/extract/frame_on_device.hpp"

namespace spex::gpu {

/// Some patches of a frame with their spots, and how large the largest is. The frame outlives the
/// batch; the spots hold until the frame evaluates others.
struct PatchBatch {
  const FrameOnDevice* frame = nullptr;
  std::vector<int> index;                          ///< of each among the frame's patches
  const PatchGeometry* device_geometry = nullptr;  ///< of each, in device memory
  int* device_status = nullptr;                    ///< of each, in device memory
  int count = 0;
  SpotsView spots;
  int n = 1;                        ///< most padded bins of a patch
  int npixel = 1;                   ///< most used pixels of a patch
  int ncore_bins = 1;               ///< most core bins of a patch
  std::vector<CoreSpectrum> cores;  ///< of all patches, in order of patch

  /// Their geometry in device memory, `[count]`.
  [[nodiscard]] const PatchGeometry* patches() const { return device_geometry; }
  /// Patch `k` of the batch.
  [[nodiscard]] const PatchGeometry& patch(int k) const;
  /// Their status in device memory, `[count]`.
  [[nodiscard]] int* status() const { return device_status; }
  [[nodiscard]] int ncores() const { return static_cast<int>(cores.size()); }
};

/// The batch of the patches [first, last).
[[nodiscard]] PatchBatch make_batch(const FrameOnDevice& frame, int first, int last,
                                    const SpotsView& spots);
/// The batch of a selection of the frame's patches.
[[nodiscard]] PatchBatch make_batch(const FrameOnDevice& frame, const PatchSelection& selection);

/// chi2pix and pixmask_fraction of a batch (extraction.md, section 6) into the frame's spectra, of
/// which those of patches with a status other than 0 are cleared. `work` has room for
/// batch.npixel numbers a patch.
void store_quality(const Context& context, const PatchBatch& batch, const SolutionView& solution,
                   double psferr, Chi2Pixels counted, double* work);

/// Computes A_core f_core of a batch (extraction.md, section 6) and copies it into `models[k]` for
/// patch k of the frame, rows first over the patch's used pixels. `work` has room for batch.npixel
/// numbers a patch. Waits for the GPU.
void download_core_models(const Context& context, const PatchBatch& batch,
                          const SolutionView& solution, double* work,
                          std::vector<std::vector<double>>& models);

}  // namespace spex::gpu
