// Errors of spex-cpu: one line, an exit status, and no output file.

#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mpi/tests/programs/spex_cpu_runs.hpp"
#include "reference/tests/support/change_fits.hpp"

namespace spex::test {
namespace {

using testing::HasSubstr;

constexpr int usage = 2;
constexpr int other = 1;

// Invalid input files and a folder for outputs, created once for all tests.
class Files {
 public:
  Files() {
    const std::string image = read_file(golden + "tiny-b/preproc.fits");
    const std::string psf = read_file(golden + "tiny-b/psf.fits");
    write_file(inputs.file("empty.fits"), "");
    write_file(inputs.file("text.fits"), "This is no FITS file.\n");
    write_file(inputs.file("cut-image.fits"), image.substr(0, image.size() / 2));
    write_file(inputs.file("cut-header.fits"), image.substr(0, 1000));
    write_file(inputs.file("cut-psf.fits"), psf.substr(0, psf.size() - 5000));
    for (const char* name : {"nan.fits", "narrow.fits", "far.fits"})
      write_file(inputs.file(name), psf);
    write_file(inputs.file("nowhere.fits"), image);
    write_file(inputs.file("other-arm.fits"), psf);
    set_keyword(inputs.file("other-arm.fits"), "PSF", "CAMERA", "r3");
    write_file(inputs.file("pca.fits"), psf);
    set_keyword(inputs.file("pca.fits"), "PSF", "PSFTYPE", "PCA-PIX");
    write_file(inputs.file("quoted-arm.fits"), psf);
    set_keyword(inputs.file("quoted-arm.fits"), "PSF", "CAMERA", "'Z0      '");
    write_file(inputs.file("reals.fits"), image);
    as_doubles(inputs.file("reals.fits"), "MASK");
    std::string flipped = image;
    flipped.at(flipped.find("IVAR") + 40000) ^= 0x10;
    write_file(inputs.file("flipped.fits"), flipped);
    rename_keyword(inputs.file("nowhere.fits"), "IMAGE", "TARGTRA", "NOWHERE");
    set_psf_parameter(inputs.file("nan.fits"), "GH-2-0", 4,
                      {std::numeric_limits<double>::quiet_NaN(), 0, 0});
    set_psf_parameter(inputs.file("narrow.fits"), "GHSIGY", 9, {-1, 0, 0});
    set_pixels(inputs.file("far.fits"), "XTRACE", 0, {1e9});
  }
  const ScratchFolder inputs;
};

const Files& files() {
  static const Files made;
  return made;
}
std::string input(const std::string& name) {
  return files().inputs.file(name);
}

struct BadRun {
  std::string name;
  Options changes;
  int status;
  std::string says;  // a part of the message that identifies the cause
};
void PrintTo(const BadRun& bad, std::ostream* out) {
  *out << bad.name;
}

std::vector<BadRun> bad_inputs() {
  return {
      {"missing_image", {{"-i", input("none.fits")}}, other, "none.fits: "},
      {"empty_image", {{"-i", input("empty.fits")}}, other, "empty.fits: "},
      {"text_for_image", {{"-i", input("text.fits")}}, other, "text.fits: "},
      {"image_cut_short", {{"-i", input("cut-image.fits")}}, other, "cut-image.fits: "},
      {"header_cut_short", {{"-i", input("cut-header.fits")}}, other, "cut-header.fits: "},
      {"folder_for_image", {{"-i", golden}}, other, golden},
      {"psf_for_image", {{"-i", golden + "tiny-b/psf.fits"}}, other, "IMAGE"},
      {"missing_psf", {{"-p", input("none.fits")}}, other, "none.fits: "},
      {"empty_psf", {{"-p", input("empty.fits")}}, other, "empty.fits: "},
      {"text_for_psf", {{"-p", input("text.fits")}}, other, "text.fits: "},
      {"psf_cut_short", {{"-p", input("cut-psf.fits")}}, other, "cut-psf.fits: "},
      {"image_for_psf",
       {{"-p", golden + "tiny-b/preproc.fits"}},
       other,
       "preproc.fits: is not a PSF file: it has no HDU YTRACE, and its first HDU is IMAGE"},
      {"image_and_psf_swapped",
       {{"-i", golden + "tiny-b/psf.fits"}, {"-p", golden + "tiny-b/preproc.fits"}},
       other,
       "the two files look swapped"},
      {"psf_of_another_ccd", {{"-p", golden + "tiny-z/psf.fits"}}, other, "NPIX_X x NPIX_Y"},
      {"psf_of_another_arm", {{"-p", input("other-arm.fits")}}, other, "is the PSF of r3"},
      {"psf_of_another_arm_in_quotes",
       {{"-p", input("quoted-arm.fits")}},
       other,
       "quoted-arm.fits: is the PSF of z0 (expected that of b0)"},
      {"mask_of_reals", {{"-i", input("reals.fits")}}, other, "MASK holds floating-point numbers"},
      {"flipped_bit",
       {{"-i", input("flipped.fits")}},
       other,
       "flipped.fits: HDU IVAR does not have the checksum that its DATASUM states"},
      {"psf_with_nan", {{"-p", input("nan.fits")}}, other, "nan.fits: "},
      {"psf_with_negative_width",
       {{"-p", input("narrow.fits")}},
       other,
       "narrow.fits: fiber 9 at 3616.8 Angstrom, in the padding of 3620.0 Angstrom has widths "
       "GHSIGX "},
      {"psf_far_from_the_ccd", {{"-p", input("far.fits")}}, other, "far.fits: fiber 0 at "},
      {"psf_of_another_kind",
       {{"-p", input("pca.fits")}},
       other,
       "pca.fits: HDU PSF: PSFTYPE is PCA-PIX (expected GAUSS-HERMITE"},
      {"missing_fibermap", {{"-f", input("none.fits")}}, other, "none.fits: "},
  };
}

std::vector<BadRun> bad_numbers() {
  return {
      {"wavelength_of_letters", {{"-w", "a,b"}}, usage, "wmin,wmax,dw"},
      {"wavelength_of_two_numbers", {{"-w", "3620,3630"}}, usage, "wmin,wmax,dw"},
      {"wavelength_of_four_numbers", {{"-w", "3620,3630,0.8,1"}}, usage, "wmin,wmax,dw"},
      {"wavelength_reversed", {{"-w", "7000,6000,0.8"}}, usage, "reversed"},
      {"wavelength_without_step", {{"-w", "3620,3630,0"}}, usage, "dw > 0"},
      {"wavelength_stepping_back", {{"-w", "3620,3630,-0.8"}}, usage, "dw > 0"},
      {"wavelength_of_tiny_steps", {{"-w", "3620,3630,1e-9"}}, usage, "a million"},
      {"wavelength_nan", {{"-w", "nan,3630,0.8"}}, usage, "wmin,wmax,dw"},
      {"wavelength_off_the_ccd", {{"-w", "9000,9100,0.8"}}, usage, "outside of the CCD"},
      {"no_spectra", {{"-n", "0"}}, usage, "--nspec"},
      {"negative_spectra", {{"-n", "-1"}}, usage, "--nspec"},
      {"spectra_beyond_the_psf", {{"-n", "11"}}, usage, "the PSF's fibers"},
      {"spectra_beyond_from_specmin", {{"-s", "6"}, {"-n", "5"}}, usage, "the PSF's fibers"},
      {"spectra_beyond_any_int", {{"-n", "99999999999"}}, usage, "nspec"},
      {"specmin_beyond_the_psf", {{"-s", "10"}}, usage, "the PSF's fibers"},
      {"negative_specmin", {{"-s", "-1"}}, usage, "--specmin"},
      {"subbundles_that_do_not_divide", {{"--nsubbundles", "3"}}, usage, "does not divide"},
      {"no_subbundles", {{"--nsubbundles", "0"}}, usage, "--nsubbundles"},
      {"no_bundle", {{"--bundlesize", "0"}}, usage, "--bundlesize"},
      {"no_wavestep", {{"--nwavestep", "0"}}, usage, "--nwavestep"},
      {"huge_wavestep", {{"--nwavestep", "1000000"}}, usage, "--nwavestep"},
      {"negative_wavepad", {{"--wavepad", "-1"}}, usage, "--wavepad"},
      {"fraction_above_one", {{"--pixpad-frac", "2"}}, usage, "--pixpad-frac"},
      {"fraction_nan", {{"--wavepad-frac", "nan"}}, usage, "--wavepad-frac"},
      {"negative_regularization", {{"-r", "-1"}}, usage, "--regularize"},
      {"negative_psferr", {{"--psferr", "-1"}}, usage, "--psferr"},
      {"word_for_a_number", {{"--wavepad", "ten"}}, usage, "wavepad"},
  };
}

std::vector<BadRun> bad_choices() {
  return {
      {"unknown_method", {{"--method", "lu"}}, usage, "eigh or cholesky"},
      {"unknown_flux", {{"--flux", "whole"}}, usage, "patch or frame"},
      {"unknown_decorrelation", {{"--decorrelate", "all"}}, usage, "signal or noise"},
      {"unknown_milestone",
       {{"--milestone", "first"}},
       usage,
       "direct or scalar or baseline or cpu-refactor"},
      {"unknown_level", {{"--loglevel", "loud"}}, usage, "--loglevel"},
      {"mask_bits_of_letters", {{"--mask-bits", "some"}}, usage, "--mask-bits"},
      {"mask_bits_beyond_32", {{"--mask-bits", "0x1FFFFFFFF"}}, usage, "--mask-bits"},
      {"no_threads", {{"--threads", "0"}}, usage, "--threads"},
      {"use_specter", {{"--use-specter", ""}}, usage, "--use-specter: this program is not specter"},
      {"use_gpu", {{"--use-gpu", ""}}, usage, "--use-gpu: this program extracts on CPUs"},
      {"decorrelate_fibers", {{"--decorrelate-fibers", ""}}, usage, "--decorrelate noise"},
      {"verbose_and_level", {{"-v", ""}}, usage, "--loglevel"},
      {"unknown_bad2dfit", {{"--bad2dfit", "100"}}, usage, "relative or chi2"},
      {"unknown_chi2_pixels", {{"--chi2-pixels", "dark"}}, usage, "weighted or bright"},
      {"heliocor_alone", {{"--heliocor", "1.00005"}}, usage, "--barycentric-correction"},
      {"heliocor_a_velocity",
       {{"--barycentric-correction", ""}, {"--heliocor", "19.2"}},
       usage,
       "not a wavelength factor"},
      {"iers_alone", {{"--iers", input("text.fits")}}, usage, "--barycentric-correction"},
      {"iers_of_text",
       {{"--barycentric-correction", ""}, {"--iers", input("text.fits")}},
       other,
       "text.fits:1: "},
      {"iers_missing",
       {{"--barycentric-correction", ""}, {"--iers", input("none")}},
       other,
       "none: "},
      {"barycentric_both",
       {{"--barycentric-correction", ""}, {"--barycentric-by-obstype", ""}},
       usage,
       "--barycentric"},
      {"barycentric_without_position",
       {{"--barycentric-correction", ""}, {"-i", input("nowhere.fits")}},
       other,
       "nowhere.fits: neither IMAGE nor FIBERMAP"},
      {"unknown_flag", {{"--fast", ""}}, usage, "--fast"},
  };
}

// OUT/ stands for the output folder.
std::vector<BadRun> bad_files() {
  return {
      {"output_folder_missing", {{"-o", "OUT/none/frame.fits"}}, other, "does not exist"},
      {"output_below_a_file", {{"-o", input("text.fits") + "/frame.fits"}}, other, "text.fits"},
      {"output_is_a_folder", {{"-o", golden}}, other, golden},
      {"output_with_a_filter", {{"-o", "OUT/frame.fits[compress]"}}, other, "extended file name"},
      {"output_to_be_removed", {{"-o", "!none/frame.fits"}}, other, "extended file name"},
      {"output_by_a_scheme", {{"-o", "file://none/frame.fits"}}, other, "extended file name"},
      {"output_packed_by_tiles", {{"-o", "OUT/frame.fits.fz"}}, other, "ends in .fits or"},
      {"model_packed_by_tiles", {{"-m", "OUT/model.fits.fz"}}, other, "ends in .fits or"},
      {"model_with_a_filter", {{"-m", "OUT/model.fits[1]"}}, other, "extended file name"},
      {"image_with_a_section",
       {{"-i", golden + "tiny-b/preproc.fits[1:10,1:10]"}},
       other,
       "[1:10,1:10]: no such file"},
      {"image_by_a_scheme",
       {{"-i", "file://" + golden + "tiny-b/preproc.fits"}},
       other,
       "preproc.fits: no such file"},
      {"psf_of_an_hdu", {{"-p", golden + "tiny-b/psf.fits[1]"}}, other, "[1]: no such file"},
      {"output_packed_by_bzip2", {{"-o", "OUT/frame.fits.bz2"}}, other, "ends in .fits or"},
      {"output_packed_in_capitals", {{"-o", "OUT/frame.FITS.GZ"}}, other, "ends in .fits or"},
      {"output_of_text",
       {{"-o", "OUT/a.txt"}},
       other,
       "a.txt: is not the name of a FITS file (expected a name that ends in .fits or .fits.gz)"},
      {"model_of_text", {{"-m", "OUT/a.txt"}}, other, "a.txt: is not the name of a FITS file"},
      {"run_log_over_the_image",
       {{"--events", golden + "tiny-b/preproc.fits"}},
       usage,
       "another name for --events"},
      {"run_log_over_the_frame", {{"--events", "OUT/frame.fits"}}, usage, "is the name of"},
      {"log_over_the_image",
       {{"--log-file", golden + "tiny-b/preproc.fits"}},
       usage,
       "preproc.fits is the name of a FITS file"},
      {"log_over_the_run_log",
       {{"--log-file", "OUT/log"}, {"--events", "OUT/log"}},
       usage,
       "is the name of an input or an output"},
      {"log_folder_missing", {{"--log-file", "OUT/none/log"}}, other, "does not exist"},
      {"model_folder_missing", {{"-m", "OUT/none/model.fits"}}, other, "does not exist"},
      {"rejected_is_the_output",
       {{"--reject-pixels", "6"}, {"--rejected-pixels", "OUT/frame.fits"}},
       usage,
       "both outputs"},
      {"rejected_of_text",
       {{"--reject-pixels", "6"}, {"--rejected-pixels", "OUT/a.txt"}},
       other,
       "a.txt: is not the name of a FITS file"},
      {"rejected_of_none",
       {{"--rejected-pixels", "OUT/mask.fits"}},
       usage,
       "--rejected-pixels: no pixels are rejected (expected also --reject-pixels)"},
      {"rejected_by_noise", {{"--reject-pixels", "2"}}, usage, "--reject-pixels: 2 (expected 3 to"},
      {"model_is_the_output", {{"-m", "OUT/frame.fits"}}, usage, "both outputs"},
      {"output_over_the_image",
       {{"-o", golden + "tiny-b/../tiny-b/preproc.fits"}},
       usage,
       "overwrite"},
  };
}

std::vector<BadRun> bad_runs() {
  std::vector<BadRun> all;
  for (const auto& some : {bad_inputs(), bad_numbers(), bad_choices(), bad_files()})
    all.insert(all.end(), some.begin(), some.end());
  return all;
}

std::vector<std::string> lines_of_program(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> found;
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("spex-cpu: ")) found.push_back(line);
  return found;
}

class BadInput : public testing::TestWithParam<BadRun> {
 protected:
  Finished run(const std::vector<std::string>& launcher = {}) {
    Options options = tiny_b("OUT/frame.fits");
    for (const auto& [name, value] : GetParam().changes) options[name] = value;
    for (auto& [name, value] : options)
      if (value.starts_with("OUT/")) value = outputs.file(value.substr(4));
    return run_spex_cpu(options, launcher);
  }

  const ScratchFolder outputs;
};

TEST_P(BadInput, GivesOneLineAndNoFile) {
  const std::set<std::string> before = files().inputs.names();
  const Finished finished = run();
  EXPECT_EQ(finished.status, GetParam().status);
  EXPECT_EQ(finished.out, "");
  EXPECT_EQ(lines_of_program(finished.err).size(), 1U);
  EXPECT_EQ(finished.err.find('\n') + 1, finished.err.size()) << finished.err;
  EXPECT_THAT(finished.err, HasSubstr(GetParam().says));
  EXPECT_TRUE(outputs.names().empty());
  EXPECT_EQ(files().inputs.names(), before);
}

const auto name_of = [](const testing::TestParamInfo<BadRun>& info) { return info.param.name; };
INSTANTIATE_TEST_SUITE_P(SpexCpu, BadInput, testing::ValuesIn(bad_runs()), name_of);

// mpirun adds its own lines.
class BadInputUnderMpi : public BadInput {};

TEST_P(BadInputUnderMpi, EndsAllRanksWithOneLine) {
  const Finished finished = run(mpirun(3));
  EXPECT_EQ(finished.status, GetParam().status) << finished.err;
  const std::vector<std::string> lines = lines_of_program(finished.err);
  ASSERT_EQ(lines.size(), 1U) << finished.err;
  EXPECT_THAT(lines.front(), HasSubstr(GetParam().says));
  EXPECT_TRUE(outputs.names().empty());
}

std::vector<BadRun> bad_runs_under_mpi() {
  const std::set<std::string> chosen{"missing_image",          "psf_with_negative_width",
                                     "spectra_beyond_the_psf", "wavelength_reversed",
                                     "output_folder_missing",  "unknown_flag"};
  std::vector<BadRun> runs;
  for (const BadRun& bad : bad_runs())
    if (chosen.contains(bad.name)) runs.push_back(bad);
  return runs;
}
INSTANTIATE_TEST_SUITE_P(SpexCpu, BadInputUnderMpi, testing::ValuesIn(bad_runs_under_mpi()),
                         name_of);

// A file size limit that the frame exceeds, so that write() fails as on a full disk.
const std::vector<std::string> full_disk{"bash", "-c", "ulimit -f 8; exec \"$@\"", "bash"};

TEST(FullDisk, LeavesNothing) {
  for (const char* name : {"frame.fits", "frame.fits.gz"}) {
    const ScratchFolder outputs;
    const Finished finished =
        run_spex_cpu(with(tiny_b(outputs.file(name)), {{"--full-precision", ""}}), full_disk);
    EXPECT_EQ(finished.status, other);
    EXPECT_EQ(lines_of_program(finished.err).size(), 1U) << finished.err;
    EXPECT_THAT(finished.err, HasSubstr("cannot be written: "));
    EXPECT_TRUE(outputs.names().empty()) << name;
  }
}

TEST(FullDisk, KeepsTheOldFrame) {
  const ScratchFolder outputs;
  const std::string frame = outputs.file("frame.fits");
  write_file(frame, "old");
  const Finished finished = run_spex_cpu(tiny_b(frame), full_disk);
  EXPECT_EQ(finished.status, other);
  EXPECT_EQ(read_file(frame), "old");
  EXPECT_THAT(outputs.names(), testing::ElementsAre("frame.fits"));
}

// For example from an unset variable in a script.
TEST(EmptyName, IsReportedBeforeAnyWork) {
  const Finished finished =
      run_captured({spex_cpu, "-i", golden + "tiny-b/preproc.fits", "-p",
                    golden + "tiny-b/psf.fits", "-w", "3620,3636,0.8", "-o", ""});
  EXPECT_EQ(finished.status, usage);
  EXPECT_EQ(finished.err, "spex-cpu: --output: is empty (expected the name of a file)\n");
}

TEST(MissingOption, IsNamed) {
  Options options = tiny_b("");
  options.erase("-o");
  const Finished finished = run_spex_cpu(options);
  EXPECT_EQ(finished.status, usage);
  EXPECT_EQ(lines_of_program(finished.err).size(), 1U) << finished.err;
  EXPECT_THAT(finished.err, HasSubstr("--output"));
}

TEST(DefaultLogLevel, ErrorIsOneLine) {
  const ScratchFolder outputs;
  Options options = with(tiny_b(outputs.file("frame.fits")), {{"-i", input("none.fits")}});
  options.erase("--loglevel");
  const Finished finished = run_spex_cpu(options);
  EXPECT_EQ(finished.status, other);
  EXPECT_EQ(lines_of_program(finished.err).size(), 1U) << finished.err;
}

}  // namespace
}  // namespace spex::test
