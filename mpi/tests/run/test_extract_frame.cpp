// One frame over all ranks: what happens where one of them cannot do its part.

#include <functional>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mpi/comm/broadcast.hpp"
#include "mpi/comm/collective.hpp"
#include "mpi/run/extract_frame.hpp"
#include "reference/core/error.hpp"
#include "reference/tests/support/change_fits.hpp"
#include "reference/tests/support/scratch.hpp"
#include "spex_test_paths.hpp"

namespace spex::mpi {
namespace {

const std::string golden = SPEX_SOURCE_DIR "/golden/tiny-b/";

// Two bundles of five fibers, each a subbundle, and one wavelength step: ten patches.
class ExtractFrame : public testing::Test {
 protected:
  ExtractFrame() {
    on_root(world, [&] {
      scratch = std::make_unique<test::ScratchFolder>();
      job.input = golden + "preproc.fits";
      job.psf = scratch->copy_of(golden + "psf.fits", "psf.fits");
      job.output = scratch->file("frame.fits");
    });
    for (std::string* name : {&job.input, &job.psf, &job.output}) broadcast(world, *name);
    job.program = "test";
    job.show_progress = false;
    job.options.wavelength = WaveRange{3620, 3628, 0.8};
    job.options.bundlesize = 5;
    job.options.nwavestep = 11;
    job.options.wavepad = 2;
  }

  // The error of extract_frame, which must be the same on every rank.
  std::string caught() {
    std::string mine = "no error";
    try {
      extract_frame(world, job, extractor);
    } catch (const Error& error) {
      mine = error.what();
    }
    std::string of_root = mine;
    broadcast(world, of_root);
    EXPECT_EQ(mine, of_root) << "rank " << world.rank();
    return mine;
  }
  void expect_no_output() {
    if (world.is_root()) {
      EXPECT_THAT(scratch->names(), testing::ElementsAre("psf.fits"));
    }
  }

  const Communicator world = Communicator::world();
  std::unique_ptr<test::ScratchFolder> scratch;  // on rank 0
  FrameJob job;
  PatchExtractor extractor = cpu_extractor(1);
};

TEST_F(ExtractFrame, CountsAllPatches) {
  const FrameSummary summary = extract_frame(world, job, extractor);
  if (!world.is_root()) return;
  EXPECT_EQ(summary.counts.patches, 10);
  EXPECT_EQ(summary.counts.failed, 0);
  EXPECT_GT(summary.times.get(Stage::solve), 0);
  EXPECT_THAT(scratch->names(), testing::ElementsAre("frame.fits", "psf.fits"));
}

TEST_F(ExtractFrame, ErrorInTheShareOfTheLastRankEndsAll) {
  // The width of fiber 9 is negative: only the rank that needs its spots notices.
  on_root(world, [&] { test::set_psf_parameter(job.psf, "GHSIGX", 9, {-1, 0, 0}); });
  for (const Milestone milestone : {Milestone::baseline, Milestone::cpu_refactor}) {
    job.options.milestone = milestone;
    const std::string error = caught();
    const int last = world.size() - 1;
    if (last > 0) {
      EXPECT_THAT(error, testing::StartsWith("rank " + std::to_string(last) + ": "));
    }
    EXPECT_THAT(error, testing::HasSubstr("fiber 9"));
    EXPECT_THAT(error, testing::HasSubstr("positive widths"));
    expect_no_output();
  }
}

TEST_F(ExtractFrame, LastRankOutOfMemoryEndsAll) {
  const int last = world.size() - 1;
  extractor = [this, last](const ExtractInputs& inputs, const std::vector<Patch>& patches,
                           StageTimes& times, const std::function<void(long)>& done) {
    if (world.rank() == last) throw std::bad_alloc();
    return cpu_extractor(1)(inputs, patches, times, done);
  };
  EXPECT_EQ(caught(), last == 0 ? "out of memory" : fmt::format("rank {}: out of memory", last));
  expect_no_output();
}

TEST_F(ExtractFrame, UnreadableInputEndsAll) {
  job.input += ".missing";
  EXPECT_THAT(caught(), testing::StartsWith(job.input + ": "));
  expect_no_output();
}

TEST_F(ExtractFrame, ImpossibleOptionsEndAll) {
  job.options.nspec = 11;
  EXPECT_THAT(caught(), testing::StartsWith("--nspec: "));
  expect_no_output();
}

TEST_F(ExtractFrame, OutputThatCannotBeWrittenEndsAll) {
  job.output = job.psf + "/frame.fits";
  EXPECT_THAT(caught(), testing::StartsWith(job.output + ": "));
  expect_no_output();
}

}  // namespace
}  // namespace spex::mpi
