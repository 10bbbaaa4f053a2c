// Messages and files of spex-cpu, except the spectra.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "mpi/tests/programs/spex_cpu_runs.hpp"
#include "reference/core/version.hpp"
#include "reference/fits/write/atomic_write.hpp"
#include "reference/model/mask_bits.hpp"
#include "reference/model/option_table.hpp"
#include "reference/tests/support/cfitsio_file.hpp"
#include "reference/tests/support/change_fits.hpp"

namespace spex::test {
namespace {

using testing::AnyOf;
using testing::Contains;
using testing::HasSubstr;
using testing::StartsWith;

std::vector<std::string> hdu_names(const std::string& path) {
  FitsReader file(path);
  std::vector<std::string> names;
  for (int hdu = 1; hdu <= file.hdus(); ++hdu) {
    file.move_to_number(hdu);
    names.push_back(file.get_string("EXTNAME"));
  }
  return names;
}

std::vector<char> bytes_of(const std::string& path) {
  const std::string bytes = read_file(path);
  return {bytes.begin(), bytes.end()};
}

class Output : public testing::Test {
 protected:
  Finished run(const Options& changes) { return run_spex_cpu(with(tiny_b(frame), changes)); }

  const ScratchFolder scratch;
  const std::string frame = scratch.file("frame.fits");
};

// The header names the form that was read.
TEST_F(Output, InputsInTheirOtherForm) {
  atomic_write(scratch.file("image.fits.gz"), bytes_of(golden + "tiny-b/preproc.fits"));
  const std::string psf = scratch.copy_of(golden + "tiny-b/psf.fits", "psf.fits");
  const Options others{{"-i", scratch.file("image.fits")}, {"-p", psf + ".gz"}};
  ASSERT_EQ(run(others).status, 0);
  FitsReader file(frame);
  EXPECT_EQ(file.get_string("IN_IMG"), scratch.file("image.fits.gz"));
  EXPECT_EQ(file.get_string("IN_PSF"), psf);
  const std::vector<double> flux = file.read_doubles();
  ASSERT_EQ(run({}).status, 0);
  EXPECT_EQ(FitsReader(frame).read_doubles(), flux);
  // The image that is read must not be replaced, nor be one of two.
  Finished refused = run(with(others, {{"-o", scratch.file("image.fits.gz")}}));
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("image.fits.gz: would overwrite an input"));
  write_file(scratch.file("image.fits.fz"), "");
  refused = run(others);
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.err, HasSubstr("image.fits: no such file, but "));
}

TEST_F(Output, NoSecondFormOfAnOutput) {
  const std::string model = scratch.file("model.fits");
  ASSERT_EQ(run({{"-m", model}}).status, 0);
  for (const auto& [option, name] : {std::pair{"-o", frame}, std::pair{"-m", model}}) {
    const Finished refused = run({{option, name + ".gz"}});
    EXPECT_EQ(refused.status, 1);
    EXPECT_EQ(refused.err, "spex-cpu: " + name + ".gz: exists already as " + name +
                               " (expected no other form of the output; remove it, or write that "
                               "form)\n");
  }
  EXPECT_EQ(scratch.names(), (std::set<std::string>{"frame.fits", "model.fits"}));
  EXPECT_EQ(run({{"-m", scratch.file("both.fits")}, {"-o", scratch.file("both.fits.gz")}}).status,
            2);
}

// The documents name every option of --help, and --help every option of the table.
TEST_F(Output, EveryOptionIsDocumented) {
  const Finished help = run_spex_cpu({{"--help", ""}});
  EXPECT_EQ(help.status, 0);
  EXPECT_EQ(help.err, "");
  std::string documents;
  for (const auto& page : std::filesystem::directory_iterator(SPEX_SOURCE_DIR "/docs"))
    if (page.path().extension() == ".md") documents += read_file(page.path().string());
  std::set<std::string> found;
  for (std::size_t at = help.out.find("--"); at != std::string::npos;
       at = help.out.find("--", at + 2)) {
    const std::size_t end = help.out.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-", at);
    const std::string name = help.out.substr(at, end - at);
    if (name != "--") found.insert(name);
  }
  EXPECT_GT(found.size(), 60U);
  for (const std::string& name : found)
    EXPECT_NE(documents.find(name), std::string::npos) << name << " is in no page of docs";
  for (const ExtractOption& option : extract_options()) EXPECT_THAT(found, Contains(option.flag()));
  EXPECT_THAT(help.out, HasSubstr("Exit status"));
}

TEST_F(Output, HelpNamesTheDefaults) {
  std::string help = run_spex_cpu({{"--help", ""}}).out;
  std::ranges::replace(help, '\n', ' ');
  // CLI11 writes `INT=25`, and since 2.4 `INT [25]`.
  const std::vector<std::pair<std::string, std::string>> defaults{
      {"bundlesize INT", "25"},
      {"nsubbundles INT", "5"},
      {"nwavestep INT", "50"},
      {"wavepad INT", "10"},
      {"pixpad-frac FLOAT", "0.8"},
      {"wavepad-frac FLOAT", "0.2"},
      {"decorrelate signal|noise", "signal"},
      {"flux patch|frame", "patch"},
      {"method eigh|cholesky", "cholesky"},
      {"milestone direct|scalar|baseline|cpu-refactor", "direct"},
      {"mask-bits TEXT", "0x2FF"}};
  for (const auto& [option, value] : defaults)
    EXPECT_THAT(help, AnyOf(HasSubstr(option + "=" + value + " "),
                            HasSubstr(option + " [" + value + "] ")));
}

TEST_F(Output, VersionIsNameAndNumber) {
  const Finished run = run_spex_cpu({{"--version", ""}});
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.out, version_text("spex-cpu") + "\n");
  EXPECT_THAT(run.out, testing::MatchesRegex("spex-cpu [^\n]*" + version() +
                                             "(, commit [0-9a-f]+(, changed)?)?\n.*"));
}

// Memory that the process had before exec does not count.
TEST_F(Output, RunLogHoldsThePeakMemoryOfTheProgram) {
  constexpr std::size_t large = std::size_t{1} << 30;
  const std::vector<char> of_this_process(large, 1);
  const std::string log = scratch.file("log.json");
  std::vector<std::string> command{spex_cpu};
  for (const auto& [name, value] : with(tiny_b(frame), {{"--events", log}}))
    command.insert(command.end(), {name, value});
  ASSERT_EQ(run_captured(command).status, 0);
  const auto ranks = nlohmann::json::parse(std::ifstream(log)).at("ranks");
  EXPECT_LT(ranks.at(0).at("max_rss_bytes").get<double>(), of_this_process.size());
  EXPECT_GT(ranks.at(0).at("max_rss_bytes").get<double>(), 1e7);
}

TEST_F(Output, OneRankPrintsUnderMpi) {
  const Finished help = run_spex_cpu({{"--version", ""}}, mpirun(3));
  EXPECT_EQ(help.status, 0);
  EXPECT_EQ(help.out, version_text("spex-cpu") + "\n");
}

TEST_F(Output, LogFileHasTheLinesOfStderrWithDates) {
  const std::string log = scratch.file("run.log");
  const Options logged{{"--log-file", log}, {"--loglevel", "info"}};
  const Finished done = run(logged);
  ASSERT_EQ(done.status, 0) << done.err;
  const std::string first = read_file(log);
  EXPECT_THAT(first, testing::MatchesRegex("20[^\n]* info spex-cpu: [^\n]* rank[^\n]*\n.*"));
  EXPECT_THAT(first, HasSubstr(" info spex-cpu: wrote " + frame));
  EXPECT_EQ(std::count(first.begin(), first.end(), '\n'),
            std::count(done.err.begin(), done.err.end(), '\n'));
  // A failing run appends its error.
  const Finished failed = run(with(logged, {{"-i", scratch.file("none.fits")}}));
  EXPECT_EQ(failed.status, 1);
  const std::string both = read_file(log);
  EXPECT_TRUE(both.starts_with(first));
  EXPECT_THAT(both.substr(first.size()),
              HasSubstr(" error " + failed.err.substr(failed.err.rfind("spex-cpu: "))));
}

TEST_F(Output, LogFileOfSeveralRanks) {
  const std::string log = scratch.file("run.log");
  const Finished done =
      run_spex_cpu(with(tiny_b(frame), {{"--log-file", log}, {"--loglevel", "debug"}}), mpirun(2));
  ASSERT_EQ(done.status, 0) << done.err;
  EXPECT_THAT(read_file(log), HasSubstr("2 rank(s)"));
  EXPECT_THAT(read_file(log), HasSubstr("wrote " + frame));
}

TEST_F(Output, HdusInOrder) {
  ASSERT_EQ(run({}).status, 0);
  EXPECT_EQ(hdu_names(frame),
            (std::vector<std::string>{"FLUX", "IVAR", "MASK", "WAVELENGTH", "RESOLUTION",
                                      "FIBERMAP", "CHI2PIX", "SCORES"}));
  EXPECT_THAT(scratch.names(), testing::ElementsAre("frame.fits"));
}

TEST_F(Output, NoScores) {
  ASSERT_EQ(run({{"--no-scores", ""}}).status, 0);
  EXPECT_THAT(hdu_names(frame), testing::Not(testing::Contains("SCORES")));
}

TEST_F(Output, ChecksumsHold) {
  ASSERT_EQ(run({}).status, 0);
  test::CfitsioFile file(frame);
  for (const std::string& name : hdu_names(frame))
    EXPECT_TRUE(file.move_to(name).has_right_sums()) << name;
}

TEST_F(Output, HeaderStatesTheFluxSolver) {
  ASSERT_EQ(run({{"-n", "2"}}).status, 0);
  EXPECT_FALSE(FitsReader(frame).find_string("FLUXSOLV"));
  ASSERT_EQ(run({{"-n", "2"}, {"--flux", "frame"}}).status, 0);
  FitsReader file(frame);
  EXPECT_EQ(file.get_string("FLUXSOLV"), "frame");
  EXPECT_EQ(file.get_integer("NDIRECT"), 0);
}

// Cosmic rays that the image's MASK misses: chi2pix is above 100 around them.
TEST_F(Output, Bad2dFitByTheRuleOfOlderProductions) {
  const std::string preproc = scratch.copy_of(golden + "tiny-b/preproc.fits", "cosmic.fits");
  HduImage image = read_image(preproc, "IMAGE");
  for (std::size_t i = 0; i < image.value.size(); i += 211) image.value[i] += 3000;
  set_pixels(preproc, "IMAGE", 0, image.value);
  const auto bits = [&](const char* rule) {
    EXPECT_EQ(run({{"-i", preproc}, {"-w", "3620,3680,0.8"}, {"--bad2dfit", rule}}).status, 0);
    return read_image(frame, "MASK").value;
  };
  const std::vector<double> relative = bits("relative");
  EXPECT_FALSE(FitsReader(frame).find_string("BAD2DFIT"));
  const std::vector<double> chi2 = bits("chi2");
  EXPECT_EQ(FitsReader(frame).get_string("BAD2DFIT"), "chi2");
  const std::vector<double> chi2pix = read_image(frame, "CHI2PIX").value;
  std::size_t flagged = 0, differ = 0;
  for (std::size_t j = 0; j < chi2.size(); ++j) {
    const bool bad = (static_cast<std::uint32_t>(chi2[j]) & specmask::BAD2DFIT) != 0;
    ASSERT_EQ(bad, chi2pix[j] > 100) << j;
    flagged += bad ? 1 : 0;
    differ += chi2[j] != relative[j] ? 1 : 0;
  }
  EXPECT_GT(flagged, 0U);
  EXPECT_GT(differ, 0U) << "the two rules flag the same bins";
}

TEST_F(Output, HeaderStatesTheOptions) {
  ASSERT_EQ(run({{"-s", "3"},
                 {"-n", "4"},
                 {"-r", "0.01"},
                 {"--psferr", "0.05"},
                 {"--mask-bits", "0x3"},
                 {"--method", "cholesky"},
                 {"--decorrelate", "noise"},
                 {"--milestone", "baseline"}})
                .status,
            0);
  FitsReader file(frame);
  EXPECT_EQ(file.get_integer("NSPEC"), 4);
  EXPECT_EQ(file.get_integer("SPECMIN"), 3);
  EXPECT_EQ(file.get_integer("FIBERMIN"), 3);
  EXPECT_EQ(file.get_double("WAVEMIN"), 3620);
  EXPECT_EQ(file.get_double("WAVEMAX"), 3636);
  EXPECT_EQ(file.get_double("WAVESTEP"), 0.8);
  EXPECT_EQ(file.get_integer("BUNDLESZ"), 5);
  EXPECT_EQ(file.get_integer("NSUBBUN"), 5);
  EXPECT_EQ(file.get_integer("NWAVESTP"), 8);
  EXPECT_EQ(file.get_integer("WAVEPAD"), 4);
  EXPECT_EQ(file.get_double("PIXPADFR"), 0.8);
  EXPECT_EQ(file.get_double("WAVPADFR"), 0.2);
  EXPECT_EQ(file.get_double("REGULARZ"), 0.01);
  EXPECT_EQ(file.get_double("PSFERR"), 0.05);
  EXPECT_EQ(file.get_integer("MASKBITS"), 3);
  EXPECT_EQ(file.get_string("METHOD"), "cholesky");
  EXPECT_EQ(file.get_string("DECORREL"), "noise");
  EXPECT_EQ(file.get_string("MILESTNE"), "baseline");
  EXPECT_EQ(file.get_string("SPEXPROG"), "spex-cpu");
  EXPECT_EQ(file.get_string("SPEXVERS"), version());
  EXPECT_EQ(file.get_string("BUNIT"), "electron/Angstrom");
  EXPECT_EQ(file.get_integer("NPATCH"), 12);  // fibers 3 to 6, a subbundle each, three steps
  EXPECT_EQ(file.get_integer("NFAILED"), 0);
  // Copied from the image's header.
  EXPECT_EQ(file.get_integer("NIGHT"), 20200305);
  EXPECT_THAT(file.get_string("CAMERA"), StartsWith("b"));
}

TEST_F(Output, CholeskyNeedsNoFallback) {
  ASSERT_EQ(run({{"--method", "cholesky"}}).status, 0);
  EXPECT_EQ(FitsReader(frame).get_integer("NGUARD"), 0);
  EXPECT_EQ(FitsReader(frame).get_integer("NFALLBCK"), 0);
}

TEST_F(Output, Gzip) {
  ASSERT_EQ(run({}).status, 0);
  const std::string packed = scratch.file("packed.fits.gz");
  ASSERT_EQ(run({{"-o", packed}}).status, 0);
  EXPECT_THAT(read_file(packed), StartsWith("\x1f\x8b"));
  for (const char* hdu : {"FLUX", "IVAR", "MASK", "RESOLUTION", "CHI2PIX"})
    EXPECT_EQ(read_image(packed, hdu).value, read_image(frame, hdu).value) << hdu;
}

TEST_F(Output, ModelHasTheShapeOfTheCcdAndFollowsTheImage) {
  const std::string path = scratch.file("model.fits");
  ASSERT_EQ(run({{"-m", path}, {"-w", "3620,3680,0.8"}}).status, 0);
  EXPECT_EQ(hdu_names(path), (std::vector<std::string>{"MODEL"}));
  const HduImage model = read_image(path, "MODEL");
  const std::string input = golden + "tiny-b/preproc.fits";
  const HduImage image = read_image(input, "IMAGE");
  const HduImage ivar = read_image(input, "IVAR");
  const HduImage mask = read_image(input, "MASK");
  ASSERT_EQ(model.axes, image.axes);
  // Rows with light of extracted wavelengths only: two spot heights inside the first and last lit
  // rows.
  const std::size_t nx = model.axes[0];
  const auto has_light = [](double value) { return value != 0; };
  const auto first = std::find_if(model.value.begin(), model.value.end(), has_light);
  const auto last = std::find_if(model.value.rbegin(), model.value.rend(), has_light);
  constexpr std::size_t margin = 2 * 11;
  const std::size_t y0 = static_cast<std::size_t>(first - model.value.begin()) / nx + margin;
  const std::size_t y1 = static_cast<std::size_t>(model.value.rend() - last) / nx - margin;
  ASSERT_GT(y1, y0);
  // Model and image agree within the noise in lit, good pixels.
  double sum = 0;
  int count = 0;
  for (std::size_t i = 0; i < model.value.size(); ++i) ASSERT_TRUE(std::isfinite(model.value[i]));
  for (std::size_t i = y0 * nx; i < y1 * nx; ++i) {
    if (model.value[i] < 5 || mask.value[i] != 0) continue;
    const double difference = model.value[i] - image.value[i];
    sum += difference * difference * ivar.value[i];
    ++count;
  }
  ASSERT_GT(count, 100);
  EXPECT_LT(sum / count, 1.5);
}

TEST_F(Output, ReplacesAnOldFrame) {
  write_file(frame, "old");
  ASSERT_EQ(run({}).status, 0);
  EXPECT_EQ(hdu_names(frame).front(), "FLUX");
}

}  // namespace
}  // namespace spex::test
