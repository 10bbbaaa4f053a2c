// Two bundles of a simulated camera in device memory, and batches of their patches.
#pragma once

#include "bench/micro/gpu/device.hpp"
#include "bench/micro/kernel_input.hpp"
#include "gpu/extract/batch/patch_batch.hpp"

namespace spex::bench {

/// The frame, loaded.
class FrameInput {
 public:
  explicit FrameInput(const Device& device);

  [[nodiscard]] const KernelInput& input() const { return input_; }
  /// What the frame was loaded from, as an extraction is given it.
  [[nodiscard]] ExtractInputs inputs() const;
  [[nodiscard]] gpu::FrameOnDevice& on_device() { return frame_; }
  /// The number of patches of the first `nbundles`.
  [[nodiscard]] int patches_of(int nbundles) const;
  /// A batch of the first patches for the stages of an engine; their spots are evaluated, and hold
  /// until those of others are.
  [[nodiscard]] gpu::PatchBatch batch(int npatches);
  /// Throws `what: ...` where the spectra of one patch of the first bundle are not the reference's.
  void require_spectra(const char* what);

 private:
  KernelInput input_;
  PatchInput checked_;
  gpu::FrameOnDevice frame_;
};

}  // namespace spex::bench
