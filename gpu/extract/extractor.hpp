// The GPU's milestones (milestones.md): one frame, or some patches of it, on one GPU; the
// counterpart of reference/extract/milestones.hpp.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "reference/core/stage_times.hpp"
#include "reference/extract/milestones.hpp"

namespace spex::gpu {

/// How the work on a GPU is organized.
enum class Engine {
  multi_gpu,        ///< a patch at a time, an eigendecomposition at a time
  batch_eigh,       ///< as multi_gpu, the blocks of a patch in one batch
  batch_subbundle,  ///< all patches of a subbundle in one batch
  direct,  ///< bands straight from the spots, Cholesky, Newton-Schulz roots; bundles at once
};

struct ExtractorSettings {
  int device = 0;
  /// Device buffers are filled with NaN before kernels write them: a number that no kernel wrote
  /// then shows.
  bool poison = false;
};

/// A GPU with its handles and workspaces, made once and used for many frames. Not for several
/// threads at once. Errors of CUDA are thrown as Error(internal); after one the extractor is of no
/// more use.
class Extractor {
 public:
  explicit Extractor(const ExtractorSettings& settings);
  Extractor(Extractor&&) noexcept;
  Extractor& operator=(Extractor&&) noexcept;
  ~Extractor();

  /// As spex::extract_patches, with a GPU engine: results in the order of `patches`, the same bytes
  /// whichever other patches are in the list. `times` gains the seconds on the GPU's clock.
  [[nodiscard]] std::vector<PatchResult> extract_patches(const ExtractInputs& inputs,
                                                         const std::vector<Patch>& patches,
                                                         Engine engine, StageTimes& times,
                                                         const std::function<void(long)>& done);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// Bytes of device memory in use by all processes of the current device.
[[nodiscard]] std::size_t device_memory_used();

}  // namespace spex::gpu
