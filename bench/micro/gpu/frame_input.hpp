// Two bundles of a simulated camera in device memory, and the stages' workspaces for some of their
// patches.
#pragma once

#include <vector>

#include "bench/micro/gpu/device.hpp"
#include "bench/micro/kernel_input.hpp"
#include "gpu/extract/band_cholesky.hpp"
#include "gpu/extract/decorrelate.hpp"
#include "gpu/extract/frame_on_device.hpp"
#include "gpu/extract/roots.hpp"

namespace spex::bench {

/// Patches [first, last) of the input.
struct PatchRange {
  int first = 0;
  int last = 0;

  [[nodiscard]] int count() const { return last - first; }
};

/// The frame, loaded, in patches of `nwavestep` core bins.
class FrameInput {
 public:
  explicit FrameInput(const Device& device, int nwavestep = ExtractOptions{}.nwavestep);

  [[nodiscard]] const KernelInput& input() const { return input_; }
  [[nodiscard]] gpu::FrameOnDevice& device() { return frame_; }
  /// All patches of the first `nbundles`.
  [[nodiscard]] PatchRange bundles(int nbundles) const;
  /// Those of the first bundle's third subbundle: all of one shape, n = 518.
  [[nodiscard]] PatchRange subbundle() const;
  /// Most used pixels of a patch among some.
  [[nodiscard]] int most_pixels(const PatchRange& range) const;

 private:
  KernelInput input_;
  gpu::FrameOnDevice frame_;
};

/// What the direct engine (gpu/extract/engine_direct.cpp) holds for a batch of patches, and its
/// stages one by one, each on the device's stream.
class DirectBatch {
 public:
  /// Allocates, and evaluates the spots.
  DirectBatch(const Device& device, FrameInput& frame, const PatchRange& range);

  void assemble();
  /// After assemble: the band and y as they were, for another factorization.
  void keep_assembled();
  void restore_assembled();
  void factor();
  void find_roots();
  /// The spectra of blocks C (ncores of m x m, destroyed) by Jacobi rotations, as the engines of
  /// eigh and what find_roots leaves.
  void find_roots_by_jacobi(gpu::EigenSolver& solver, double* C);

  [[nodiscard]] const gpu::BandLayout& layout() const { return layout_; }
  [[nodiscard]] int ncores() const { return static_cast<int>(cores_.count()); }
  /// Waits for the GPU; throws where a patch could not be done.
  void require_done(const char* what) const;
  /// How many roots find_roots left to Jacobi. Waits for the GPU.
  [[nodiscard]] int hard_roots() const;

 private:
  [[nodiscard]] double* y() const { return bins_.get(); }  ///< becomes f
  [[nodiscard]] double* q() const { return y() + vector_; }
  [[nodiscard]] double* good() const { return q() + vector_; }
  [[nodiscard]] double* prior() const { return good() + vector_; }

  const Device* device_;
  FrameInput* frame_;
  PatchRange range_;
  gpu::SpotsView spots_;
  gpu::BandLayout layout_;
  std::size_t vector_ = 0;  ///< numbers of a vector over the bins of all patches
  gpu::DeviceBuffer<double> panels_, M_, C_, bins_, kept_panels_, kept_y_;
  gpu::DeviceBuffer<gpu::CoreSpectrum> cores_;
  gpu::DeviceBuffer<int> hard_, status_;
};

}  // namespace spex::bench
