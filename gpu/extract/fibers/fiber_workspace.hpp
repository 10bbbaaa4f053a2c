// The stages of the fiber engine, from pairs of overlapping spots to spectra, and their shared
// device memory. The flux of the whole frame is in fiber_workspace_flux.cpp.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "gpu/extract/batch/patch_batch.hpp"
#include "gpu/extract/fibers/fiber_root.hpp"
#include "gpu/extract/frame_flux/frame_system_memory.hpp"
#include "gpu/extract/frame_flux/sweep_progress.hpp"
#include "gpu/extract/normal_equations/prior.hpp"
#include "gpu/extract/reject_pixels/pixel_rejection.hpp"
#include "reference/extract/frame_flux.hpp"

namespace spex::gpu {

/// The stages for a batch of patches and their device memory, which is allocated once and grows on
/// demand. Call `begin` first, then the stages in order of declaration. A stage enqueues work on
/// the context's stream and waits only where documented.
class FiberWorkspace {
 public:
  /// Solves what the GPU cannot with `host_threads` threads.
  FiberWorkspace(const Context& context, bool poison, int host_threads)
      : context_(&context), poison_(poison), host_threads_(host_threads), frame_memory_(poison) {}

  /// Whether the stages support a frame's patches: signal decorrelation, and bands of a compiled
  /// reach. The answer is the same for all patches of a frame on every rank.
  [[nodiscard]] bool can_do(const FrameOnDevice& frame, const ExtractInputs& inputs) const;

  /// Allocates memory for a batch of a supported frame. `poison` fills the memory with NaN.
  void begin(PatchBatch batch, const ExtractInputs& inputs);

  /// N with its prior by spectra, y and q (extraction.md, section 4): assemble_bands and
  /// assemble_patches.
  void assemble();
  /// N without its prior, y and q of all fibers and bins.
  void assemble_bands();
  /// Finds the pixels of the batch's bundles to reject, and leaves them out of the bands (section
  /// 5.3). Call between the parts of `assemble`. Waits for the GPU.
  void reject_pixels(PixelRejection& rejection, StageEvents& events);
  /// N of the patches with its prior, y and q, from the bands.
  void assemble_patches();
  /// Factors all N_ss (section 5.1).
  void factor();
  /// Rejects patches with spectra two or more apart that share light (section 5.1). Call after
  /// `assemble` and before `take_frame_flux`, which rejects bundles by the same light.
  void check_far_light();
  /// Computes f of each patch by sweeps over its spectra.
  void sweep();
  /// An alternative to `sweep`: takes f from the whole frame (section 5.2). Bins beyond the frame's
  /// grid have f of the patch. The reference solves bundles that the guard rejects or that the
  /// batch contains only in part. `rejection`, if there is one, has rejected pixels of them. Adds
  /// the bundles' solutions to `flux`, without f, which download_flux fetches. Waits for the GPU.
  void take_frame_flux(const ExtractInputs& inputs, PixelRejection* rejection,
                       std::map<int, FrameFlux>& flux);
  /// Downloads f of a bundle that take_frame_flux added, unless `flux` already has it. Waits for
  /// `stream`.
  void download_flux(FrameFlux& flux, cudaStream_t stream) const;
  /// Computes P_s of the core spectra.
  void correct();
  /// Computes Q_s and the spectra (section 5.1) of those that need no term of E.
  void roots();
  /// Adds the terms of E to the other spectra, which are complete after quality(): terms of a few
  /// spectra leave most of the GPU idle, so that they are computed concurrently. Leaves patches
  /// that are guarded before.
  void add_terms();
  /// Computes chi2pix and pixmask_fraction (section 6); clears the spectra of failed and rejected
  /// patches.
  void quality();
  /// Downloads the model image parts of the batch into `models[k]` of patch k of the frame. Waits
  /// for the GPU.
  void download_models(std::vector<std::vector<double>>& models);

  [[nodiscard]] const PatchBatch& batch() const { return batch_; }
  [[nodiscard]] const FiberLayout& layout() const { return layout_; }
  [[nodiscard]] FiberBands bands() const { return {band_.get(), pair_.get()}; }
  /// P_s of the batch's core spectra; valid after `correct`.
  [[nodiscard]] SchurComplements complements() const;
  [[nodiscard]] WaitingSpectra waiting() const;
  [[nodiscard]] FiberSolution fibers() const;

 private:
  [[nodiscard]] FiberRoots root_batch() const;
  // The other stream's context.
  [[nodiscard]] const Context& beside();
  // Which bins share light with fibers two or more away.
  void find_shared_light();
  // The bundles of a batch whose flux of the frame is solved here and by the reference, and the
  // places of the fibers of the former.
  struct Bundles {
    std::vector<int> here, by_reference;
    std::vector<BundleOfFiber> place;
  };
  [[nodiscard]] Bundles bundles_of_batch(const ExtractInputs& inputs) const;
  // A bundle's solution by sweeps, without f.
  [[nodiscard]] static FrameFlux flux_by_sweeps(const ExtractInputs& inputs, int bundle);
  // Keeps f of these bundles and all between them for download_flux.
  void keep_flux(const ExtractInputs& inputs, const std::vector<int>& bundles,
                 const FrameSystem& system);
  // Solves a bundle by the reference, and copies f of the batch's fibers into the system. Waits for
  // the GPU.
  [[nodiscard]] FrameFlux solve_by_reference(const ExtractInputs& inputs, int bundle,
                                             PixelRejection* rejection, const FrameSystem& system);
  // Copies the frame's flux into the batch's patches after the enqueued sweeps.
  void put_flux(const FrameSystem& system);
  // Sweeps until all bundles have converged. Copies their flux into the patches, after f of the
  // patches for bins beyond the frame's grid.
  void sweep_bundles(const FrameSystem& system, SweepProgress& progress);
  // What most stages take.
  [[nodiscard]] FiberBatch fiber_batch() const;
  // The PSF's fiber of the first spots.
  [[nodiscard]] int first_fiber() const { return batch_.frame->fiber() + batch_.spots.first_spec; }
  // Bands of all bins of the batch's spots, from which patches take theirs.
  [[nodiscard]] FrameBands frame_bands() const;
  // Vectors over the padded bins of all patches. assemble writes y, sweep replaces y by f.
  [[nodiscard]] double* y() const { return bins_.get(); }
  [[nodiscard]] double* q() const { return y() + vector_; }
  [[nodiscard]] double* good() const { return q() + vector_; }
  [[nodiscard]] double* prior() const { return good() + vector_; }
  [[nodiscard]] double* g() const { return prior() + vector_; }
  [[nodiscard]] PriorInput prior_input() const { return {layout_.strides(), q(), regularize_}; }
  [[nodiscard]] SolutionView solution() const { return {layout_.strides(), y(), q(), good()}; }

  const Context* context_;
  bool poison_;
  int host_threads_;
  PatchBatch batch_;
  double regularize_ = 0;
  double psferr_ = 0;
  Chi2Pixels chi2_pixels_ = Chi2Pixels::weighted;
  bool light_found_ = false;  // find_shared_light for these weights
  FiberLayout layout_;
  std::size_t vector_ = 0;
  DeviceBuffer<double> frame_, band_, pair_, factor_, inverse_, trace_, complement_bands_,
      complement_bins_, scratch_, bins_;
  DeviceBuffer<float> outside_;  // of the complements
  DeviceBuffer<double> quality_pixels_;
  DeviceBuffer<double> waiting_;     // of WaitingSpectra: sums, then bounds
  DeviceBuffer<int> waiting_index_;  // its count, then the spectra
  DeviceBuffer<unsigned char> far_;
  DeviceBuffer<CoreSpectrum> cores_;
  // The flux of the whole frame and the terms of E are computed on a separate stream, concurrently
  // with the patches, because their kernels leave much of the GPU idle.
  std::optional<Context> beside_;
  Event assembled_, factored_, far_found_, swept_, kept_, roots_found_, terms_added_;
  FrameSystemMemory frame_memory_;
  DeviceBuffer<double> scales_;  // m of each patch, for the prior of the frame
  DeviceBuffer<double> flux_;    // of the frame: [fiber of the PSF][bin of the extended grid]
};

}  // namespace spex::gpu
