// Command lines and lists of an exposure that cannot be right.

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "mpi/tests/programs/exposure_runs.hpp"
#include "reference/fits/read/fits_file.hpp"

namespace spex::test {
namespace {

using testing::HasSubstr;

TEST_F(ExposureProgram, AmbiguousAndMissingFilesCostTheirFrame) {
  write_file(file("preproc", "b1") + ".gz", read_file(file("preproc", "b1")));
  std::filesystem::rename(file("psf", "b0"),
                          file("psf", "b0") + ".fz");  // the form is in the bytes
  const std::string log = scratch.file("log");
  Finished run = run_spex_cpu(of_exposure({{"--expid", "7,1"}, {"--events", log}}), mpirun(2));
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.err, HasSubstr("frame-b1-00000001.fits: frame b1 failed: " +
                                 file("preproc", "b1") + ": exists also as " +
                                 file("preproc", "b1") + ".gz (expected one of them)\n"));
  EXPECT_THAT(run.err, HasSubstr("spex-cpu: " + scratch.file("night") +
                                 ": has no preproc file of exposure 7 (expected"));
  EXPECT_EQ(nlohmann::json::parse(read_file(log)).at("frames").size(), 4U);
  EXPECT_EQ(FitsReader(scratch.file("out/frame-b0-00000001.fits")).get_string("IN_PSF"),
            file("psf", "b0") + ".fz");
  std::filesystem::remove(file("preproc", "b1") + ".gz");
  run = run_spex_cpu(of_exposure({{"--expid", "7,1"}, {"--skip-missing", ""}}));
  EXPECT_EQ(run.status, 7);
  std::filesystem::rename(file("psf", "b0") + ".fz", file("psf", "b0"));
  ASSERT_EQ(run_spex_cpu(of_exposure()).status, 0);
  expect_outputs({"b0", "b1", "b2"});
}

TEST_F(ExposureProgram, ClashesInAListCostTheirFrames) {
  const auto line = [&](const std::string& camera, const std::string& output) {
    return camera + " " + file("preproc", camera) + " " + file("psf", camera) + " " + output + "\n";
  };
  const std::string output = scratch.file("out/frame-b2-00000001.fits");
  write_file(scratch.file("list"), line("b0", scratch.file("out/a.fits")) +
                                       line("b1", scratch.file("out/a.fits.gz")) +
                                       line("b2", output) + line("b2", file("psf", "b0")));
  const std::string psf = read_file(file("psf", "b0"));
  const Finished run = run_spex_cpu(with(common, {{"--list", scratch.file("list")}}));
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.err, HasSubstr("is the output of " + file("preproc", "b0") + " and " +
                                 file("preproc", "b1")));
  EXPECT_THAT(run.err, HasSubstr(file("psf", "b0") + ": would be overwritten by an output"));
  EXPECT_EQ(read_file(file("psf", "b0")), psf);
  expect_outputs({"b2"});
}

TEST_F(ExposureProgram, WrongCommandLinesAreRejected) {
  write_file(scratch.file("list"), "b0 image\n");
  const std::string list = scratch.file("list");
  const std::vector<std::pair<Options, std::string>> wrong{
      {with(common, {{"-p", "psf"}, {"-o", "out"}}), "--input is required"},
      {with(common, {{"--list", list}}), list + ":1: "},
      {with(common, {{"--list", list}, {"--exposure", "night"}}), "--list"},
      {with(common, {{"--list", "-"}, {"--events", "log"}}), "--events"},
      {with(common, {{"--list", list}, {"-i", "image"}}), "--input"},
      {with(common, {{"--list", list}, {"-m", "model"}}), "--model"},
      {with(common, {{"--list", list}, {"--reject-pixels", "6"}, {"--rejected-pixels", "mask"}}),
       "--rejected-pixels"},
      {with(common, {{"--list", list}, {"--outdir", "out"}}), "--outdir"},
      {with(common, {{"-i", "i"}, {"-p", "p"}, {"-o", "o"}, {"--groups", "1"}}), "--groups"},
      {with(common, {{"-i", "i"}, {"-p", "p"}, {"-o", "o"}, {"--skip-missing", ""}}),
       "--skip-missing"},
      {with(common, {{"--list", list}, {"--psf-dir", "p"}}), "--psf-dir"},
      {of_exposure({{"--expid", "1,x"}}), "'x' is not an exposure number"},
      {of_exposure({{"--expid", "-1"}}), "'-1' is not an exposure number"},
      {of_exposure({{"--expid", "1,1"}}), "1 is named twice"},
      {with(common, {{"--night", "20240101"}, {"--expid", "1"}}), "the production is not known"},
      {with(common, {{"--preproc-dir", "night"}}), "--psf-dir and --outdir"},
      {of_exposure({{"--specprod", "kibo"}}), "(expected --night)"},
      {of_exposure({{"--cameras", "b0,q1"}}),
       "'q1' is not a camera (expected names such as b0, r0 and z0, commas between; a0 means all"},
      {of_exposure({{"--cameras", "b"}}), "'b' is not a camera"},
      {of_exposure({{"--cameras", "br1"}}), "'br1' is not a camera"},
      {of_exposure({{"--cameras", "z5"}}), "has no preproc file of z5"},
      {of_exposure({{"--frame-names", "other"}}), "plain or desi-proc"},
      {of_exposure({{"--schedule", "random"}}), "--schedule"},
      {of_exposure({{"--stall-limit", "-1"}}), "--stall-limit: -1 (expected 0 s or more)"},
      {of_exposure({{"--schedule", "pipeline"}, {"--writers", "0"}}), "--writers"},
      {of_exposure({{"--readers", "2"}}), "--readers: requires the schedule pipeline"},
      {of_exposure({{"--extractors", "2"}}), "--extractors: requires the schedule pipeline"},
      {of_exposure({{"--writers", "2"}}), "--writers: requires the schedule pipeline"},
      {of_exposure({{"--frames-in-flight", "2"}, {"--schedule", "interleave-io"}}),
       "--frames-in-flight: requires the schedule pipeline"},
      {of_exposure({{"--schedule", "interleave-io"}}), "at least 3 ranks"},
      {of_exposure({{"--ranks-per-bundle", "2"}}),
       "--ranks-per-bundle: 2 (expected 1: one rank extracts here; mpirun -n N starts more)"},
      {of_exposure({{"--expid", "8,7"}}), "has no preproc file of exposure 8"},
      {of_exposure({{"--expid", "77"}}), "has no preproc file of exposure 77"},
      {of_exposure({{"--events", file("preproc", "b0")}}), "by the run log"},
  };
  for (const auto& [options, text] : wrong) {
    const Finished run = run_spex_cpu(options);
    EXPECT_EQ(run.status, 2) << text;
    EXPECT_THAT(run.err, HasSubstr(text));
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
  }
  const Options tree{{"--night", "20240101"}, {"--specprod", "/none"}};
  const std::vector<std::pair<Options, std::string>> missing{
      {with(common, tree), "/none/preproc/20240101: cannot be listed"},
      {with(with(common, tree), {{"--expid", "1"}}),
       "/none/preproc/20240101/00000001: cannot be listed"},
      {with(common, {{"--exposure", scratch.file("none")}}), "none: cannot be listed"},
      {with(common, {{"--list", scratch.file("none")}}), "none: cannot be read"},
      {of_exposure({{"--outdir", scratch.file("none")}}), "none: is not a folder that exists"},
  };
  for (const auto& [options, text] : missing) {
    const Finished run = run_spex_cpu(options);
    EXPECT_EQ(run.status, 1) << text;
    EXPECT_THAT(run.err, HasSubstr(text));
  }
  expect_outputs({});
}

}  // namespace
}  // namespace spex::test
