// A GPU whose context breaks during a run; in a separate process, because CUDA is unusable
// afterwards.
#include <atomic>

#include "gpu/core/context.hpp"
#include "gpu/extract/extract_patches.hpp"
#include "gpu/tests/break_context.hpp"
#include "mpi/run/exposure_job.hpp"
#include "mpi/tests/run/exposure_runs.hpp"
#include "reference/core/error.hpp"

namespace spex::mpi {
namespace {

// Extractors 0 and 2 are on GPU 0, which breaks at their first frame; extractors 1 and 3 use the
// CPU in place of another GPU.
class LostGpu : public ExposureRuns {
 protected:
  LostGpu() : ExposureRuns(6) {}

  PatchExtractor make(int slot) {
    if (slot % 2 == 1)
      return [this](const ExtractInputs& of, const std::vector<Patch>& share, StageTimes& times,
                    const std::function<void(long)>& done) {
        while (given == 0) std::this_thread::yield();  // wait until the GPU has a frame
        return cpu_extractor(1)(of, share, times, done);
      };
    const Counter counter{made};
    auto gpu = std::make_shared<gpu::Extractor>(gpu::ExtractorSettings{});
    return [this, gpu](const ExtractInputs& of, const std::vector<Patch>& share, StageTimes& times,
                       const std::function<void(long)>& done) {
      if (given++ == 0) {
        while (made < 2) std::this_thread::yield();  // a GPU that breaks earlier fails the run
        gpu::use_device(0);
        gpu::test::break_context();
      }
      return gpu->extract_patches(of, share, times, done);
    };
  }

  // Counts at the end of a scope, also after an exception.
  struct Counter {
    std::atomic<int>& count;
    ~Counter() { ++count; }
  };

  std::atomic<int> made = 0;   // attempts to make an extractor on GPU 0
  std::atomic<int> given = 0;  // frames that these were given
};

TEST_F(LostGpu, RemovesItsExtractorsAndLosesNoFrame) {
  if (gpu::device_count() == 0) GTEST_SKIP() << "skipped: there is no GPU here";
  const gpu::Context context;
  ExposureJob job = all_frames(Schedule::pipeline);
  job.extractors = 4;
  job.devices = 2;
  job.readers = 4;
  const ExposureSummary summary = run_exposure(world, job, [this](int slot) { return make(slot); });
  EXPECT_EQ(summary.failed, 0);
  // Both extractors may have had a frame when the GPU broke; neither gets another frame.
  EXPECT_GE(given, 1);
  EXPECT_LE(given, 2);
  expect_outputs(job);
  // A library's call fails with a status of its own, but the GPU is lost all the same.
  try {
    static_cast<void>(context.blas());
    ADD_FAILURE() << "cuBLAS works on a lost context";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::device) << error.what();
  }
}

}  // namespace
}  // namespace spex::mpi
