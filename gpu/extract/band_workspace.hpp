// The stages of the band engine, from the pairs of overlapping spots to the spectra, and the device
// memory that they share.
#pragma once

#include <optional>

#include "gpu/extract/patch_batch.hpp"
#include "gpu/extract/roots.hpp"
#include "gpu/linalg/band_cholesky.hpp"
#include "reference/extract/frame_flux.hpp"

namespace spex::gpu {

/// A patch, and f of the whole frame in its bundle, electron (extraction.md, section 5.2).
struct PatchFlux {
  const Patch* patch = nullptr;
  const FrameFlux* flux = nullptr;
};

/// Device memory for a batch of patches, made once and grown as batches ask for, and the stages
/// that work on it. `begin` comes first, then each stage after the one above it; a stage puts its
/// work on the context's stream and waits only where it says so.
class BandWorkspace {
 public:
  BandWorkspace(const Context& context, bool poison);

  /// Whether the stages can do a frame's patches at all: signal decorrelation, and blocks that fit
  /// the shared memory of this GPU. The same for all patches of a frame, on every rank.
  [[nodiscard]] bool can_do(const FrameOnDevice& frame, const ExtractInputs& inputs) const;

  /// Makes room for a batch of a frame that can be done. With `poison`, all of it is NaN.
  void begin(PatchBatch batch, const ExtractInputs& inputs);

  /// N with its prior in band form, y and q (extraction.md, section 4).
  void assemble();
  /// N = L L^T and f = N^-1 y (section 4). A patch whose N cannot be factored fails: its status
  /// becomes 1. Begins to estimate condition numbers, on a stream of its own.
  void factor();
  /// f of the whole frame in place of the patches' own, of all patches of the batch in order. Waits
  /// for the GPU.
  void take_frame_flux(const std::vector<PatchFlux>& flux);
  /// C_s, Q_s and the spectra, but for those whose C_s is hard (section 5; find_roots).
  void roots();
  /// The spectra of the hard C_s, with roots by find_jacobi_roots in the place of C_s.
  void hard_roots();
  /// Takes what `factor` began: a patch whose condition number is estimated above
  /// cholesky_condition_bound fails. What it has of a spectrum by then depends on when it did,
  /// until `quality` clears it.
  void check();
  /// chi2pix and pixmask_fraction (section 6); the spectra of failed patches are cleared.
  void quality();
  /// The parts of the model image into `models[k]` of patch k of the frame. Waits for the GPU.
  void download_models(std::vector<std::vector<double>>& models);

  [[nodiscard]] const PatchBatch& batch() const { return batch_; }
  [[nodiscard]] const BandLayout& layout() const { return layout_; }
  /// What find_roots works on; after `factor`.
  [[nodiscard]] RootBatch root_batch() const;

 private:
  // Vectors over the padded bins of all patches. assemble fills y with y, factor makes it f.
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
  // The estimate of condition numbers takes as long as the roots, and leaves the GPU as idle.
  std::optional<Context> beside_;
  Event factored_, checked_;
};

}  // namespace spex::gpu
