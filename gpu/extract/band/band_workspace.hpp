// The stages of the band engine, from pairs of overlapping spots to spectra, and their shared
// device memory.
#pragma once

#include <optional>

#include "gpu/extract/band/symmetric_newton.hpp"
#include "gpu/extract/batch/patch_batch.hpp"
#include "gpu/linalg/block_tridiagonal.hpp"
#include "reference/extract/frame_flux.hpp"

namespace spex::gpu {

/// A patch, and f of the whole frame in the patch's bundle, electron (extraction.md, section 5.2).
struct PatchFlux {
  const Patch* patch = nullptr;
  const FrameFlux* flux = nullptr;
};

/// The stages for a batch of patches and their device memory, which is allocated once and grows on
/// demand. Call `begin` first, then the stages in order of declaration. A stage enqueues work on
/// the context's stream and waits only where documented.
class BandWorkspace {
 public:
  BandWorkspace(const Context& context, bool poison);

  /// Whether the stages support a frame's patches: signal decorrelation, and blocks that fit in
  /// this GPU's shared memory. The answer is the same for all patches of a frame on every rank.
  [[nodiscard]] bool can_do(const FrameOnDevice& frame, const ExtractInputs& inputs) const;

  /// Allocates memory for a batch of a supported frame. `poison` fills the memory with NaN.
  void begin(PatchBatch batch, const ExtractInputs& inputs);

  /// N with its prior in band form, y and q (extraction.md, section 4).
  void assemble();
  /// N = L L^T and f = N^-1 y (section 4). If N cannot be factored, the patch's status becomes 1.
  /// Starts the estimation of condition numbers on a separate stream.
  void factor();
  /// Replaces the patches' own f by f of the whole frame, for all patches of the batch in order.
  /// Waits for the GPU.
  void take_frame_flux(const std::vector<PatchFlux>& flux);
  /// Computes C_s, Q_s and the spectra, except for ill-conditioned C_s (section 5; find_roots).
  void roots();
  /// Computes the spectra of ill-conditioned C_s; find_jacobi_roots replaces C_s by its root.
  void hard_roots();
  /// Finishes the condition estimates of `factor`: a patch with an estimate above
  /// cholesky_condition_bound fails. Its spectra are undefined until `quality` clears them.
  void check();
  /// Computes chi2pix and pixmask_fraction (section 6); clears the spectra of failed patches.
  void quality();
  /// Downloads the model image parts of the batch into `models[k]` of patch k of the frame. Waits
  /// for the GPU.
  void download_models(std::vector<std::vector<double>>& models);

  [[nodiscard]] const PatchBatch& batch() const { return batch_; }
  [[nodiscard]] const BandLayout& layout() const { return layout_; }
  /// The input of find_roots; valid after `factor`.
  [[nodiscard]] RootBatch root_batch() const;

 private:
  // Vectors over the padded bins of all patches. assemble writes y, factor replaces y by f.
  [[nodiscard]] double* y() const { return bins_.get(); }
  [[nodiscard]] double* q() const { return y() + vector_; }
  [[nodiscard]] double* good() const { return q() + vector_; }
  [[nodiscard]] double* prior() const { return good() + vector_; }
  [[nodiscard]] SolutionView solution() const { return {layout_.strides(), y(), q(), good()}; }

  const Context* context_;
  bool poison_;
  PatchBatch batch_;
  double regularize_ = 0;
  double psferr_ = 0;
  Chi2Pixels chi2_pixels_ = Chi2Pixels::weighted;
  BandLayout layout_;
  std::size_t vector_ = 0;
  DeviceBuffer<double> panels_, M_, C_, sums_, bins_, work_, condition_;
  DeviceBuffer<CoreSpectrum> cores_;
  DeviceBuffer<int> hard_;
  // The condition estimate takes as long as the roots and uses little of the GPU; it runs
  // concurrently.
  std::optional<Context> beside_;
  Event factored_, checked_;
};

}  // namespace spex::gpu
