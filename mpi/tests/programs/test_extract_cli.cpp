// The command line of an extraction, compatible with production's scripts.

#include <algorithm>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mpi/programs/exposure_cli.hpp"
#include "mpi/programs/extract_cli.hpp"
#include "reference/core/error.hpp"

namespace spex {
namespace {

using testing::HasSubstr;
using Words = std::vector<std::string>;

// A parsed command line, without the three files that are always required.
class Parsed {
 public:
  explicit Parsed(Words words) {
    add_extract_options(app_, one);
    add_exposure_options(app_, one, many);
    words.insert(words.begin(), {"spex", "-i", "I", "-p", "P", "-o", "O"});
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    testing::internal::CaptureStderr();
    ok = parse_extract_command_line(app_, static_cast<int>(argv.size()), argv.data(), true, status);
    said = testing::internal::GetCapturedStderr();
  }
  // The last value of an option; "" if it was not given.
  [[nodiscard]] std::string value(const std::string& name) {
    const std::vector<std::string> all = app_.get_option("--" + name)->results();
    return all.empty() ? "" : all.back();
  }

  ExtractArguments one;
  ExposureArguments many;
  bool ok = false;
  int status = -1;
  std::string said;

 private:
  CLI::App app_{"", "spex"};
};

void expect_refused(const Words& words, const std::string& why) {
  const Parsed parsed(words);
  EXPECT_FALSE(parsed.ok) << testing::PrintToString(words);
  EXPECT_EQ(parsed.status, 2);
  EXPECT_EQ(std::ranges::count(parsed.said, '\n'), 1) << parsed.said;
  EXPECT_THAT(parsed.said, HasSubstr(why));
}

// An option of desi_extract_spectra and its shortest abbreviation in argparse.
struct Abbreviated {
  const char* shortest;
  const char* name;
  bool flag = false;
};
constexpr Abbreviated abbreviations[] = {
    {"i", "input"},
    {"f", "fibermap"},
    {"psf", "psf"},
    {"o", "output"},
    {"mo", "model"},
    {"wavel", "wavelength"},
    {"s", "specmin"},
    {"nsp", "nspec"},
    {"r", "regularize"},
    {"bu", "bundlesize"},
    {"nsu", "nsubbundles"},
    {"nw", "nwavestep"},
    {"v", "verbose", true},
    {"mp", "mpi", true},
    {"no-s", "no-scores", true},
    {"psfe", "psferr"},
    {"d", "decorrelate-fibers", true},
    {"no-g", "no-gpu", true},
    {"u", "use-specter", true},
    {"ba", "barycentric-correction", true},
    {"wavep", "wavepad-frac"},
    {"pi", "pixpad-frac"},
};

TEST(ProductionNames, MatchTheTable) {
  EXPECT_EQ(std::size(abbreviations) + 1, std::size(production_names));  // and --help
  for (const Abbreviated& one : abbreviations)
    EXPECT_NE(std::ranges::find(production_names, one.name), std::end(production_names));
}

TEST(Abbreviation, IsExpandedToItsOption) {
  for (const Abbreviated& one : abbreviations) {
    const std::string name = one.name;
    for (std::size_t length = std::string(one.shortest).size(); length <= name.size(); ++length) {
      const std::string word = "--" + name.substr(0, length);
      // Full names of this project's options; argparse would reject these two abbreviations.
      if (word == "--decorrelate" || word == "--wavepad") continue;
      if (one.flag) {
        EXPECT_EQ(Parsed({word}).value(name), "true") << word;
        continue;
      }
      Parsed two({word, "7"});
      EXPECT_TRUE(two.ok) << two.said;
      EXPECT_EQ(two.value(name), "7") << word;
      EXPECT_EQ(Parsed({word + "=7"}).value(name), "7") << word;
    }
  }
}

TEST(Abbreviation, IsRejectedIfAmbiguous) {
  expect_refused({"--m", "x"}, "--m: could be --model or --mpi (expected one of them)");
  expect_refused({"--ps", "x"}, "--ps: could be --psf or --psferr");
  expect_refused({"--wave", "x"}, "--wave: could be --wavelength or --wavepad-frac");
  for (const char* word : {"--p", "--w", "--n", "--ns", "--b", "--no", "--no-"})
    expect_refused({word}, std::string(word) + ": could be --");
  expect_refused({"--m=x"}, "could be --model or --mpi");
}

TEST(Abbreviation, OfOurOptionsIfProductionHasNone) {
  EXPECT_EQ(Parsed({"--sche", "pipeline"}).value("schedule"), "pipeline");
  EXPECT_EQ(Parsed({"--thr=3"}).value("threads"), "3");
  expect_refused({"--sk"}, "--sk: could be --skip-existing or --skip-missing");
  expect_refused({"--fast"}, "--fast");
}

TEST(Abbreviation, NeverReplacesAFullName) {
  EXPECT_EQ(Parsed({"--wavepad", "4"}).value("wavepad"), "4");
  EXPECT_EQ(Parsed({"--decorrelate", "noise"}).value("decorrelate"), "noise");
  EXPECT_EQ(Parsed({"--psferr-by-arm"}).value("psferr-by-arm"), "true");
}

TEST(ShortOptions, AsInArgparse) {
  EXPECT_EQ(Parsed({"-ix"}).value("input"), "x");
  EXPECT_EQ(Parsed({"-i=x"}).value("input"), "x");
  Parsed together({"-vi", "x"});
  EXPECT_EQ(together.value("verbose"), "true");
  EXPECT_EQ(together.value("input"), "x");
  EXPECT_EQ(Parsed({"-s", "-5"}).one.request.options.specmin, -5);
  EXPECT_EQ(Parsed({"-m", "-"}).value("model"), "-");
}

TEST(UnknownOption, SuggestsASimilarOption) {
  expect_refused({"--wavelenght", "5,6,7"},
                 "--wavelenght: unknown option, did you mean --wavelength?");
  expect_refused({"--pixpad_frac=3"}, "--pixpad_frac: unknown option, did you mean --pixpad-frac?");
  expect_refused({"--whatever"}, "--whatever: unknown option (see spex --help)");
  expect_refused({"word"}, "not expected: word");
}

TEST(OptionsOfGpuSpecter, ArgumentsOfSpex) {
  EXPECT_TRUE(make_job(Parsed({"--async-io"}).one).files.output == "O");
  Parsed parsed({"--use-gpu"});
  EXPECT_TRUE(parsed.ok) << parsed.said;
  EXPECT_THROW(static_cast<void>(make_job(parsed.one)), Error);
  parsed.one.device = Device::gpu;
  EXPECT_EQ(make_job(parsed.one).files.output, "O");
}

TEST(Subbundles, DefaultToTheMilestones) {
  const auto parsed = [](const Words& words) {
    return make_job(Parsed(words).one).settings.options.nsubbundles;
  };
  EXPECT_EQ(parsed({}), 5);
  EXPECT_EQ(parsed({"--milestone", "baseline"}), 5);
  EXPECT_EQ(parsed({"--milestone", "scalar"}), 1);
  EXPECT_EQ(parsed({"--nsubbundles", "5", "--milestone", "scalar"}), 5);
}

TEST(RepeatedOption, LastValueCounts) {
  Parsed twice({"--nspec", "5", "-n", "10", "--mpi", "--mpi", "--inp", "x"});
  EXPECT_TRUE(twice.ok) << twice.said;
  EXPECT_EQ(twice.one.request.options.nspec, 10);
  EXPECT_TRUE(twice.one.mpi);
  EXPECT_EQ(twice.one.job.files.input, "x");
}

TEST(MissingValue, IsNotTakenFromTheNextOption) {
  expect_refused({"-m", "--mpi"}, "-m: has no value, but --mpi after it");
  expect_refused({"--mod", "-v"}, "--model: has no value");
  expect_refused({"--model"}, "--model: has no value");
  expect_refused({"--model", "--"}, "--model: has no value");
  expect_refused({"--model", "-m a b"}, "--model: has no value");
  EXPECT_EQ(Parsed({"--model", "-a file"}).value("model"), "-a file");
}

TEST(Value, MayBeEmptyOrHaveBlanks) {
  Parsed empty({"--model=", "--mpi", "-f", ""});
  EXPECT_TRUE(empty.ok) << empty.said;
  EXPECT_EQ(empty.one.job.files.model, "");
  EXPECT_EQ(empty.one.job.files.fibermap, "");
  EXPECT_TRUE(empty.one.mpi);
  EXPECT_EQ(Parsed({"-i=a b=c"}).value("input"), "a b=c");
  EXPECT_EQ(Parsed({"--mod=a b=c"}).value("model"), "a b=c");
  expect_refused({"--mpi=1"}, "--mpi: takes no value");
}

TEST(WholeNumber, IsDecimal) {
  EXPECT_EQ(Parsed({"-s", "025"}).one.request.options.specmin, 25);
  EXPECT_EQ(Parsed({"-s", "000"}).one.request.options.specmin, 0);
  EXPECT_EQ(Parsed({"-n", "+08"}).one.request.options.nspec, 8);
  EXPECT_EQ(Parsed({"--night", "020260616"}).many.night, 20260616);
  for (const char* wrong : {"5.0", "x", "", "--5"}) expect_refused({"--nspec", wrong}, "nspec");
}

TEST(Wavelength, AcceptsPythonNumbers) {
  const WaveRange range = parse_wavelength("3600.0, 9824 ,+8e-1");
  EXPECT_EQ(range.wmin, 3600);
  EXPECT_EQ(range.wmax, 9824);
  EXPECT_EQ(range.dw, 0.8);
  for (const char* wrong :
       {"", "3600", "3600,9824", "3600,9824,", "3600,9824,0.8,", "3600,,0.8", "3600,9824,0.8A",
        "3600;9824;0.8", "3600,9824,inf", "3600,9824,+-1", "3600 9824 0.8", "0x10,9824,0.8"})
    EXPECT_THROW(static_cast<void>(parse_wavelength(wrong)), Error) << wrong;
}

}  // namespace
}  // namespace spex
