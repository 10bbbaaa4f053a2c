// Patches that an engine refuses, which the band engine solves as a whole (extraction.md, section
// 5.1).
#pragma once

#include <functional>
#include <vector>

#include "gpu/extract/band/engine_band.hpp"
#include "gpu/extract/batch/frame_on_device.hpp"
#include "gpu/extract/batch/stage_events.hpp"

namespace spex::gpu {

/// Solves the guarded patches of a frame on a stream of its own, so that those that are known early
/// need no time of their own: few patches leave most of the GPU idle. Call `begin` for each frame
/// first, and `finish` last.
class GuardedPatches {
 public:
  /// What a frame's patches are solved from; must live until `finish`.
  struct Job {
    const ExtractInputs* inputs = nullptr;
    const std::vector<Patch>* patches = nullptr;  ///< all loaded patches of the frame
    FrameOnDevice* frame = nullptr;
    std::vector<std::vector<double>>* models = nullptr;  ///< per patch, or null
    /// f of the whole frame for a bundle's patches, ready on the stream; null with
    /// FluxSolver::patch.
    std::function<const FrameFlux&(int bundle, cudaStream_t stream)> flux;
  };

  explicit GuardedPatches(bool poison)
      : band_(context_, poison), events_(context_.stream()), concurrent_(context_.stream()) {}

  /// Forgets the patches of the previous frame.
  void begin(Job job);
  /// Which of the patches [first, last) are guarded after the work that is enqueued on `stream`.
  /// Later work on it must leave the spectra of these patches alone.
  void note(int first, int last, cudaStream_t stream);
  /// Solves the patches that `note` found, concurrently with the work that was enqueued since.
  /// Waits for `note`. Their time is not measured.
  void solve_noted();
  /// Solves those of the patches `refused` (ascending indices) that are not solved yet, after the
  /// work on `stream` and before later work on it; with `by_bundle`, those of each bundle apart.
  /// `around(indices, work)` runs `work`, which solves these patches.
  using Around = std::function<void(const std::vector<int>&, const std::function<void()>&)>;
  void solve_others(const std::vector<int>& refused, bool by_bundle, cudaStream_t stream,
                    const Around& around);
  /// Makes `stream` wait for all solved patches.
  void hold(cudaStream_t stream) { solved_.hold(stream); }
  /// Waits for all solved patches; their status replaces that in `status`. Returns their indices.
  std::vector<int> finish(std::vector<int>& status);
  /// Adds the times of solve_others to `times`.
  void collect(StageTimes& times) { events_.collect(times); }

 private:
  // The end of the batch of `patches` that begins at `first`.
  [[nodiscard]] std::vector<int>::const_iterator end_of_batch(
      const std::vector<int>& patches, std::vector<int>::const_iterator first,
      bool by_bundle) const;
  void solve(const std::vector<int>& patches, bool by_bundle, StageEvents& events,
             const Around& around);

  Context context_{Priority::high};
  BandEngine band_;
  StageEvents events_;      // of patches that delay the frame
  StageEvents concurrent_;  // of the others
  Job job_;
  int noted_begin_ = 0, noted_end_ = 0;
  Event noted_, ready_, solved_;
  PinnedBuffer<int> noted_status_;
  std::vector<int> index_;      // of the solved patches
  PinnedBuffer<int> statuses_;  // in the order of index_
};

}  // namespace spex::gpu
