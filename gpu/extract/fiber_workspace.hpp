// The stages of the fiber engine, from the pairs of overlapping spots to the spectra, and the
// device memory that they share.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "gpu/extract/fiber_roots.hpp"
#include "gpu/extract/frame_solve.hpp"
#include "gpu/extract/normal_equations.hpp"
#include "gpu/extract/patch_batch.hpp"
#include "reference/extract/frame_flux.hpp"

namespace spex::gpu {

/// Device memory for a batch of patches, made once and grown as batches ask for, and the stages
/// that work on it. `begin` comes first, then each stage after the one above it; a stage puts its
/// work on the context's stream and waits only where it says so.
class FiberWorkspace {
 public:
  FiberWorkspace(const Context& context, bool poison) : context_(&context), poison_(poison) {}

  /// Whether the stages can do a frame's patches at all: signal decorrelation, and bands for which
  /// there are kernels. The same for all patches of a frame, on every rank.
  [[nodiscard]] bool can_do(const FrameOnDevice& frame, const ExtractInputs& inputs) const;

  /// Makes room for a batch of a frame that can be done. With `poison`, all of it is NaN.
  void begin(PatchBatch batch, const ExtractInputs& inputs);

  /// N with its prior by spectra, y and q (extraction.md, section 4).
  void assemble();
  /// Factors of all N_ss (section 5.1).
  void factor();
  /// f by sweeps over the spectra, of the patches that end beyond bin `first_end` of the extended
  /// grid.
  void sweep(int first_end = 0);
  /// f of the whole frame in place of the patches' own (section 5.2), between `sweep` and
  /// `correct`. A bundle that its guard refuses, or that the batch does not hold whole, is solved
  /// by the reference. Adds to `flux`, by bundle, what is known of each; f itself stays here until
  /// download_flux asks for it. Waits for the GPU.
  void take_frame_flux(const ExtractInputs& inputs, std::map<int, FrameFlux>& flux);
  /// f of a bundle that take_frame_flux has added, if it is not there yet. Waits for the GPU.
  void download_flux(FrameFlux& flux) const;
  /// P_s of the core spectra.
  void correct();
  /// Q_s and the spectra (section 5.1).
  void roots();
  /// chi2pix and pixmask_fraction (section 6); the spectra of patches that failed or that the guard
  /// refused are cleared.
  void quality();
  /// The parts of the model image into `models[k]` of patch k of the frame. Waits for the GPU.
  void download_models(std::vector<std::vector<double>>& models);

  [[nodiscard]] const PatchBatch& batch() const { return batch_; }
  [[nodiscard]] const FiberLayout& layout() const { return layout_; }
  [[nodiscard]] FiberBands bands() const { return {band_.get(), pair_.get()}; }
  /// P_s of the batch's core spectra, after `correct`.
  [[nodiscard]] SchurComplements complements() const;
  [[nodiscard]] FiberSolution fibers() const {
    return {factor_.get(), inverse_.get(), trace_.get(), y(), g()};
  }

 private:
  // Of the batch's fibers over all wavelengths; `place` is on the host.
  [[nodiscard]] FrameSystem frame_system(const ExtractInputs& inputs,
                                         const std::vector<BundleOfFiber>& place, int nbundles);
  // Puts the frame's flux into the batch's patches, when the sweeps so far are done.
  void put_flux(const FrameSystem& system);
  // Sweeps until all bundles have settled, and which have; their flux is put into the patches.
  [[nodiscard]] std::vector<bool> sweep_bundles(const FrameSystem& system);
  // Of all bins of the batch's spots, which its patches take theirs from.
  [[nodiscard]] FrameBands frame_bands() const;
  // Vectors over the padded bins of all patches. assemble fills y with y, sweep makes it f.
  [[nodiscard]] double* y() const { return bins_.get(); }
  [[nodiscard]] double* q() const { return y() + vector_; }
  [[nodiscard]] double* good() const { return q() + vector_; }
  [[nodiscard]] double* prior() const { return good() + vector_; }
  [[nodiscard]] double* g() const { return prior() + vector_; }
  [[nodiscard]] SolutionView solution() const { return {layout_.strides(), y(), q(), good()}; }

  const Context* context_;
  bool poison_;
  PatchBatch batch_;
  double regularize_ = 0;
  double psferr_ = 0;
  Chi2Pixels chi2_pixels_ = Chi2Pixels::weighted;
  FiberLayout layout_;
  std::size_t vector_ = 0;
  DeviceBuffer<double> frame_, band_, pair_, factor_, inverse_, trace_, complement_bands_,
      complement_bins_, scratch_, bins_;
  // What lies outside the bands of the complements, until there are roots; then quality's pixels.
  DeviceBuffer<double> room_;
  DeviceBuffer<unsigned char> far_;
  DeviceBuffer<CoreSpectrum> cores_;
  // The flux of the whole frame is found on a stream of its own, beside what the patches need: its
  // kernels leave much of the GPU idle.
  std::optional<Context> beside_;
  Event bins_taken_, far_found_, swept_;
  DeviceBuffer<double> frame_bins_, frame_factor_, frame_sides_;
  DeviceBuffer<BundleOfFiber> frame_place_;
  DeviceBuffer<double> frame_moved_;
  DeviceBuffer<int> frame_refused_;
  DeviceBuffer<double> flux_;  // of the frame: [fiber of the PSF][bin of the extended grid]
};

}  // namespace spex::gpu
