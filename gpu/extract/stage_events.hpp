// Seconds that stages take on the GPU, by events on its stream.
#pragma once

#include <vector>

#include "gpu/core/context.hpp"
#include "gpu/core/nvtx.hpp"
#include "reference/core/stage_times.hpp"

namespace spex::gpu {

/// Records where stages begin and end on a stream; the host does not wait until the times are asked
/// for. Events are kept for the next use.
class StageEvents {
 public:
  explicit StageEvents(cudaStream_t stream) : stream_(stream) {}

  /// Runs `work`, which puts a stage's work on the stream, within an NVTX range of its name.
  template <class Work>
  void time(Stage stage, const Work& work) {
    const StageRange range(stage);
    begin(stage);
    work();
    end();
  }

  /// Adds all stages recorded so far to `times`, once the stream is idle, and forgets them.
  void collect(StageTimes& times);

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
