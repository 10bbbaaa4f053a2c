// Keywords that DESI's pipeline writes or reads.

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/core/version.hpp"
#include "reference/frame/frame_keywords.hpp"
#include "reference/frame/frame_warnings.hpp"
#include "reference/frame/production_paths.hpp"
#include "reference/model/option_table.hpp"
#include "reference/model/options.hpp"
#include "reference/tests/support/scratch.hpp"
#include "spex_test_paths.hpp"

namespace spex {
namespace {

using testing::ElementsAre;

FrameInputs make_inputs() {
  FrameInputs inputs;
  inputs.psf.nfiber = 500;
  inputs.psf.fibermin = 7;
  inputs.preproc.camera = "r3";
  inputs.wavelength = {5760, 7620.3, 0.8};
  inputs.grid = make_wave_grid(inputs.wavelength);
  return inputs;
}

const HeaderKeyword* find(const std::vector<HeaderKeyword>& keywords, const std::string& name) {
  const auto found = std::ranges::find(keywords, name, &HeaderKeyword::name);
  return found == keywords.end() ? nullptr : &*found;
}

class FrameKeywords : public testing::Test {
 protected:
  [[nodiscard]] std::vector<HeaderKeyword> keywords() const {
    return frame_keywords({"spex-cpu", "preproc.fits", "psf.fits"}, inputs, options, {});
  }
  template <class T>
  [[nodiscard]] T value(const std::string& name) const {
    const std::vector<HeaderKeyword> all = keywords();
    const HeaderKeyword* one = find(all, name);
    return one == nullptr ? T{} : std::get<T>(one->value);
  }

  FrameInputs inputs = make_inputs();
  FrameOptions options;
};

TEST_F(FrameKeywords, RequestedWavelengths) {
  inputs.heliocor = 1.00005;
  inputs.grid = at_telescope(inputs.grid, inputs.heliocor);
  EXPECT_EQ(value<double>("WAVEMIN"), 5760);
  EXPECT_EQ(value<double>("WAVEMAX"), 7620.3);  // the last bin is at 7620
  EXPECT_EQ(value<double>("WAVESTEP"), 0.8);
  EXPECT_EQ(value<double>("HELIOCOR"), 1.00005);
}

TEST_F(FrameKeywords, AbsentValuesHaveNoKeyword) {
  EXPECT_EQ(find(keywords(), "HELIOCOR"), nullptr);
  EXPECT_EQ(find(keywords(), "ORIG_PSF"), nullptr);
  inputs.psf.in_psf = "SPECPROD/calibnight/psfnight-r3.fits";
  EXPECT_EQ(value<std::string>("ORIG_PSF"), inputs.psf.in_psf);
}

TEST_F(FrameKeywords, CountsOfWhatIsUnusualAreThereIfNotZero) {
  for (const char* name : {"NBEYOND", "NPULLED", "NPSFFAIL", "NPSFNFIT", "NPSFTAIL"})
    EXPECT_EQ(find(keywords(), name), nullptr) << name;
  const PatchCounts counts{.beyond = 1, .pulled = 2, .failed_fit = 3, .unfitted = 4, .tails = 5};
  const std::vector<HeaderKeyword> all =
      frame_keywords({"spex-cpu", "preproc.fits", "psf.fits"}, inputs, options, counts);
  long long count = 0;
  for (const char* name : {"NBEYOND", "NPULLED", "NPSFFAIL", "NPSFNFIT", "NPSFTAIL"}) {
    ASSERT_NE(find(all, name), nullptr) << name;
    EXPECT_EQ(std::get<long long>(find(all, name)->value), ++count) << name;
  }
}

// Fibers that are not extracted do not count.
TEST_F(FrameKeywords, FibersByTheFitOfTheirPsf) {
  inputs.psf.fit = {.failed = {0, 7, 8, 499}, .unfitted = {9}, .tails = {6, 7, 8, 9, 10}};
  options.specmin = 7;
  options.nspec = 3;
  Frame frame;
  const PatchCounts counts = count_frame(inputs, options, frame, {});
  EXPECT_EQ(counts.failed_fit, 2);
  EXPECT_EQ(counts.unfitted, 1);
  EXPECT_EQ(counts.tails, 3);
  EXPECT_THAT(warnings_of(counts), ElementsAre(testing::HasSubstr("2 fibers (STATUS)"),
                                               testing::HasSubstr("1 fibers are in bundles"),
                                               testing::HasSubstr("3 fibers has tails")));
}

TEST(FrameWarnings, RejectionThatMayNotBeComplete) {
  EXPECT_THAT(warnings_of({.reject_rounds = 4}), testing::IsEmpty());
  EXPECT_THAT(warnings_of({.reject_rounds = 5}),
              ElementsAre(testing::HasSubstr("its maximum of 5 rounds")));
}

TEST_F(FrameKeywords, FirstFiberWithoutAFibermap) {
  EXPECT_EQ(value<long long>("FIBERMIN"), 1500);
  options.specmin = 25;
  EXPECT_EQ(value<long long>("FIBERMIN"), 1525);
  inputs.preproc.camera = "x0";
  EXPECT_EQ(value<long long>("FIBERMIN"), 32);
}

TEST_F(FrameKeywords, FibermapByRow) {
  EXPECT_EQ(find(keywords(), "FIBBYROW"), nullptr);
  inputs.fibermap_by_row = true;
  inputs.preproc.fibermap.fiber = {1500, 1503, 1502, 7};
  EXPECT_EQ(value<long long>("FIBERMIN"), 1500);
  EXPECT_TRUE(value<bool>("FIBBYROW"));
  EXPECT_EQ(value<long long>("NFIBDIFF"), 2);
  inputs.preproc.fibermap.fiber.front() = 9;
  EXPECT_EQ(value<long long>("FIBERMIN"), 9);
}

TEST_F(FrameKeywords, ImageWithoutMask) {
  EXPECT_EQ(find(keywords(), "NOMASK"), nullptr);
  inputs.preproc.has_mask = false;
  EXPECT_TRUE(value<bool>("NOMASK"));
}

TEST_F(FrameKeywords, PartOfTheCcdOnlyIfTheImageIsOne) {
  EXPECT_EQ(find(keywords(), "XYRANGE"), nullptr);
  inputs.cut_out = XyRange{1, 20, 3, 40};
  EXPECT_EQ(value<std::string>("XYRANGE"), "1,20,3,40");
}

TEST_F(FrameKeywords, RejectedPixelsOnlyIfAskedFor) {
  for (const char* name : {"REJSIGMA", "NREJPIX", "NREJPAT", "NREJRND"})
    EXPECT_EQ(find(keywords(), name), nullptr) << name;
  options.reject_pixels = 5.5;
  EXPECT_EQ(value<double>("REJSIGMA"), 5.5);
  const PatchCounts counts{.rejected_pixels = 7, .rejecting = 3, .reject_rounds = 2};
  const std::vector<HeaderKeyword> all =
      frame_keywords({"spex-cpu", "preproc.fits", "psf.fits"}, inputs, options, counts);
  EXPECT_EQ(std::get<long long>(find(all, "NREJPIX")->value), 7);
  EXPECT_EQ(std::get<long long>(find(all, "NREJPAT")->value), 3);
  EXPECT_EQ(std::get<long long>(find(all, "NREJRND")->value), 2);
}

TEST_F(FrameKeywords, RulesOfQualityOnlyIfNotTheDefaults) {
  EXPECT_EQ(find(keywords(), "CHI2PIXL"), nullptr);
  EXPECT_EQ(find(keywords(), "BAD2DFIT"), nullptr);
  options.chi2_pixels = Chi2Pixels::bright;
  options.bad2dfit = Bad2dFit::chi2;
  EXPECT_EQ(value<std::string>("CHI2PIXL"), "bright");
  EXPECT_EQ(value<std::string>("BAD2DFIT"), "chi2");
}

// No option that a header states if it is changed has its default.
FrameOptions with_other_values(const FrameOptions& defaults) {
  OptionRequest request = request_of(defaults);
  for (const ExtractOption& option : extract_options()) {
    if (option.stated != Stated::if_changed) continue;
    const std::string usual = text_of(option, defaults);
    std::string other = fmt::format("{}", option.min + 1);  // of a number
    for (const std::string& name : choices_of(option, Device::cpu))
      if (name != usual) other = name;
    set_option(request, option, other, Device::cpu);
  }
  return request.options;
}

// Comparisons with DESI's pipeline take any other keyword for one that was lost or invented.
TEST_F(FrameKeywords, AllAreProductionsOrListed) {
  options = with_other_values(options);
  inputs.heliocor = 1.00005;
  inputs.psf.in_psf = "psf.fits";
  inputs.fibermap_by_row = true;
  inputs.preproc.has_mask = false;
  inputs.cut_out = XyRange{1, 2, 3, 4};
  const PatchCounts counts{
      .overflowed = 1, .beyond = 1, .pulled = 1, .failed_fit = 1, .unfitted = 1, .tails = 1};
  const std::set<std::string> of_production{"NSPEC",    "WAVEMIN", "WAVEMAX", "WAVESTEP",
                                            "FIBERMIN", "SPECTER", "IN_PSF",  "IN_IMG",
                                            "ORIG_PSF", "HELIOCOR"};
  std::set<std::string> listed = own_keywords();
  for (const HeaderKeyword& one : frame_keywords({"spex-cpu", "i", "p"}, inputs, options, counts)) {
    if (one.name.starts_with("DEP")) continue;
    EXPECT_TRUE(of_production.contains(one.name) || own_keywords().contains(one.name)) << one.name;
    listed.erase(one.name);
  }
  EXPECT_THAT(listed, testing::IsEmpty()) << "no option of this test writes these";
}

TEST(OwnKeywords, AreDocumented) {
  const std::string documentation = test::read_file(SPEX_SOURCE_DIR "/docs/file-formats.md");
  for (const std::string& name : own_keywords())
    EXPECT_NE(documentation.find(name), std::string::npos) << name << " is not in file-formats.md";
}

TEST_F(FrameKeywords, Specter) {
  EXPECT_EQ(value<std::string>("SPECTER"), "spexbench " + version());
}

std::vector<std::string> texts(const std::vector<HeaderKeyword>& keywords) {
  std::vector<std::string> all;
  for (const HeaderKeyword& one : keywords)
    all.push_back(one.name + " " + std::get<std::string>(one.value));
  return all;
}

TEST(DependencyKeywords, UseFreeNumbersAndReplaceExisting) {
  const std::vector<Dependency> used = dependencies();
  ASSERT_EQ(used.size(), 4U);
  ASSERT_EQ(used[0].name, "spexbench");
  ASSERT_EQ(used[1].name, "cfitsio");
  for (const Dependency& one : used) EXPECT_FALSE(one.version.empty()) << one.name;
  const std::vector<std::string> all = texts(dependency_keywords({}));
  ASSERT_EQ(all.size(), 8U);
  EXPECT_EQ(all[0], "DEPNAM00 spexbench");
  EXPECT_EQ(all[1], "DEPVER00 " + version());
  EXPECT_EQ(all[6], "DEPNAM03 erfa");

  const auto card = [](const char* text) { return fmt::format("{:<80}", text); };
  const std::vector<std::string> after = texts(dependency_keywords(
      {card("DEPNAM00= 'python  '"), card("DEPVER00= '3.13'"), card("DEPNAM02= 'cfitsio '")}));
  EXPECT_EQ(after[0], "DEPNAM01 spexbench");
  EXPECT_EQ(after[2], "DEPNAM02 cfitsio");
  EXPECT_EQ(after[4], "DEPNAM03 openblas");
}

TEST(ShortenPath, UsesTheFirstMatchingRoot) {
  const std::vector<PathRoot> roots{{"/calib", "SPCALIB"}, {"/redux/kibo", "SPECPROD"}};
  EXPECT_EQ(shorten_path("/redux/kibo/exposures/psf.fits", roots), "SPECPROD/exposures/psf.fits");
  EXPECT_EQ(shorten_path("/calib/psf.fits", roots), "SPCALIB/psf.fits");
  EXPECT_EQ(shorten_path("redux/kibo/psf.fits", roots), "redux/kibo/psf.fits");
  EXPECT_EQ(shorten_path("psf.fits", {}), "psf.fits");
}

// Sets a production's environment and restores the original afterwards.
class Environment : public testing::Test {
 protected:
  ~Environment() override {
    for (const char* name : names) unsetenv(name);
  }
  static void set(const char* name, const char* value) { setenv(name, value, 1); }
  static std::vector<std::string> roots() {
    std::vector<std::string> all;
    for (const PathRoot& root : roots_of_environment())
      all.push_back(root.name + " " + root.folder);
    return all;
  }
  static constexpr const char* names[] = {"DESI_SPECTRO_CALIB", "DESI_SPECTRO_REDUX", "SPECPROD",
                                          "DESI_ROOT", "DESI_ROOT_READONLY"};
};

TEST_F(Environment, RootsOfAProduction) {
  EXPECT_THAT(roots(), ElementsAre());
  set("DESI_ROOT", "/desi");
  EXPECT_THAT(roots(), ElementsAre());  // of which production?
  set("SPECPROD", "kibo");
  EXPECT_THAT(roots(), ElementsAre("SPECPROD /desi/spectro/redux/kibo"));
  set("DESI_ROOT_READONLY", "/dvs_ro/desi");
  EXPECT_THAT(roots(), ElementsAre("SPECPROD /desi/spectro/redux/kibo",
                                   "SPECPROD /dvs_ro/desi/spectro/redux/kibo"));
  set("DESI_SPECTRO_REDUX", "/redux");
  set("DESI_SPECTRO_CALIB", "/calib");
  EXPECT_THAT(roots(), ElementsAre("SPCALIB /calib", "SPECPROD /redux/kibo"));
}

TEST_F(Environment, ProductionByNameOrPath) {
  set("DESI_SPECTRO_REDUX", "/redux");
  set("SPECPROD", "kibo");
  EXPECT_EQ(specprod_root(), "/redux/kibo");
  EXPECT_EQ(specprod_root("loa"), "/redux/loa");
  EXPECT_EQ(specprod_root("./mine"), "./mine");
}

}  // namespace
}  // namespace spex
