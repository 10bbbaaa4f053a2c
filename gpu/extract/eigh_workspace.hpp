// The stages of the eigh engines, from A in dense form to the spectra, and the device memory that
// they share.
#pragma once

#include <limits>

#include "gpu/extract/decorrelate.hpp"
#include "gpu/extract/normal_equations.hpp"
#include "gpu/extract/patch_batch.hpp"

namespace spex::gpu {

/// Device memory for a batch of patches of one shape, made once and grown as batches ask for, and
/// the stages that work on it. `begin` comes first, then each stage after the one above it; a stage
/// puts its work on the context's stream and does not wait.
class EighWorkspace {
 public:
  EighWorkspace(const Context& context, bool poison)
      : context_(&context), poison_(poison), solver_(context) {}

  /// Makes room for a batch, whose eigendecompositions the library is given as `eigen` says. With
  /// `poison`, all of it is NaN. A patch whose N has a condition number above `condition_bound`
  /// becomes guarded.
  void begin(PatchBatch batch, EigenBatch eigen, const ExtractInputs& inputs,
             double condition_bound = std::numeric_limits<double>::infinity());

  /// A and W A, dense (extraction.md, section 4).
  void project();
  /// N = A^T (W A), by cuBLAS, without its prior.
  void multiply();
  /// y, q, the prior, and N with it: all that section 4 asks for, project and multiply included.
  void assemble();
  /// f and the eigendecomposition of N, in its place (section 4).
  void solve();
  /// The blocks of C, their roots, and the spectra (section 5).
  void decorrelate();
  /// chi2pix and pixmask_fraction (section 6); the spectra of failed patches are cleared.
  void quality();
  /// The parts of the model image into `models[k]` of patch k of the frame. Waits for the GPU.
  void download_models(std::vector<std::vector<double>>& models);

  [[nodiscard]] const PatchBatch& batch() const { return batch_; }
  /// Of project: `[patch][n][npixel]` of the batch, a bin's pixels side by side.
  [[nodiscard]] const double* A() const { return A_.get(); }
  /// Of multiply and assemble: `[patch][n][n]` of the batch.
  [[nodiscard]] const double* N() const { return N_.get(); }

 private:
  [[nodiscard]] EigenSolver::Patches patches() const;
  // Vectors over the padded bins of all patches.
  [[nodiscard]] double* y() const { return bins_.get(); }
  [[nodiscard]] double* q() const { return y() + vector_; }
  [[nodiscard]] double* good() const { return q() + vector_; }
  [[nodiscard]] double* prior() const { return good() + vector_; }
  [[nodiscard]] double* f() const { return prior() + vector_; }
  [[nodiscard]] SolutionView solution() const { return {strides_, f(), q(), good()}; }

  const Context* context_;
  bool poison_;
  EigenSolver solver_;
  PatchBatch batch_;
  EigenBatch eigen_ = EigenBatch::none;
  Decorrelate decorrelate_ = Decorrelate::signal;
  double regularize_ = 0;
  double psferr_ = 0;
  double condition_bound_ = 0;
  Chi2Pixels chi2_pixels_ = Chi2Pixels::weighted;
  BinStrides strides_;
  std::size_t vector_ = 0;
  DeviceBuffer<double> A_, WA_, N_, bins_, work_;
};

}  // namespace spex::gpu
