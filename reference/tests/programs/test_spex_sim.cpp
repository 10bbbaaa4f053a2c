// The program spex-sim: its files, their bytes, and rejected input.

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/fits/header_cards.hpp"
#include "reference/fits/read/fits_file.hpp"
#include "reference/io/read_preproc.hpp"
#include "reference/tests/programs/statuses.hpp"
#include "reference/tests/support/change_fits.hpp"
#include "reference/tests/support/process.hpp"
#include "spex_test_paths.hpp"

namespace spex::test {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

const std::string spex_sim = SPEX_BINARY_DIR "/bin/spex-sim";
const std::string goldens = SPEX_SOURCE_DIR "/golden/";

// Kills a run that hangs, with status 124.
Finished run_spex_sim(const std::vector<std::string>& arguments) {
  std::vector<std::string> command{"timeout", "120", spex_sim};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return run_captured(command);
}

// Simulates 25 fibers on 300 rows into a folder; must succeed.
void simulate_tiny(const std::string& folder, const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments{"-o", folder, "--size", "tiny", "--loglevel", "error"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Finished finished = run_spex_sim(arguments);
  ASSERT_EQ(finished.status, 0) << finished.err;
  EXPECT_EQ(finished.err, "");
}

const std::set<std::string> files_of_r0{"preproc-r0-00000001.fits", "psf-r0-00000001.fits",
                                        "truth-r0-00000001.fits"};

std::vector<double> read_pixels(const std::string& path, const std::string& hdu) {
  FitsReader file(path);
  file.move_to_hdu(hdu);
  return file.read_doubles();
}

// specex writes CAMERA with quotes inside the text.
TEST(SpexSim, RefusesThePsfOfAnotherArm) {
  const ScratchFolder scratch;
  simulate_tiny(scratch.file(""), {"--cameras", "r0"});
  const std::string psf = scratch.file("psf-r0-00000001.fits");
  set_keyword(psf, "PSF", "CAMERA", "'z0      '");
  const std::vector<std::string> again{"-o",         scratch.file(""), "--expid", "2",
                                       "--size",     "bundle",         "--psf",   psf,
                                       "--loglevel", "error"};
  const Finished refused = run_spex_sim(again);
  EXPECT_EQ(refused.status, other_status);
  EXPECT_EQ(refused.err, "spex-sim: " + psf + ": is the PSF of z0 (expected that of r0)\n");
  EXPECT_EQ(scratch.names(), files_of_r0);
  set_keyword(psf, "PSF", "CAMERA", "'R3      '");
  EXPECT_EQ(run_spex_sim(again).status, 0);
}

TEST(SpexSim, WarnsOfAPsfWhoseFitFailed) {
  const ScratchFolder scratch;
  simulate_tiny(scratch.file(""), {"--cameras", "r0"});
  const std::string psf = scratch.file("psf-r0-00000001.fits");
  set_keyword(psf, "PSF", "STATUS", "4");
  const Finished finished =
      run_spex_sim({"-o", scratch.file(""), "--expid", "2", "--psf", psf, "--loglevel", "warning"});
  EXPECT_EQ(finished.status, 0);
  EXPECT_THAT(finished.err, HasSubstr("warning spex-sim: " + psf +
                                      ": the fit of the PSF failed for 25 fibers (STATUS)\n"));
}

TEST(SpexSim, WritesThreeFilesPerCamera) {
  const ScratchFolder scratch;
  simulate_tiny(scratch.file(""), {"--cameras", "b1,z9", "--expid", "51060"});
  EXPECT_EQ(scratch.names(),
            (std::set<std::string>{"preproc-b1-00051060.fits", "psf-b1-00051060.fits",
                                   "truth-b1-00051060.fits", "preproc-z9-00051060.fits",
                                   "psf-z9-00051060.fits", "truth-z9-00051060.fits"}));
}

TEST(SpexSim, AllMeansThirtyCameras) {
  const ScratchFolder scratch;
  simulate_tiny(scratch.file("night"), {"--cameras", "all"});
  std::set<std::string> expected;
  for (const char arm : {'b', 'r', 'z'})
    for (const char spectrograph : std::string("0123456789"))
      for (const char* kind : {"preproc", "psf", "truth"})
        expected.insert(std::string(kind) + "-" + arm + spectrograph + "-00000001.fits");
  std::set<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(scratch.file("night")))
    found.insert(entry.path().filename().string());
  EXPECT_EQ(found, expected);
}

TEST(SpexSim, BytesDependOnTheSeedNotOnThreads) {
  const ScratchFolder one, two, again;
  simulate_tiny(one.file(""), {"--threads", "1"});
  simulate_tiny(two.file(""), {"--threads", "2"});
  simulate_tiny(again.file(""), {"--threads", "1"});
  ASSERT_EQ(one.names(), files_of_r0);
  for (const std::string& name : files_of_r0) {
    EXPECT_TRUE(read_file(one.file(name)) == read_file(two.file(name))) << name;
    EXPECT_TRUE(read_file(one.file(name)) == read_file(again.file(name))) << name;
  }
}

TEST(SpexSim, SeedChangesTheSky) {
  const ScratchFolder one, two;
  simulate_tiny(one.file(""), {"--seed", "1"});
  simulate_tiny(two.file(""), {"--seed", "2"});
  const std::string truth = "truth-r0-00000001.fits";
  EXPECT_NE(read_pixels(one.file(truth), "FLUX"), read_pixels(two.file(truth), "FLUX"));
}

// Targets depend on the seed, noise on the exposure.
TEST(SpexSim, ExposureChangesOnlyTheNoise) {
  const ScratchFolder scratch;
  simulate_tiny(scratch.file(""), {"--expid", "1"});
  simulate_tiny(scratch.file(""), {"--expid", "2"});
  EXPECT_EQ(read_pixels(scratch.file("truth-r0-00000001.fits"), "FLUX"),
            read_pixels(scratch.file("truth-r0-00000002.fits"), "FLUX"));
  EXPECT_NE(read_pixels(scratch.file("preproc-r0-00000001.fits"), "IMAGE"),
            read_pixels(scratch.file("preproc-r0-00000002.fits"), "IMAGE"));
}

TEST(SpexSim, OnGridPutsTheTruthOnTheExtractionsSteps) {
  const ScratchFolder fine, grid;
  simulate_tiny(fine.file(""));
  simulate_tiny(grid.file(""), {"--on-grid"});
  const auto step = [](const ScratchFolder& folder) {
    const auto wave = read_pixels(folder.file("truth-r0-00000001.fits"), "WAVELENGTH");
    return wave.at(1) - wave.at(0);
  };
  EXPECT_NEAR(step(fine), 0.4, 1e-9);
  EXPECT_NEAR(step(grid), 0.8, 1e-9);
}

TEST(SpexSim, CompressionLosesNothing) {
  const ScratchFolder plain;
  simulate_tiny(plain.file(""));
  for (const std::string ending : {"gz", "fz"}) {
    const ScratchFolder packed;
    simulate_tiny(packed.file(""), {"--compress", ending});
    const std::string name = "preproc-r0-00000001.fits";
    EXPECT_EQ(packed.names(), (std::set<std::string>{name + "." + ending, "psf-r0-00000001.fits",
                                                     "truth-r0-00000001.fits"}));
    for (const char* hdu : {"IMAGE", "IVAR", "MASK"})
      EXPECT_EQ(read_pixels(packed.file(name + "." + ending), hdu),
                read_pixels(plain.file(name), hdu))
          << ending << " " << hdu;
    EXPECT_LT(std::filesystem::file_size(packed.file(name + "." + ending)),
              std::filesystem::file_size(plain.file(name)));
  }
}

TEST(SpexSim, ReplacesFilesOnlyWithOverwrite) {
  const ScratchFolder scratch;
  const std::string truth = scratch.file("truth-r0-00000001.fits");
  write_file(truth, "old");
  write_file(scratch.file("preproc-r0-00000001.fits.gz"), "old");
  const Finished refused =
      run_spex_sim({"-o", scratch.file(""), "--size", "tiny", "--loglevel", "error"});
  EXPECT_EQ(refused.status, usage_status);
  EXPECT_EQ(refused.err, "spex-sim: " + truth +
                             ": exists (expected another folder or --expid, or --overwrite)\n");
  EXPECT_EQ(read_file(truth), "old");
  EXPECT_EQ(scratch.names(),
            (std::set<std::string>{"truth-r0-00000001.fits", "preproc-r0-00000001.fits.gz"}));
  simulate_tiny(scratch.file(""), {"--overwrite"});
  EXPECT_EQ(scratch.names(), files_of_r0);
  EXPECT_GT(read_file(truth).size(), 1000U);
}

TEST(SpexSim, PrintsVersionAndHelp) {
  const Finished version = run_spex_sim({"--version"});
  EXPECT_EQ(version.status, 0);
  EXPECT_EQ(version.err, "");
  EXPECT_THAT(version.out, MatchesRegex("spex-sim \\(spexbench\\) [0-9]+\\.[0-9]+\\.[0-9]+.*\n"));
  const Finished help = run_spex_sim({"--help"});
  EXPECT_EQ(help.status, 0);
  EXPECT_EQ(help.err, "");
  for (const char* option :
       {"--output", "--cameras", "--seed", "--size", "--psf", "--on-grid", "--ivar", "--exptime",
        "--expid", "--night", "--compress", "--compress-level", "--cosmics", "--unmasked-cosmics",
        "--spectra", "--overwrite", "--threads", "--loglevel", "--version"})
    EXPECT_THAT(help.out, HasSubstr(option));
}

// A truth simulates itself again, on its own grid and on the extraction's.
TEST(SpexSim, TakesSpectraOfAFile) {
  for (const std::vector<std::string>& grid : {std::vector<std::string>{}, {"--on-grid"}}) {
    const ScratchFolder first, again;
    simulate_tiny(first.file(""), grid);
    std::vector<std::string> arguments = grid;
    arguments.insert(arguments.end(), {"--spectra", first.file("truth-r0-00000001.fits")});
    simulate_tiny(again.file(""), arguments);
    EXPECT_EQ(read_file(again.file("truth-r0-00000001.fits")),
              read_file(first.file("truth-r0-00000001.fits")));
    const Preproc one = read_preproc(first.file("preproc-r0-00000001.fits"));
    const Preproc two = read_preproc(again.file("preproc-r0-00000001.fits"));
    EXPECT_EQ(*one.image.single_values(), *two.image.single_values());
    EXPECT_EQ(card_text(two.cards, "SIMSPECT"), "truth-r0-00000001.fits");
    EXPECT_FALSE(has_card(one.cards, "SIMSPECT"));
  }
}

TEST(SpexSim, SpectraOffTheGridAreNotOnIt) {
  const ScratchFolder first, again;
  simulate_tiny(first.file(""));
  const Finished refused =
      run_spex_sim({"-o", again.file(""), "--size", "tiny", "--on-grid", "--loglevel", "error",
                    "--spectra", first.file("truth-r0-00000001.fits")});
  EXPECT_EQ(refused.status, other_status);
  EXPECT_THAT(refused.err, HasSubstr("truth-r0-00000001.fits: is not on the extraction's grid"));
  EXPECT_EQ(again.names(), std::set<std::string>{});
}

TEST(SpexSim, SpectraOfOtherFibersAreRefused) {
  const ScratchFolder first, again;
  simulate_tiny(first.file(""));
  const Finished refused = run_spex_sim({"-o", again.file(""), "--loglevel", "error", "--spectra",
                                         first.file("truth-r0-00000001.fits")});
  EXPECT_EQ(refused.status, other_status);
  EXPECT_THAT(refused.err, HasSubstr("has 25 spectra (expected 500, the fibers of --size)"));
  EXPECT_EQ(again.names(), std::set<std::string>{});
}

struct BadRun {
  std::string name;
  std::vector<std::string> arguments;  // in addition to -o, unless they contain -o
  int status;
  std::string says;  // a part of the message that identifies the cause
};
void PrintTo(const BadRun& bad, std::ostream* out) {
  *out << bad.name;
}

// OUT/ stands for the output folder.
std::vector<BadRun> bad_runs() {
  return {
      {"camera_unknown", {"--cameras", "x0"}, usage_status, "'x0' is not a camera"},
      {"camera_without_number", {"--cameras", "r0,b"}, usage_status, "'b' is not a camera"},
      {"camera_missing_after_comma", {"--cameras", "r0,"}, usage_status, "--cameras"},
      {"no_camera", {"--cameras", ""}, usage_status, "--cameras"},
      {"seed_negative", {"--seed", "-1"}, usage_status, "--seed"},
      {"seed_too_large", {"--seed", "99999999999999999999"}, usage_status, "--seed"},
      {"seed_of_letters", {"--seed", "one"}, usage_status, "--seed"},
      {"size_unknown", {"--size", "huge"}, usage_status, "tiny or bundle or full"},
      {"ivar_unknown", {"--ivar", "true"}, usage_status, "expected or observed"},
      {"compress_unknown", {"--compress", "bz2"}, usage_status, "none or gz or fz"},
      {"compress_level_zero", {"--compress-level", "0"}, usage_status, "--compress-level"},
      {"cosmics_negative", {"--cosmics", "-1"}, usage_status, "--cosmics"},
      {"cosmics_of_letters", {"--cosmics", "many"}, usage_status, "--cosmics"},
      {"unmasked_cosmics_above_all",
       {"--unmasked-cosmics", "1.5"},
       usage_status,
       "--unmasked-cosmics"},
      {"exptime_zero", {"--exptime", "0"}, usage_status, "--exptime"},
      {"exptime_nan", {"--exptime", "nan"}, usage_status, "--exptime"},
      {"expid_negative", {"--expid", "-1"}, usage_status, "--expid"},
      {"expid_of_nine_digits", {"--expid", "100000000"}, usage_status, "--expid"},
      {"night_without_such_day", {"--night", "20250230"}, usage_status, "--night"},
      {"no_threads", {"--threads", "0"}, usage_status, "--threads"},
      {"too_many_threads", {"--threads", "5000"}, usage_status, "--threads"},
      {"level_unknown", {"--loglevel", "loud"}, usage_status, "--loglevel"},
      {"flag_unknown", {"--fast"}, usage_status, "--fast"},
      {"argument_left_over", {"r0"}, usage_status, "r0"},
      {"psf_for_two_cameras",
       {"--cameras", "b0,r0", "--psf", goldens + "tiny-b/psf.fits"},
       usage_status,
       "one camera"},
      {"psf_missing", {"--psf", "OUT/none.fits"}, other_status, "none.fits: "},
      {"psf_is_an_image",
       {"--psf", goldens + "tiny-b/preproc.fits"},
       other_status,
       "preproc.fits: "},
      {"spectra_for_two_cameras",
       {"--cameras", "b0,r0", "--spectra", goldens + "tiny-b/psf.fits"},
       usage_status,
       "--spectra: spectra for 2 cameras"},
      {"spectra_missing", {"--spectra", "OUT/none.fits"}, other_status, "none.fits: "},
      {"spectra_are_an_image",
       {"--spectra", goldens + "tiny-b/preproc.fits"},
       other_status,
       "no HDU FLUX"},
      {"spectra_below_zero",
       {"--spectra", goldens + "tiny-b/frame-tiny-b.fits"},
       other_status,
       "FLUX is -5.54594 in spectrum 0, bin 19 (expected electron / Angstrom, 0 to"},
      {"psf_of_another_arm",
       {"--cameras", "z0", "--psf", goldens + "tiny-b/psf.fits"},
       other_status,
       "psf.fits: "},
      {"folder_below_nothing",
       {"-o", "OUT/none/night"},
       other_status,
       "none/night: cannot be created"},
      {"folder_is_a_file", {"-o", goldens + "cases.json"}, other_status, "cases.json: is a file"},
      {"folder_of_no_name", {"-o", ""}, usage_status, "--output"},
  };
}

class SpexSimBadInput : public testing::TestWithParam<BadRun> {};

TEST_P(SpexSimBadInput, GivesOneLineAndNoFile) {
  const ScratchFolder outputs;
  std::vector<std::string> arguments = GetParam().arguments;
  const auto has = [&](const std::string& option) {
    return std::find(arguments.begin(), arguments.end(), option) != arguments.end();
  };
  if (!has("-o")) arguments.insert(arguments.end(), {"-o", "OUT/"});
  if (!has("--size")) arguments.insert(arguments.end(), {"--size", "tiny"});
  if (!has("--loglevel")) arguments.insert(arguments.end(), {"--loglevel", "error"});
  for (std::string& argument : arguments)
    if (argument.starts_with("OUT/")) argument = outputs.file(argument.substr(4));
  const Finished finished = run_spex_sim(arguments);
  EXPECT_EQ(finished.status, GetParam().status);
  EXPECT_EQ(finished.out, "");
  EXPECT_TRUE(finished.err.starts_with("spex-sim: ")) << finished.err;
  EXPECT_EQ(finished.err.find('\n') + 1, finished.err.size()) << finished.err;
  EXPECT_THAT(finished.err, HasSubstr(GetParam().says));
  EXPECT_TRUE(outputs.names().empty());
}

const auto name_of = [](const testing::TestParamInfo<BadRun>& info) { return info.param.name; };
INSTANTIATE_TEST_SUITE_P(SpexSim, SpexSimBadInput, testing::ValuesIn(bad_runs()), name_of);

TEST(SpexSim, MissingFolderNameIsNamed) {
  const Finished finished = run_spex_sim({"--size", "tiny"});
  EXPECT_EQ(finished.status, usage_status);
  EXPECT_THAT(finished.err, HasSubstr("--output"));
}

// Even root cannot create files in /proc.
TEST(SpexSim, UnwritableFolderGivesOneLine) {
  const Finished finished =
      run_spex_sim({"-o", "/proc/self", "--size", "tiny", "--loglevel", "error"});
  EXPECT_EQ(finished.status, other_status);
  EXPECT_THAT(finished.err, HasSubstr("spex-sim: /proc/self"));
  EXPECT_EQ(finished.err.find('\n') + 1, finished.err.size()) << finished.err;
}

// A file size limit that an image exceeds, so that write() fails as on a full disk.
TEST(SpexSim, FullDiskLeavesNoPartOfAFile) {
  const ScratchFolder scratch;
  const Finished finished =
      run_captured({"bash", "-c", "ulimit -f 8; exec \"$@\"", "bash", "timeout", "120", spex_sim,
                    "-o", scratch.file(""), "--size", "tiny", "--loglevel", "error"});
  EXPECT_EQ(finished.status, other_status);
  EXPECT_THAT(finished.err, HasSubstr("cannot be written: "));
  EXPECT_TRUE(scratch.names().empty());
}

TEST(SpexSim, PsfIsNotOverwritten) {
  const ScratchFolder scratch;
  simulate_tiny(scratch.file(""));
  const std::string psf = scratch.file("psf-r0-00000001.fits");
  const std::string before = read_file(psf);
  const Finished finished = run_spex_sim({"-o", scratch.file(""), "--size", "bundle", "--psf", psf,
                                          "--overwrite", "--loglevel", "error"});
  EXPECT_EQ(finished.status, usage_status);
  EXPECT_THAT(finished.err, HasSubstr("would overwrite an input"));
  EXPECT_TRUE(read_file(psf) == before);
  EXPECT_EQ(scratch.names(), files_of_r0);
}

}  // namespace
}  // namespace spex::test
