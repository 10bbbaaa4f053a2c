// Extraction of the folders of a production: desi_proc's names, frames that exist or lack inputs.

#include <filesystem>
#include <map>
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
  FitsReader plain_frame(scratch.file("out/frame-b0-00000001.fits"));
  EXPECT_EQ(plain_frame.get_double("PSFERR"), 0.02);
  EXPECT_FALSE(plain_frame.find_double("HELIOCOR"));
}

// A file of a night in the tree of a production.
std::string file_of_night(const std::string& production, const std::string& kind,
                          const std::string& camera, int expid) {
  const std::string number = "0000000" + std::to_string(expid);
  const std::string tree = kind == "preproc" ? "preproc" : "exposures";
  std::string end = "-" + camera + "-" + number + ".fits";
  if (kind == "frame") end.insert(end.rfind('.'), "-no-badcolumn-mask");
  if (kind != "psf") end += ".gz";
  return production + "/" + tree + "/20240101/" + number + "/" + kind + end;
}

// Moves the files of three exposures with two cameras into the tree.
void move_night(const std::filesystem::path& folder, const std::string& production) {
  for (const std::string camera : {"b0", "b1"})
    for (const int expid : {1, 2, 3})
      for (const char* kind : {"preproc", "psf"}) {
        const std::filesystem::path to = file_of_night(production, kind, camera, expid);
        std::filesystem::create_directories(to.parent_path());
        std::filesystem::rename(folder / to.filename(), to);
      }
}

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
    return file_of_night(scratch.file("prod"), kind, camera, expid);
  };
  move_night(options.folder, scratch.file("prod"));
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

}  // namespace
}  // namespace spex::test
