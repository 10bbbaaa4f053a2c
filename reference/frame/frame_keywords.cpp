#include "reference/frame/frame_keywords.hpp"

#include <cstdint>
#include <optional>
#include <type_traits>

#include <fmt/format.h>

#include "reference/core/version.hpp"
#include "reference/fits/header_cards.hpp"
#include "reference/model/option_table.hpp"
#include "reference/model/options.hpp"

namespace spex {
namespace {

// FIBER of the first extracted spectrum: that of its fibermap row, which may be another with
// --fibermap-by-row.
long long stated_fiber(const FrameInputs& inputs, const FrameOptions& options) {
  const std::vector<std::int64_t>& fiber = inputs.preproc.fibermap.fiber;
  return fiber.empty() ? first_fiber_of(inputs, options) : fiber.front();
}

std::string numbered(const char* stem, int number) {
  return fmt::format("{}{:02}", stem, number);
}

using KeywordValue = decltype(HeaderKeyword::value);

KeywordValue keyword_value(const ExtractOption& option, const FrameOptions& options) {
  OptionRequest request = request_of(options);
  return std::visit(
      [&]<class T>(const T* place) -> KeywordValue {
        if constexpr (std::is_same_v<T, double>)
          return *place;
        else if constexpr (std::is_same_v<T, std::optional<double>>)
          return place->value();
        else if constexpr (std::is_same_v<T, std::optional<int>>)
          return static_cast<long long>(place->value());
        else if constexpr (std::is_integral_v<T>)
          return static_cast<long long>(*place);
        else
          return text_of(option, options);
      },
      option.value(request));
}

// The keywords of the options that the header states always, or if they are not the defaults.
void add_options(std::vector<HeaderKeyword>& keywords, const FrameOptions& options, Stated stated) {
  const FrameOptions defaults;
  for (const ExtractOption& option : extract_options())
    if (option.stated == stated &&
        (stated == Stated::always || text_of(option, options) != text_of(option, defaults)))
      keywords.push_back({std::string(option.keyword), keyword_value(option, options),
                          std::string(option.comment)});
}

}  // namespace

std::vector<HeaderKeyword> dependency_keywords(const std::vector<std::string>& cards) {
  constexpr int most = 100;
  std::vector<std::string> names;  // index: number of the keyword; empty: free
  for (int number = 0; number < most; ++number)
    names.push_back(card_text(cards, numbered("DEPNAM", number)).value_or(""));
  std::vector<HeaderKeyword> keywords;
  for (const Dependency& dependency : dependencies()) {
    auto place = std::ranges::find(names, dependency.name);
    if (place == names.end()) place = std::ranges::find(names, std::string());
    if (place == names.end()) break;
    *place = dependency.name;
    const auto number = static_cast<int>(place - names.begin());
    keywords.push_back({numbered("DEPNAM", number), dependency.name, ""});
    keywords.push_back({numbered("DEPVER", number), dependency.version, ""});
  }
  return keywords;
}

const std::set<std::string>& own_keywords() {
  static const std::set<std::string> names = [] {
    std::set<std::string> all{"SPECMIN", "SPEXPROG", "SPEXVERS", "NPATCH",   "NGUARD",   "NFALLBCK",
                              "NFAILED", "NDARK",    "NDIRECT",  "NOVERFLW", "FIBBYROW", "NFIBDIFF",
                              "NOMASK",  "NBEYOND",  "NPULLED",  "NPSFFAIL", "NPSFNFIT", "NPSFTAIL",
                              "NREJPIX", "NREJPAT",  "NREJRND",  "XYRANGE"};
    for (const ExtractOption& option : extract_options())
      if (option.stated != Stated::never) all.emplace(option.keyword);
    return all;
  }();
  return names;
}

std::vector<HeaderKeyword> frame_keywords(const Provenance& provenance, const FrameInputs& inputs,
                                          const FrameOptions& options, const PatchCounts& counts) {
  FrameOptions o = options;
  if (!o.psferr) o.psferr = inputs.psf.psferr;
  const auto number = [](auto value) { return static_cast<long long>(value); };
  std::vector<HeaderKeyword> keywords{
      {"NSPEC", number(o.nspec_of(inputs.psf.nfiber)), "number of spectra"},
      {"WAVEMIN", inputs.wavelength.wmin, "[Angstrom] first wavelength"},
      {"WAVEMAX", inputs.wavelength.wmax, "[Angstrom] last wavelength, as asked for"},
      {"WAVESTEP", inputs.wavelength.dw, "[Angstrom] wavelength step"},
      {"SPECMIN", number(o.specmin), "first spectrum, counted in the PSF"},
      {"FIBERMIN", stated_fiber(inputs, o), "first fiber"},
      {"SPECTER", "spexbench " + version(), "what extracted these spectra"},
      {"IN_PSF", provenance.psf, "PSF file"},
      {"IN_IMG", provenance.image, "image file"},
  };
  add_options(keywords, o, Stated::always);
  const auto add = [&](const HeaderKeyword& keyword) { keywords.push_back(keyword); };
  add({"SPEXPROG", provenance.program, "program that made this file"});
  add({"SPEXVERS", version(), "and its version"});
  add({"NPATCH", number(counts.patches), "patches extracted"});
  add({"NGUARD", number(counts.guarded), "patches solved as a whole by the guard"});
  add({"NFALLBCK", number(counts.fell_back), "patches that fell back to eigh"});
  add({"NFAILED", number(counts.failed), "patches that could not be solved"});
  add({"NDARK", number(counts.dark), "bins without a usable pixel"});
  // The following only where they say something, so that default files do not change.
  add_options(keywords, o, Stated::if_changed);
  if (inputs.cut_out)
    add({"XYRANGE", to_string(*inputs.cut_out), "part of the CCD: xmin,xmax,ymin,ymax"});
  if (o.flux == FluxSolver::frame)
    add({"NDIRECT", number(counts.direct), "patches whose flux was solved directly"});
  if (o.reject_pixels) {
    add({"NREJPIX", number(counts.rejected_pixels), "pixels rejected"});
    add({"NREJPAT", number(counts.rejecting), "patches with rejected pixels"});
    add({"NREJRND", number(counts.reject_rounds), "rounds of rejection"});
  }
  const auto if_any = [&](const char* name, auto count, const char* comment) {
    if (count > 0) add({name, number(count), comment});
  };
  if_any("NOVERFLW", counts.overflowed, "bins beyond float32, flagged NODATA");
  if (inputs.fibermap_by_row) {
    add({"FIBBYROW", true, "FIBERMAP rows were taken by place"});
    add({"NFIBDIFF", number(other_fibers(inputs, o)), "rows of another fiber"});
  }
  if (!inputs.preproc.has_mask) add({"NOMASK", true, "the image has no MASK: all pixels are good"});
  if_any("NBEYOND", counts.beyond, "bins beyond the wavelengths of the PSF");
  if_any("NPULLED", counts.pulled, "bins that the prior pulls");
  if_any("NPSFFAIL", counts.failed_fit, "fibers whose PSF has a STATUS other than 0");
  if_any("NPSFNFIT", counts.unfitted, "fibers in bundles whose PSF was not fitted");
  if_any("NPSFTAIL", counts.tails, "fibers whose PSF has tails, ignored");
  if (!inputs.psf.in_psf.empty()) add({"ORIG_PSF", inputs.psf.in_psf, "IN_PSF of the PSF file"});
  if (inputs.heliocor != 1) add({"HELIOCOR", inputs.heliocor, ""});
  const std::vector<HeaderKeyword> used = dependency_keywords(inputs.preproc.cards);
  keywords.insert(keywords.end(), used.begin(), used.end());
  return keywords;
}

}  // namespace spex
