// The GPU milestones (milestones.md): extracts a frame or some of its patches on one GPU; the
// counterpart of reference/extract/extract_patches.hpp.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "reference/core/stage_times.hpp"
#include "reference/core/tokens.hpp"
#include "reference/extract/extract_patches.hpp"
#include "reference/model/extracted.hpp"

namespace spex::gpu {

struct ExtractorSettings {
  int device = 0;
  /// Number of extractors that share the GPU, and the host's threads.
  int frames_at_once = 1;
  /// Tokens that these extractors share: each holds one while it computes, so that the others
  /// transfer their frames meanwhile. nullptr: all compute at once.
  std::shared_ptr<Tokens> turns = {};
  /// Fill device buffers with NaN before use, so that unwritten numbers are noticed.
  bool poison = false;
  /// Pins host memory that begins at an address until it is freed; returns false if it cannot.
  /// Empty: nothing is pinned, and transfers take small pinned pieces.
  std::function<bool(const void*)> pin = {};
};

/// A GPU with handles and workspaces, which are created once and used for many frames. Not
/// thread-safe. Throws Error(internal) for CUDA errors such as exhausted memory; after an error of
/// kind `device` neither this extractor nor another on that GPU can be used.
class Extractor {
 public:
  explicit Extractor(const ExtractorSettings& settings);
  Extractor(Extractor&&) noexcept;
  Extractor& operator=(Extractor&&) noexcept;
  ~Extractor();

  /// As spex::extract_patches, by the engine of the options' milestone. Returns results in the
  /// order of `patches`, or a whole frame if requested without a model image. Results are
  /// bit-identical for any other bundles in the list, and for any other patches, unless a library
  /// call batches the patches of a subbundle (EighRoutines::batch_patches). Adds GPU times to
  /// `times`.
  [[nodiscard]] Extracted extract_patches(const ExtractInputs& inputs,
                                          const std::vector<Patch>& patches, StageTimes& times,
                                          const std::function<void(long)>& done);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// Bytes of device memory that all processes use on the current device.
[[nodiscard]] std::size_t device_memory_used();

}  // namespace spex::gpu
