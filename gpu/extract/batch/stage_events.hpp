// Measures stages on the GPU by events on its stream.
#pragma once

#include <vector>

#include "gpu/core/context.hpp"
#include "gpu/core/nvtx.hpp"
#include "reference/core/stage_times.hpp"

namespace spex::gpu {

/// Records the begin and end of stages on a stream. The host waits only when the times are
/// collected. Events are reused.
class StageEvents {
 public:
  explicit StageEvents(cudaStream_t stream) : stream_(stream) {}

  /// Runs `work`, which enqueues a stage's work on the stream, in an NVTX range of the stage's
  /// name.
  template <class Work>
  void time(Stage stage, const Work& work) {
    const StageRange range(stage);
    begin(stage);
    work();
    end();
  }

  /// Waits for the recorded stages, adds them to `times`, and clears the records.
  void collect(StageTimes& times);

  /// Drops the records of a frame that failed.
  void clear() { used_ = 0; }

 private:
  void begin(Stage stage);
  void end();

  using Owner = detail::Owner<cudaEvent_t, detail::DeleteEvent>;
  struct Span {
    Stage stage = Stage::read;
    Owner begin, end;
  };
  cudaStream_t stream_;
  std::vector<Span> spans_;
  std::size_t used_ = 0;
};

}  // namespace spex::gpu
