// The GPU's milestones (milestones.md): one frame, or some patches of it, on one GPU; the
// counterpart of reference/extract/extract_patches.hpp.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "reference/core/stage_times.hpp"
#include "reference/extract/extract_patches.hpp"

namespace spex::gpu {

struct ExtractorSettings {
  int device = 0;
  /// Extractors that share the GPU. Where there are several, each takes fewer patches at a time, in
  /// less memory, and the others fill the gaps.
  int frames_at_once = 1;
  /// Device buffers are filled with NaN before kernels write them: a number that no kernel wrote
  /// then shows.
  bool poison = false;
};

/// A GPU with its handles and workspaces, made once and used for many frames. Not for several
/// threads at once. Errors of CUDA are thrown as Error(internal), where memory runs out, say; after
/// one of the kind `device` the extractor is of no more use, nor is another on that GPU.
class Extractor {
 public:
  explicit Extractor(const ExtractorSettings& settings);
  Extractor(Extractor&&) noexcept;
  Extractor& operator=(Extractor&&) noexcept;
  ~Extractor();

  /// As spex::extract_patches, with the engine of the options' milestone: results in the order of
  /// `patches` (or a whole frame, where that is wanted and no model image), the same bytes
  /// whichever other bundles are in the list, and whichever other patches but where a library is
  /// given those of a subbundle together (batches_patches). `times` gains the seconds on the GPU's
  /// clock.
  [[nodiscard]] Extracted extract_patches(const ExtractInputs& inputs,
                                          const std::vector<Patch>& patches, StageTimes& times,
                                          const std::function<void(long)>& done);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// Bytes of device memory in use by all processes of the current device.
[[nodiscard]] std::size_t device_memory_used();

}  // namespace spex::gpu
