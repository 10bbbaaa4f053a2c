// A GPU whose context breaks under a run: a process of its own, as nothing else works in it then.
#include <atomic>

#include "gpu/core/context.hpp"
#include "gpu/extract/extractor.hpp"
#include "gpu/tests/break_context.hpp"
#include "mpi/tests/run/exposure_runs.hpp"

namespace spex::mpi {
namespace {

// Extractors 0 and 2 are on GPU 0, which breaks at the first frame that either is given; 1 and 3
// are the CPU, which stands for another GPU.
class LostGpu : public ExposureRuns {
 protected:
  LostGpu() : ExposureRuns(6) {}

  PatchExtractor make(int slot) {
    if (slot % 2 == 1)
      return [this](const ExtractInputs& of, const std::vector<Patch>& share, StageTimes& times,
                    const std::function<void(long)>& done) {
        while (given == 0) std::this_thread::yield();  // the GPU is to have a frame
        return cpu_extractor(1)(of, share, times, done);
      };
    auto gpu = std::make_shared<gpu::Extractor>(gpu::ExtractorSettings{});
    return [this, gpu](const ExtractInputs& of, const std::vector<Patch>& share, StageTimes& times,
                       const std::function<void(long)>& done) {
      if (given++ == 0) {
        gpu::use_device(0);
        gpu::test::break_context();
      }
      return gpu->extract_patches(of, share, times, done);
    };
  }

  std::atomic<int> given = 0;
};

TEST_F(LostGpu, LeavesThePoolWithItsExtractorsAndNoFrameIsLost) {
  if (gpu::device_count() == 0) GTEST_SKIP() << "skipped: there is no GPU here";
  ExposureJob job = all_frames(Schedule::pipeline);
  job.extractors = 4;
  job.devices = 2;
  job.readers = 4;
  const ExposureSummary summary = run_exposure(world, job, [this](int slot) { return make(slot); });
  EXPECT_EQ(summary.failed, 0);
  // Both extractors may have had a frame when it broke, and neither gets another.
  EXPECT_GE(given, 1);
  EXPECT_LE(given, 2);
  expect_outputs(job);
}

}  // namespace
}  // namespace spex::mpi
