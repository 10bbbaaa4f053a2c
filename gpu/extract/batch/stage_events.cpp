#include "gpu/extract/batch/stage_events.hpp"

namespace spex::gpu {

void StageEvents::begin(Stage stage) {
  if (used_ == spans_.size()) {
    Span span;
    cudaEvent_t event = nullptr;
    SPEX_GPU_CHECK(cudaEventCreate(&event));
    span.begin.reset(event);
    SPEX_GPU_CHECK(cudaEventCreate(&event));
    span.end.reset(event);
    spans_.push_back(std::move(span));
  }
  spans_[used_].stage = stage;
  SPEX_GPU_CHECK(cudaEventRecord(spans_[used_].begin.get(), stream_));
}

void StageEvents::end() {
  SPEX_GPU_CHECK(cudaEventRecord(spans_[used_].end.get(), stream_));
  ++used_;
}

void StageEvents::collect(StageTimes& times) {
  SPEX_GPU_CHECK(cudaStreamSynchronize(stream_));
  for (std::size_t k = 0; k < used_; ++k) {
    float milliseconds = 0;
    SPEX_GPU_CHECK(cudaEventElapsedTime(&milliseconds, spans_[k].begin.get(), spans_[k].end.get()));
    times.add(spans_[k].stage, milliseconds * 1e-3);
  }
  used_ = 0;
}

}  // namespace spex::gpu
