#include "reference/frame/frame_job.hpp"

namespace spex {

PatchExtractor cpu_extractor(int threads) {
  return [threads](const ExtractInputs& inputs, const std::vector<Patch>& patches,
                   StageTimes& times, const std::function<void(long)>& done) {
    return extract_patches(inputs, patches, threads, times, done);
  };
}

}  // namespace spex
