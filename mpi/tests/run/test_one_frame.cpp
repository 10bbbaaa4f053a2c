// One frame over all ranks, with failures on single ranks.

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
#include "mpi/run/exposure.hpp"
#include "mpi/run/exposure_job.hpp"
#include "reference/core/error.hpp"
#include "reference/model/milestones.hpp"
#include "reference/tests/support/change_fits.hpp"
#include "reference/tests/support/scratch.hpp"
#include "reference/tests/support/terminal.hpp"
#include "spex_test_paths.hpp"

namespace spex::mpi {
namespace {

const std::string golden = SPEX_SOURCE_DIR "/golden/tiny-b/";

// Two bundles of five fibers, one fiber per subbundle, and one wavelength step: ten patches.
class OneFrame : public testing::Test {
 protected:
  OneFrame() {
    on_root(world, [&] {
      scratch = std::make_unique<test::ScratchFolder>();
      job.files.input = golden + "preproc.fits";
      job.files.psf = scratch->copy_of(golden + "psf.fits", "psf.fits");
      job.files.output = scratch->file("frame.fits");
    });
    for (std::string* name : {&job.files.input, &job.files.psf, &job.files.output})
      broadcast(world, *name);
    job.settings.program = "test";
    job.settings.show_progress = false;
    job.settings.options.wavelength = WaveRange{3620, 3628, 0.8};
    job.settings.options.bundlesize = 5;
    job.settings.options.nwavestep = 11;
    job.settings.options.wavepad = 2;
  }

  ExposureSummary run() const {
    return run_one_frame(world, job, [this](int /*slot*/) { return extractor; });
  }
  // The error of a run, which must be equal on every rank.
  std::string caught() {
    std::string mine = "no error";
    try {
      run();
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

TEST_F(OneFrame, CountsAllPatches) {
  const ExposureSummary summary = run();
  if (!world.is_root()) return;
  ASSERT_EQ(summary.outcomes.size(), 1U);
  EXPECT_EQ(summary.outcomes[0].counts.patches, 10);
  EXPECT_EQ(summary.outcomes[0].counts.failed, 0);
  EXPECT_EQ(summary.outcomes[0].output, OutputState::written);
  EXPECT_GT(summary.times.get(Stage::solve), 0);
  EXPECT_THAT(scratch->names(), testing::ElementsAre("frame.fits", "psf.fits"));
}

TEST_F(OneFrame, ProgressSaysWhosePatchesItCounts) {
  job.settings.show_progress = true;
  if (!world.is_root()) return static_cast<void>(run());
  const auto text = test::terminal_text([this] { run(); });
  if (!text) GTEST_SKIP() << "no pseudo-terminal here";
  const std::string all = world.size() == 1
                              ? "10/10 patches, "
                              : fmt::format("patches of rank 0 of {}, ", world.size());
  EXPECT_THAT(*text, testing::HasSubstr(all));
}

TEST_F(OneFrame, APsfWithoutWidthsEndsAllRanks) {
  // The width of fiber 9 is negative: the rank that reads the file notices.
  on_root(world, [&] { test::set_psf_parameter(job.files.psf, "GHSIGX", 9, {-1, 0, 0}); });
  for (const Milestone milestone : {Milestone::baseline, Milestone::cpu_refactor}) {
    job.settings.options.milestone = milestone;
    const std::string error = caught();
    EXPECT_THAT(error, testing::StartsWith(job.files.psf));
    EXPECT_THAT(error, testing::HasSubstr("fiber 9"));
    EXPECT_THAT(error, testing::HasSubstr("positive widths"));
    expect_no_output();
  }
}

TEST_F(OneFrame, LastRankOutOfMemoryEndsAllRanks) {
  const int last = world.size() - 1;
  extractor = [this, last](const ExtractInputs& inputs, const std::vector<Patch>& patches,
                           StageTimes& times, const std::function<void(long)>& done) {
    if (world.rank() == last) throw std::bad_alloc();
    return cpu_extractor(1)(inputs, patches, times, done);
  };
  EXPECT_EQ(caught(), last == 0 ? "out of memory" : fmt::format("rank {}: out of memory", last));
  expect_no_output();
}

TEST_F(OneFrame, UnreadableInputEndsAllRanks) {
  job.files.input += ".missing";
  EXPECT_THAT(caught(), testing::StartsWith(job.files.input + ": "));
  expect_no_output();
}

TEST_F(OneFrame, FailureKeepsTheFileOfAnEarlierRun) {
  if (world.is_root()) test::write_file(job.files.output, "of an earlier run");
  job.files.input += ".missing";
  EXPECT_THAT(caught(), testing::StartsWith(job.files.input + ": "));
  if (!world.is_root()) return;
  EXPECT_EQ(test::read_file(job.files.output), "of an earlier run");
  EXPECT_THAT(scratch->names(), testing::ElementsAre("frame.fits", "psf.fits"));
}

TEST_F(OneFrame, ErrorKindReachesAllRanks) {
  const auto kind = [this] {
    try {
      run();
    } catch (const CollectiveError& error) {
      return error.kind();
    }
    return ErrorKind::internal;
  };
  job.settings.options.nspec = 11;
  EXPECT_EQ(kind(), ErrorKind::usage);
  job.settings.options.nspec = 10;
  job.files.input += ".missing";
  EXPECT_EQ(kind(), ErrorKind::data);
}

TEST_F(OneFrame, FailureIsNotLogged) {
  job.files.input += ".missing";
  testing::internal::CaptureStderr();
  static_cast<void>(caught());
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(OneFrame, ImpossibleOptionsEndAllRanks) {
  job.settings.options.nspec = 11;
  EXPECT_THAT(caught(), testing::StartsWith("--nspec: "));
  expect_no_output();
}

TEST_F(OneFrame, UnwritableOutputEndsAllRanks) {
  job.files.output = job.files.psf + "/frame.fits";
  EXPECT_THAT(caught(), testing::StartsWith(job.files.output + ": "));
  expect_no_output();
}

}  // namespace
}  // namespace spex::mpi
