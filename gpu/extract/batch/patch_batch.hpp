// Batches of patches of a loaded frame.
#pragma once

#include <vector>

#include "gpu/extract/batch/frame_on_device.hpp"

namespace spex::gpu {

/// Patches of a frame with their spots and maximal sizes. The frame must outlive the batch; the
/// spots are valid until the frame evaluates other spots.
struct PatchBatch {
  const FrameOnDevice* frame = nullptr;
  std::vector<int> index;                          ///< indices among the frame's patches
  const PatchGeometry* device_geometry = nullptr;  ///< per patch, in device memory
  int* device_status = nullptr;                    ///< per patch, in device memory
  int count = 0;
  SpotsView spots;
  int n = 1;                        ///< maximal padded bins of a patch
  int npixel = 1;                   ///< maximal used pixels of a patch
  int ncore_bins = 1;               ///< maximal core bins of a patch
  std::vector<CoreSpectrum> cores;  ///< of all patches, ordered by patch

  /// The patches' geometry in device memory, `[count]`.
  [[nodiscard]] const PatchGeometry* patches() const { return device_geometry; }
  /// Patch `k` of the batch.
  [[nodiscard]] const PatchGeometry& patch(int k) const;
  /// The patches' status in device memory, `[count]`.
  [[nodiscard]] int* status() const { return device_status; }
  [[nodiscard]] int ncores() const { return static_cast<int>(cores.size()); }
  /// What the stages take of it.
  [[nodiscard]] BatchView view() const;
};

/// The batch of the patches [first, last).
[[nodiscard]] PatchBatch make_batch(const FrameOnDevice& frame, int first, int last,
                                    const SpotsView& spots);
/// The batch of a selection of the frame's patches.
[[nodiscard]] PatchBatch make_batch(const FrameOnDevice& frame, const PatchSelection& selection);

/// Writes chi2pix and pixmask_fraction of a batch (extraction.md, section 6), and f if requested,
/// to the frame's spectra, and clears the spectra of patches with a nonzero status. `work` must
/// hold batch.npixel numbers per patch.
void store_quality(const Context& context, const PatchBatch& batch, const SolutionView& solution,
                   double psferr, Chi2Pixels counted, double* work);

/// The second part of store_quality: f if requested, and the patches with a nonzero status.
void end_spectra(const Context& context, const PatchBatch& batch, const SolutionView& solution);

/// Computes A_core f_core of a batch (extraction.md, section 6) and copies it into `models[k]` for
/// patch k of the frame, row-major over the patch's used pixels. `work` must hold batch.npixel
/// numbers per patch. Waits for the GPU.
void download_core_models(const Context& context, const PatchBatch& batch,
                          const SolutionView& solution, double* work,
                          std::vector<std::vector<double>>& models);

}  // namespace spex::gpu
