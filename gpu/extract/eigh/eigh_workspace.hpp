// The stages of the eigh engines, from dense A to spectra, and their shared device memory.
#pragma once

#include <limits>

#include "gpu/extract/batch/patch_batch.hpp"
#include "gpu/extract/eigh/decorrelate.hpp"
#include "gpu/extract/normal_equations/pixel_sums.hpp"
#include "gpu/extract/normal_equations/prior.hpp"

namespace spex::gpu {

/// The stages for a batch of patches of one shape and their device memory, which is allocated once
/// and grows on demand. Call `begin` first, then the stages in order of declaration. A stage
/// enqueues work on the context's stream without waiting.
class EighWorkspace {
 public:
  EighWorkspace(const Context& context, bool poison)
      : context_(&context), poison_(poison), solver_(context) {}

  /// Allocates memory for a batch, which is solved by `routines`. `poison` fills the memory with
  /// NaN. A patch becomes guarded if the condition number of N exceeds `condition_bound`.
  void begin(PatchBatch batch, const EighRoutines& routines, const ExtractInputs& inputs,
             double condition_bound = std::numeric_limits<double>::infinity());

  /// A and W A, dense (extraction.md, section 4).
  void project();
  /// N = A^T (W A), by cuBLAS, without its prior.
  void multiply();
  /// y, q, the prior, and N with the prior: all of section 4, including project and multiply.
  void assemble();
  /// f and the eigendecomposition of N, in place (section 4).
  void solve();
  /// The blocks of C, their roots, and the spectra (section 5).
  void decorrelate();
  /// Computes chi2pix and pixmask_fraction (section 6); clears the spectra of failed patches.
  void quality();
  /// Downloads the model image parts of the batch into `models[k]` of patch k of the frame. Waits
  /// for the GPU.
  void download_models(std::vector<std::vector<double>>& models);

  [[nodiscard]] const PatchBatch& batch() const { return batch_; }
  /// A of the batch, `[patch][n][npixel]`, the pixels of a bin consecutive; set by project.
  [[nodiscard]] const double* A() const { return A_.get(); }
  /// N of the batch, `[patch][n][n]`; set by multiply and assemble.
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
  EighRoutines routines_;
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
