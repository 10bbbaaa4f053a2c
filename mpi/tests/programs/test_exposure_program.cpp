// Extraction of many frames by spex-cpu, without MPI and under mpirun: frames, run logs, frames
// that fail.

#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "mpi/tests/programs/exposure_runs.hpp"

namespace spex::test {
namespace {

using testing::HasSubstr;

TEST_F(ExposureProgram, ExposureGivesTheFramesOfSingleRuns) {
  const std::vector<std::vector<std::string>> launchers{{}, mpirun(3)};
  for (const auto& launcher : launchers)
    for (const char* schedule : {"sequential", "pipeline", "interleave-io"}) {
      if (launcher.empty() && schedule == std::string("interleave-io")) continue;
      const Finished run = run_spex_cpu(of_exposure({{"--schedule", schedule}}), launcher);
      EXPECT_EQ(run.status, 0) << run.err;
      expect_outputs({"b0", "b1", "b2"});
    }
}

TEST_F(ExposureProgram, SingleFrameHasARunLog) {
  const std::string log = scratch.file("log"), alone = scratch.file("out/alone.fits");
  const Finished run = run_spex_cpu(with(common, {{"-i", file("preproc", "b0")},
                                                  {"-p", file("psf", "b0")},
                                                  {"-o", alone},
                                                  {"--events", log}}),
                                    mpirun(2));
  EXPECT_EQ(run.status, 0) << run.err;
  const auto json = nlohmann::json::parse(read_file(log));
  EXPECT_EQ(json.at("ranks").size(), 2U);
  ASSERT_EQ(json.at("frames").size(), 1U);
  EXPECT_EQ(json.at("frames")[0].at("output"), alone);
  EXPECT_EQ(json.at("frames")[0].at("output_state"), "written");
  EXPECT_EQ(json.at("frames")[0].at("camera"), "");
}

TEST_F(ExposureProgram, SeparateFolders) {
  std::filesystem::create_directory(scratch.file("psfs"));
  const auto psf = [&](const char* camera) {
    return scratch.file(std::string("psfs/psf-") + camera + "-00000001.fits");
  };
  for (const char* camera : {"b0", "b1", "b2"})
    std::filesystem::rename(file("psf", camera), psf(camera));
  const Finished run = run_spex_cpu(with(common, {{"--preproc-dir", scratch.file("night")},
                                                  {"--psf-dir", scratch.file("psfs")},
                                                  {"--outdir", scratch.file("out")},
                                                  {"--cameras", "b1,b2"}}));
  EXPECT_EQ(run.status, 0) << run.err;
  for (const char* camera : {"b1", "b2"}) {
    const std::string alone = scratch.file("alone.fits");
    ASSERT_EQ(
        run_spex_cpu(
            with(common, {{"-i", file("preproc", camera)}, {"-p", psf(camera)}, {"-o", alone}}))
            .status,
        0);
    EXPECT_TRUE(read_file(alone) ==
                read_file(scratch.file(std::string("out/frame-") + camera + "-00000001.fits")));
  }
  EXPECT_FALSE(std::filesystem::exists(scratch.file("out/frame-b0-00000001.fits")));
}

TEST_F(ExposureProgram, FramesComeThroughAPipe) {
  const auto line = [&](const std::string& camera) {
    return camera + " " + file("preproc", camera) + " " + file("psf", camera) + " " +
           scratch.file("out/frame-" + camera + "-00000001.fits") + "\n";
  };
  write_file(scratch.file("first"), line("b0"));
  write_file(scratch.file("second"), line("b7") + "b1 image\n" + line("b1") + line("b2"));
  const std::string come = "(cat " + scratch.file("first") + "; for i in $(seq 1000); do [ -e " +
                           scratch.file("out/frame-b0-00000001.fits") +
                           " ] && break; sleep 0.1; done; cat " + scratch.file("second") +
                           ") | \"$@\"";
  for (const std::vector<std::string>& ranks : {std::vector<std::string>{}, mpirun(3)})
    for (const char* schedule : {"sequential", "pipeline"}) {
      std::filesystem::remove_all(scratch.file("out"));
      std::filesystem::create_directory(scratch.file("out"));
      std::vector<std::string> launcher{"bash", "-c", come, "bash"};
      launcher.insert(launcher.end(), ranks.begin(), ranks.end());
      const Finished run =
          run_spex_cpu(with(common, {{"--list", "-"}, {"--schedule", schedule}}), launcher);
      EXPECT_EQ(run.status, 1);
      EXPECT_THAT(run.err, HasSubstr("spex-cpu: standard input:3: has fewer than four words"));
      EXPECT_THAT(run.err, HasSubstr("frame b7 failed: " + file("psf", "b7") + ": no such file"));
      expect_outputs({"b0", "b1", "b2"});
    }
}

TEST_F(ExposureProgram, OutputsInTheirOtherForm) {
  const std::string in_gz = scratch.file("out/frame-b1-00000001.fits.gz");
  write_file(in_gz, "of an earlier run");
  Finished run = run_spex_cpu(of_exposure({{"--skip-existing", ""}, {"--loglevel", "info"}}));
  EXPECT_EQ(run.status, 0);
  EXPECT_THAT(run.err, HasSubstr("skipped b1: " + in_gz + " exists"));
  run = run_spex_cpu(of_exposure());
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.err, HasSubstr("frame b1 failed: " + scratch.file("out/frame-b1-00000001.fits") +
                                 ": exists already as " + in_gz));
  EXPECT_EQ(read_file(in_gz), "of an earlier run");
  std::filesystem::remove(in_gz);
  expect_outputs({"b0", "b2"});
}

TEST_F(ExposureProgram, FailedFrameIsNamedAndStatusIsOne) {
  const Finished run = run_with_fault("extract:b1:1");
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.err, HasSubstr("frame-b1-00000001.fits: frame b1 failed: rank 1: "));
  EXPECT_THAT(run.err, HasSubstr("1 of 3 frame(s) failed"));
  const std::string log = read_file(scratch.file("run.log"));
  EXPECT_THAT(log, HasSubstr(" error spex-cpu: " + scratch.file("out/frame-b1-00000001.fits") +
                             ": frame b1 failed: rank 1: "));
  EXPECT_THAT(log, HasSubstr("1 of 3 frame(s) failed"));
  expect_outputs({"b0", "b2"});
}

TEST_F(ExposureProgram, FileOfAnEarlierRunStaysAndIsNamed) {
  const std::string earlier = scratch.file("out/frame-b1-00000001.fits");
  write_file(earlier, "of an earlier run");
  const Finished run = run_with_fault("write:b1:0");
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.err, HasSubstr("the file is of an earlier run"));
  EXPECT_THAT(run.err, HasSubstr("1 file(s) of an earlier run are unchanged"));
  EXPECT_EQ(read_file(earlier), "of an earlier run");
  std::filesystem::remove(earlier);
  expect_outputs({"b0", "b2"});
}

TEST_F(ExposureProgram, FailureInGatherAbortsAndNamesRankAndFrame) {
  const Finished run = run_with_fault("gather:b1:1");
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.err, HasSubstr("spex-cpu: rank 1: frame b1: fault injected"));
  expect_outputs({"b0"});
}

}  // namespace
}  // namespace spex::test
