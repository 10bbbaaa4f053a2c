// The table of extraction options, and the rules of their combinations.

#include <cmath>
#include <set>
#include <string>
#include <variant>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/core/error.hpp"
#include "reference/model/milestones.hpp"
#include "reference/model/option_table.hpp"

namespace spex {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

// The options that result from texts, as on a command line.
FrameOptions from(const std::vector<std::pair<std::string, std::string>>& texts,
                  Device device = Device::cpu) {
  OptionRequest request;
  for (const auto& [name, text] : texts) set_option(request, *find_option(name), text, device);
  return resolve(request, device);
}

// The message of the refusal.
std::string refusal(const std::vector<std::pair<std::string, std::string>>& texts,
                    Device device = Device::cpu) {
  try {
    static_cast<void>(from(texts, device));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.what();
  }
  return "accepted";
}

TEST(OptionTable, NamesAreUnique) {
  std::set<std::string> names, keywords;
  for (const ExtractOption& option : extract_options()) {
    EXPECT_TRUE(names.insert(option.flag()).second) << option.name;
    EXPECT_EQ(find_option(option.name), &option);
    EXPECT_EQ(find_option(option.flag()), &option);
    EXPECT_EQ(option.keyword.empty(), option.stated == Stated::never) << option.name;
    if (!option.keyword.empty()) {
      EXPECT_TRUE(keywords.emplace(option.keyword).second) << option.name;
      EXPECT_LE(option.keyword.size(), 8U);
    }
  }
  EXPECT_EQ(find_option("nwavesteps"), nullptr);
  EXPECT_EQ(find_option("pixpad_frac")->flag(), "--pixpad-frac");
}

TEST(OptionTable, TextsAreReadBack) {
  const FrameOptions options = from({{"wavelength", "5760,7620.4,0.8"},
                                     {"specmin", "3"},
                                     {"nspec", "7"},
                                     {"xyrange", "0,20,5,300"},
                                     {"regularize", "1e-9"},
                                     {"psferr", "0.015"},
                                     {"mask_bits", "0xF"},
                                     {"method", "cholesky"},
                                     {"milestone", "baseline"},
                                     {"nsubbundles", "1"},
                                     {"flux", "frame"},
                                     {"decorrelate", "noise"},
                                     {"chi2_pixels", "bright"},
                                     {"bad2dfit", "chi2"},
                                     {"ndiag", "7"},
                                     {"reject_pixels", "5.5"},
                                     {"psf_tails", "on"}});
  OptionRequest again;
  for (const ExtractOption& option : extract_options())
    set_option(again, option, text_of(option, options), Device::cpu);
  const FrameOptions same = resolve(again, Device::cpu);
  for (const ExtractOption& option : extract_options())
    EXPECT_EQ(text_of(option, same), text_of(option, options)) << option.name;
  EXPECT_EQ(same.wavelength->wmax, 7620.4);
  EXPECT_EQ(same.nspec, 7);
  EXPECT_EQ(same.xyrange->nx(), 20);
  EXPECT_EQ(same.xyrange->ny(), 295);
  EXPECT_EQ(same.mask_bits, 15U);
  EXPECT_EQ(same.milestone, Milestone::baseline);
}

TEST(OptionTable, NumbersHaveRanges) {
  OptionRequest request;
  for (const ExtractOption& option : extract_options()) {
    const OptionValue value = option.value(request);
    const bool whole =
        std::holds_alternative<int*>(value) || std::holds_alternative<std::optional<int>*>(value);
    const bool real = std::holds_alternative<double*>(value) ||
                      std::holds_alternative<std::optional<double>*>(value);
    if (!whole && !real) continue;
    const std::string name(option.name);
    const std::string below =
        whole ? std::to_string(std::lround(option.min) - 1) : std::string("-1e-09");
    EXPECT_THAT(refusal({{name, below}}), HasSubstr(option.flag() + ": " + below + " (expected"));
    if (option.max < 1e9) {
      const std::string above = fmt::format("{}", option.max + 1);
      EXPECT_THAT(refusal({{name, above}}), HasSubstr(option.flag() + ": " + above + " (expected"));
    }
    EXPECT_THAT(refusal({{name, "five"}}), HasSubstr(option.flag() + ": 'five' (expected a"));
  }
  EXPECT_EQ(refusal({{"nwavestep", "5001"}}), "--nwavestep: 5001 (expected 1 to 5000)");
  EXPECT_EQ(refusal({{"bundlesize", "0"}}), "--bundlesize: 0 (expected at least 1)");
  EXPECT_THAT(refusal({{"nsubbundles", "7"}}), HasSubstr("7 does not divide the bundle size 25"));
  EXPECT_EQ(
      refusal({{"ndiag", "13"}}),
      "--ndiag: 13 is more than the 12 bins of padding (expected at most --wavepad, widened by "
      "--wavepad-frac)");
  EXPECT_THAT(refusal({{"psferr", "nan"}}), HasSubstr("expected a number"));
}

TEST(OptionTable, PartsOfTheCcd) {
  EXPECT_EQ(to_string(parse_xyrange(" 1, 2,+3,4.0")), "1,2,3,4");
  for (const char* text : {"", "1,2,3", "1,2,3,4,5", "2,2,3,4", "1,2,4,3", "-1,2,3,4", "1,2,3,4.5",
                           "1,2,3,x", "1,2,3,1e10", "1,2,3,nan"})
    EXPECT_EQ(refusal({{"xyrange", text}}),
              fmt::format("--xyrange: '{}' (expected xmin,xmax,ymin,ymax: integers from 0 on, xmin "
                          "< xmax and ymin < ymax)",
                          text));
}

TEST(OptionTable, ChoicesAreThoseOfTheDevice) {
  EXPECT_THAT(choices_of(*find_option("method"), Device::gpu), ElementsAre("eigh", "cholesky"));
  EXPECT_THAT(choices_of(*find_option("nwavestep"), Device::cpu), IsEmpty());
  for (const Device device : {Device::cpu, Device::gpu})
    EXPECT_EQ(choices_of(*find_option("milestone"), device).size(), milestones_of(device).size());
  EXPECT_THAT(refusal({{"milestone", "pipeline"}}), HasSubstr("unknown 'pipeline'"));
  EXPECT_EQ(refusal({{"flux", "all"}}), "--flux: unknown 'all' (expected patch or frame)");
}

TEST(Resolve, TheMilestoneDecidesMethodAndSubbundles) {
  EXPECT_EQ(from({}).milestone, Milestone::cpu_direct);
  EXPECT_EQ(from({}).method, Method::cholesky);
  EXPECT_EQ(from({{"method", "eigh"}}).milestone, Milestone::cpu_refactor);
  EXPECT_EQ(from({{"milestone", "direct"}}).milestone, Milestone::cpu_direct);
  EXPECT_EQ(from({{"milestone", "cpu-refactor"}}).method, Method::eigh);
  EXPECT_EQ(from({{"milestone", "scalar"}}).nsubbundles, 1);
  EXPECT_EQ(from({{"milestone", "scalar"}, {"nsubbundles", "5"}}).nsubbundles, 5);
  EXPECT_EQ(from({{"method", "cholesky"}}).milestone, Milestone::cpu_direct);
  EXPECT_EQ(from({{"method", "cholesky"}, {"milestone", "baseline"}}).method, Method::cholesky);
  EXPECT_EQ(refusal({{"method", "eigh"}, {"milestone", "direct"}}),
            "--method: eigh is not the method of direct (expected cholesky)");
  EXPECT_EQ(from({}, Device::gpu).method, Method::cholesky);
}

TEST(Resolve, AMethodAloneChoosesTheFastestMilestoneOfTheGpu) {
  const FrameOptions options = from({{"method", "eigh"}}, Device::gpu);
  EXPECT_EQ(options.method, Method::eigh);
  EXPECT_EQ(options.milestone, Milestone::batch_syev);
  EXPECT_EQ(refusal({{"method", "eigh"}, {"milestone", "direct"}}, Device::gpu),
            "--method: eigh is not the method of direct (expected cholesky)");
}

TEST(Resolve, WhatCannotRejectPixelsIsRefused) {
  EXPECT_EQ(from({{"reject_pixels", "5"}}).reject_pixels, 5);
  EXPECT_FALSE(from({}).reject_pixels);
  EXPECT_EQ(from({{"reject_pixels", "5"}}, Device::gpu).reject_pixels, 5);
  EXPECT_EQ(
      refusal({{"reject_pixels", "5"}, {"milestone", "band"}}, Device::gpu),
      "--reject-pixels: is not supported by band (expected --milestone direct or pipeline, or "
      "spex-cpu)");
  EXPECT_THAT(refusal({{"reject_pixels", "5"}, {"decorrelate", "noise"}}, Device::gpu),
              HasSubstr("--reject-pixels: needs --decorrelate signal"));
  EXPECT_EQ(refusal({{"reject_pixels", "2.9"}}), "--reject-pixels: 2.9 (expected 3 to 1000)");
}

TEST(Resolve, WhatCannotSolveTheFrameIsRefused) {
  EXPECT_EQ(from({{"flux", "frame"}}).flux, FluxSolver::frame);
  EXPECT_EQ(from({{"flux", "frame"}}, Device::gpu).milestone, Milestone::pipeline);
  EXPECT_THAT(refusal({{"flux", "frame"}, {"milestone", "band"}}, Device::gpu),
              HasSubstr("--flux: frame is not supported by band"));
  EXPECT_THAT(refusal({{"flux", "frame"}, {"decorrelate", "noise"}}, Device::gpu),
              HasSubstr("--flux: frame needs --decorrelate signal"));
  OptionRequest request;
  request.milestone = Milestone::direct;
  EXPECT_THROW(static_cast<void>(resolve(request, Device::cpu)), Error);
}

TEST(ChangedOptions, AreThoseThatProductionDoesNotHave) {
  EXPECT_THAT(changed_options(from({})), IsEmpty());
  EXPECT_THAT(changed_options(from({}, Device::gpu)), IsEmpty());
  EXPECT_THAT(changed_options(from({{"milestone", "scalar"}})), IsEmpty());
  EXPECT_THAT(changed_options(from({{"nwavestep", "50"}, {"mask_bits", "767"}})), IsEmpty());
  EXPECT_THAT(changed_options(from({{"psferr", "0.5"}, {"mask_bits", "all"}, {"specmin", "5"}})),
              ElementsAre(Pair("specmin", "5"), Pair("psferr", "0.5"), Pair("mask_bits", "all")));
  EXPECT_THAT(changed_options(from({{"method", "eigh"}})), IsEmpty());
  EXPECT_THAT(changed_options(from({{"method", "cholesky"}, {"milestone", "baseline"}})),
              ElementsAre(Pair("method", "cholesky")));
}

}  // namespace
}  // namespace spex
