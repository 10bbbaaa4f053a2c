// Two bundles of a simulated camera in device memory, and batches of their patches.
#pragma once

#include "bench/micro/gpu/device.hpp"
#include "bench/micro/kernel_input.hpp"
#include "gpu/extract/batch/patch_batch.hpp"
#include "reference/extract/extract_inputs.hpp"

namespace spex::bench {

/// The frame in device memory.
class FrameInput {
 public:
  explicit FrameInput(const Device& device);

  [[nodiscard]] const KernelInput& input() const { return input_; }
  /// The inputs of the frame, as an extraction gets them.
  [[nodiscard]] ExtractInputs inputs() const;
  [[nodiscard]] gpu::FrameOnDevice& on_device() { return frame_; }
  /// The number of patches of the first `nbundles` bundles.
  [[nodiscard]] int patches_of(int nbundles) const;
  /// A batch of the first patches for the stages of an engine. Their spots are valid until those of
  /// another batch are evaluated.
  [[nodiscard]] gpu::PatchBatch batch(int npatches);
  /// Throws `what: ...` if the spectra of one patch of the first bundle differ from the
  /// reference's.
  void require_spectra(const char* what);

 private:
  KernelInput input_;
  PatchInput checked_;
  gpu::FrameOnDevice frame_;
};

}  // namespace spex::bench
