// Two bundles of a simulated camera in device memory, and batches of their patches.
#pragma once

#include "bench/micro/gpu/device.hpp"
#include "bench/micro/kernel_input.hpp"
#include "gpu/extract/patch_batch.hpp"

namespace spex::bench {

/// Patches [first, last) of the input.
struct PatchRange {
  int first = 0;
  int last = 0;

  [[nodiscard]] int count() const { return last - first; }
};

/// The frame, loaded.
class FrameInput {
 public:
  explicit FrameInput(const Device& device);

  [[nodiscard]] const KernelInput& input() const { return input_; }
  /// What the frame was loaded from, as an extraction is given it.
  [[nodiscard]] ExtractInputs inputs() const;
  [[nodiscard]] gpu::FrameOnDevice& on_device() { return frame_; }
  /// All patches of the first `nbundles`.
  [[nodiscard]] PatchRange bundles(int nbundles) const;
  /// A batch of patches for the stages of an engine; their spots are evaluated, and hold until
  /// those of others are.
  [[nodiscard]] gpu::PatchBatch batch(const PatchRange& range);
  /// Throws `what: ...` where the spectra of one patch of the first bundle are not the reference's.
  void require_spectra(const char* what);

 private:
  KernelInput input_;
  PatchInput checked_;
  int checked_index_ = 0;  // among the input's patches
  gpu::FrameOnDevice frame_;
};

}  // namespace spex::bench
