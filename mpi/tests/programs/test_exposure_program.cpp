// Extraction of many frames by spex-cpu, without MPI and under mpirun.

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "mpi/tests/programs/spex_cpu_runs.hpp"
#include "reference/sim/simulate.hpp"

namespace spex::test {
namespace {

using testing::HasSubstr;

class ExposureProgram : public testing::Test {
 protected:
  ExposureProgram() {
    SimOptions options;
    options.folder = scratch.file("night");
    options.size = SimSize::tiny;
    options.cameras = parse_cameras("b0,b1,b2");
    options.program = "test";
    simulate(options);
    std::filesystem::create_directory(scratch.file("out"));
  }

  [[nodiscard]] Options of_exposure(const Options& changes = {}) const {
    return with(
        with(common, {{"--exposure", scratch.file("night")}, {"--outdir", scratch.file("out")}}),
        changes);
  }
  // Runs on two ranks.
  [[nodiscard]] Finished run_with_fault(const std::string& fault) const {
    std::vector<std::string> launcher = mpirun(2);
    launcher.insert(launcher.end(), {"env", "SPEX_FAULT=" + fault});
    return run_spex_cpu(of_exposure({{"--log-file", scratch.file("run.log")}}), launcher,
                        spex_cpu_with_faults);
  }
  [[nodiscard]] std::string file(const std::string& kind, const std::string& camera) const {
    return scratch.file("night/" + kind + "-" + camera + "-00000001.fits");
  }
  void expect_outputs(const std::vector<std::string>& cameras) const {
    std::size_t found = 0;
    for (const auto& entry : std::filesystem::directory_iterator(scratch.file("out")))
      found += entry.is_regular_file() ? 1 : 0;
    EXPECT_EQ(found, cameras.size());
    for (const std::string& camera : cameras) {
      const std::string alone = scratch.file("alone.fits");
      ASSERT_EQ(run_spex_cpu(with(common, {{"-i", file("preproc", camera)},
                                           {"-p", file("psf", camera)},
                                           {"-o", alone}}))
                    .status,
                0);
      EXPECT_TRUE(read_file(alone) ==
                  read_file(scratch.file("out/frame-" + camera + "-00000001.fits")))
          << camera;
    }
  }

  const Options common{{"-w", "3600,3608,0.8"},
                       {"--nwavestep", "11"},
                       {"--wavepad", "2"},
                       {"--threads", "1"},
                       {"--loglevel", "error"}};
  ScratchFolder scratch;
};

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

// Images and PSFs in separate folders, desi_proc's names of frames, some existing outputs, some
// missing inputs.
TEST_F(ExposureProgram, ATreeOfAProduction) {
  namespace fs = std::filesystem;
  const std::string preproc = scratch.file("prod/preproc/20240101/00000001/");
  const std::string exposure = scratch.file("prod/exposures/20240101/00000001/");
  fs::create_directories(preproc);
  fs::create_directories(exposure);
  for (const char* camera : {"b0", "b1", "b2"}) {
    const std::string end = std::string("-") + camera + "-00000001.fits";
    fs::rename(file("preproc", camera), preproc + "preproc" + end);
    fs::rename(file("psf", camera), exposure + "psf" + end);
  }
  fs::remove(exposure + "psf-b2-00000001.fits");
  const Options tree = with(common, {{"--night", "20240101"},
                                     {"--expid", "1"},
                                     {"--specprod", scratch.file("prod")},
                                     {"--cameras", "b0,b1,b2,z7"},
                                     {"--skip-existing", ""},
                                     {"--skip-missing", ""},
                                     {"--loglevel", "info"}});
  const auto frame = [&](const char* camera) {
    return exposure + "frame-" + camera + "-00000001-no-badcolumn-mask.fits.gz";
  };
  write_file(exposure + "frame-b1-00000001.fits.gz", "what desi_proc made of it");
  const std::string log = scratch.file("log");
  Finished run = run_spex_cpu(with(tree, {{"--events", log}}));
  EXPECT_EQ(run.status, 7) << run.err;
  EXPECT_THAT(run.err, HasSubstr("skipped b1: " + exposure + "frame-b1-00000001.fits.gz exists"));
  EXPECT_THAT(run.err, HasSubstr("skipped b2: " + exposure + "psf-b2-00000001.fits is missing"));
  EXPECT_THAT(run.err,
              HasSubstr("skipped z7: " + preproc + "preproc-z7-00000001.fits.gz is missing"));
  EXPECT_THAT(run.err, HasSubstr("skipped 3 frame(s): 1 exist, 2 lack inputs"));
  EXPECT_FALSE(fs::exists(frame("b1")));
  const auto json = nlohmann::json::parse(read_file(log));
  ASSERT_EQ(json.at("skipped").size(), 3U);
  EXPECT_EQ(json.at("skipped")[0].at("because"), "existing");
  EXPECT_EQ(json.at("skipped")[1].at("because"), "missing");
  EXPECT_EQ(json.at("frames").size(), 1U);

  // With desi_proc's settings.
  FitsReader written(frame("b0"));
  EXPECT_EQ(written.get_double("PSFERR"), 0.04);
  EXPECT_EQ(written.find_double("HELIOCOR").has_value(), true);  // OBSTYPE is SCIENCE
  EXPECT_EQ(written.get_string("IN_PSF"), exposure + "psf-b0-00000001.fits");

  // Nothing is left to do: the file stays, and only missing inputs are reported.
  const std::string before = read_file(frame("b0"));
  run = run_spex_cpu(with(tree, {{"--cameras", "b0,b1"}, {"--events", log}}), mpirun(2));
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(read_file(frame("b0")), before);
  EXPECT_EQ(nlohmann::json::parse(read_file(log)).at("skipped").size(), 2U);

  // Without --skip-missing, frames with missing inputs fail and all others are extracted. Options
  // override the tree's settings.
  fs::remove(frame("b0"));
  Options plain = with(tree, {{"--cameras", "b0,b2"},
                              {"--psferr", "0.02"},
                              {"--no-barycentric-correction", ""},
                              {"--frame-names", "plain"},
                              {"--outdir", scratch.file("out")}});
  plain.erase("--skip-missing");
  plain.erase("--skip-existing");
  run = run_spex_cpu(plain);
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.err, HasSubstr("frame b2 failed"));
  FitsReader other(scratch.file("out/frame-b0-00000001.fits"));
  EXPECT_EQ(other.get_double("PSFERR"), 0.02);
  EXPECT_FALSE(other.find_double("HELIOCOR"));
}

// A night of three exposures of two cameras with a missing PSF, a broken image and a truncated
// image. The other frames are extracted; a second run completes the rest.
TEST_F(ExposureProgram, SecondRunCompletesANightWithFaults) {
  namespace fs = std::filesystem;
  SimOptions options;
  options.folder = scratch.file("more");
  options.size = SimSize::tiny;
  options.cameras = parse_cameras("b0,b1");
  options.exposures = 3;
  options.compress = Compress::gz;
  simulate(options);
  const auto name = [&](const char* kind, const std::string& camera, int expid) {
    const std::string number = "0000000" + std::to_string(expid);
    const std::string tree = kind == std::string("preproc") ? "preproc" : "exposures";
    std::string end = "-" + camera + "-" + number + ".fits";
    if (kind == std::string("frame")) end.insert(end.rfind('.'), "-no-badcolumn-mask");
    if (kind != std::string("psf")) end += ".gz";
    return scratch.file("prod/" + tree + "/20240101/" + number + "/" + kind + end);
  };
  for (const std::string camera : {"b0", "b1"})
    for (const int expid : {1, 2, 3})
      for (const char* kind : {"preproc", "psf"}) {
        const fs::path to = name(kind, camera, expid);
        fs::create_directories(to.parent_path());
        fs::rename(fs::path(options.folder) / to.filename(), to);
      }
  const std::string image = read_file(name("preproc", "b0", 2));
  const std::string psf = read_file(name("psf", "b1", 1));
  fs::remove(name("psf", "b1", 1));
  write_file(name("preproc", "b0", 2), "no FITS file");
  const std::string whole = read_file(name("preproc", "b1", 3));
  write_file(name("preproc", "b1", 3), whole.substr(0, whole.size() / 2));
  fs::create_directories(scratch.file("prod/preproc/20240101/00000009"));  // without images

  const std::string log = scratch.file("log");
  const Options night = with(common, {{"--night", "20240101"},
                                      {"--specprod", scratch.file("prod")},
                                      {"--skip-existing", ""},
                                      {"--skip-missing", ""},
                                      {"--schedule", "pipeline"},
                                      {"--events", log},
                                      {"--loglevel", "info"}});
  Finished run = run_spex_cpu(night);
  EXPECT_EQ(run.status, 1) << run.err;
  EXPECT_THAT(run.err, HasSubstr("skipped b1: " + name("psf", "b1", 1) + " is missing"));
  EXPECT_THAT(run.err, HasSubstr(name("frame", "b0", 2) + ": frame b0 failed: "));
  EXPECT_THAT(run.err, HasSubstr(name("preproc", "b0", 2) + ": "));
  EXPECT_THAT(run.err, HasSubstr(name("frame", "b1", 3) + ": frame b1 failed: "));
  EXPECT_THAT(run.err, HasSubstr(name("preproc", "b1", 3) + ": "));
  EXPECT_THAT(run.err, HasSubstr("wrote 3 of 5 frame(s)"));
  EXPECT_EQ(nlohmann::json::parse(read_file(log)).at("skipped").size(), 1U);
  const std::vector<std::pair<std::string, int>> done{{"b0", 1}, {"b0", 3}, {"b1", 2}};
  const std::vector<std::pair<std::string, int>> left{{"b1", 1}, {"b0", 2}, {"b1", 3}};
  for (const auto& [camera, expid] : left) EXPECT_FALSE(fs::exists(name("frame", camera, expid)));

  write_file(name("psf", "b1", 1), psf);
  write_file(name("preproc", "b0", 2), image);
  write_file(name("preproc", "b1", 3), whole);
  std::map<std::string, fs::file_time_type> times;
  for (const auto& [camera, expid] : done)
    times[name("frame", camera, expid)] = fs::last_write_time(name("frame", camera, expid));
  run = run_spex_cpu(night);
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("wrote 3 of 3 frame(s)"));
  for (const auto& [path, time] : times) EXPECT_EQ(fs::last_write_time(path), time) << path;
  for (const auto& frames : {done, left})
    for (const auto& [camera, expid] : frames) {
      const std::string alone = scratch.file("alone.fits.gz");
      ASSERT_EQ(run_spex_cpu(with(common, {{"-i", name("preproc", camera, expid)},
                                           {"-p", name("psf", camera, expid)},
                                           {"-o", alone},
                                           {"--psferr-by-arm", ""},
                                           {"--barycentric-by-obstype", ""}}))
                    .status,
                0);
      EXPECT_TRUE(read_file(alone) == read_file(name("frame", camera, expid))) << camera << expid;
    }

  // Only some of the exposures.
  for (const int expid : {1, 2, 3}) fs::remove(name("frame", "b0", expid));
  run = run_spex_cpu(with(night, {{"--expid", "00000003,1"}, {"--cameras", "B0"}}));
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_TRUE(fs::exists(name("frame", "b0", 1)) && fs::exists(name("frame", "b0", 3)));
  EXPECT_FALSE(fs::exists(name("frame", "b0", 2)));
  run = run_spex_cpu(with(night, {{"--expid", "2"}, {"--cameras", "b01,a1"}}));
  EXPECT_EQ(run.status, 7) << run.err;
  EXPECT_TRUE(fs::exists(name("frame", "b0", 2)));
  EXPECT_THAT(run.err, HasSubstr("skipped 3 frame(s): 1 exist, 2 lack inputs"));
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

// Two forms of b1's image, no image of exposure 7.
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

// Lines of one output, and of an output that is an input.
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

// The second exposure comes when the first is written; its bad lines and files cost their frames.
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

// A frame in its other form is skipped, or keeps its name: two forms never exist.
TEST_F(ExposureProgram, OutputsInTheirOtherForm) {
  const std::string other = scratch.file("out/frame-b1-00000001.fits.gz");
  write_file(other, "of an earlier run");
  Finished run = run_spex_cpu(of_exposure({{"--skip-existing", ""}, {"--loglevel", "info"}}));
  EXPECT_EQ(run.status, 0);
  EXPECT_THAT(run.err, HasSubstr("skipped b1: " + other + " exists"));
  run = run_spex_cpu(of_exposure());
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.err, HasSubstr("frame b1 failed: " + scratch.file("out/frame-b1-00000001.fits") +
                                 ": exists already as " + other));
  EXPECT_EQ(read_file(other), "of an earlier run");
  std::filesystem::remove(other);
  expect_outputs({"b0", "b2"});
}

TEST_F(ExposureProgram, FailureInGatherAbortsAndNamesRankAndFrame) {
  const Finished run = run_with_fault("gather:b1:1");
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.err, HasSubstr("spex-cpu: rank 1: frame b1: fault injected"));
  expect_outputs({"b0"});
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
