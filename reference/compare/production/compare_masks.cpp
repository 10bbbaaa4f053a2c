#include "reference/compare/production/compare_masks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "reference/core/median.hpp"
#include "reference/frame/bad_2d_fits.hpp"
#include "reference/model/extract_options.hpp"
#include "reference/model/mask_bits.hpp"

namespace spex {
namespace {

// CHI2PIX is rounded to float32: bins this close to a threshold may have either bit.
constexpr double near_threshold = 1e-6;

constexpr std::uint32_t pixel_bits = specmask::SOMEBADPIX | specmask::ALLBADPIX;

struct BitName {
  std::uint32_t bit;
  const char* name;
};
// DESI's names.
constexpr std::array bit_names{BitName{specmask::SOMEBADPIX, "SOMEBADPIX"},
                               BitName{specmask::ALLBADPIX, "ALLBADPIX"},
                               BitName{1U << 2, "COSMIC"},
                               BitName{1U << 3, "LOWFLAT"},
                               BitName{1U << 4, "BADFIBERFLAT"},
                               BitName{1U << 5, "BRIGHTSKY"},
                               BitName{1U << 6, "BADSKY"},
                               BitName{specmask::BAD2DFIT, "BAD2DFIT"},
                               BitName{specmask::NODATA, "NODATA"},
                               BitName{1U << 9, "BADFIBER"},
                               BitName{specmask::BADCOLUMN, "BADCOLUMN"},
                               BitName{1U << 11, "SATURATED"},
                               BitName{1U << 12, "CONTAMINATED"}};

std::string name_of_bit(std::uint32_t bit) {
  const auto known = std::ranges::find(bit_names, bit, &BitName::bit);
  return known == bit_names.end() ? fmt::format("bit {}", bit) : known->name;
}

std::uint32_t bits_of(const FrameImage& mask, std::size_t j) {
  return std::isfinite(mask.value[j]) ? static_cast<std::uint32_t>(mask.value[j]) : 0;
}

// Whether BAD2DFIT of every bin follows the rule by the frame's own CHI2PIX.
bool follows(Bad2dFit rule, const Spectra& spectra, const FrameShape& shape) {
  const std::vector<double>& chi2 = spectra.chi2pix.value;
  const auto nspec = static_cast<std::size_t>(shape.nspec);
  const auto nwave = static_cast<std::size_t>(shape.nwave);
  std::vector<double> of_fiber(nspec), at_wavelength(nwave);
  if (rule == Bad2dFit::relative) {
    std::vector<double> column(nspec);
    for (std::size_t s = 0; s < nspec; ++s)
      of_fiber[s] = median({chi2.begin() + static_cast<std::ptrdiff_t>(s * nwave),
                            chi2.begin() + static_cast<std::ptrdiff_t>((s + 1) * nwave)});
    for (std::size_t w = 0; w < nwave; ++w) {
      for (std::size_t s = 0; s < nspec; ++s) column[s] = chi2[s * nwave + w];
      at_wavelength[w] = median(column);
    }
  }
  for (std::size_t s = 0; s < nspec; ++s)
    for (std::size_t w = 0; w < nwave; ++w) {
      const std::size_t j = s * nwave + w;
      const double threshold = rule == Bad2dFit::chi2
                                   ? bad_fit_chi2
                                   : bad_fit_factor * std::max(of_fiber[s], at_wavelength[w]);
      if (std::abs(chi2[j] - threshold) <= near_threshold * threshold) continue;
      const bool bad = (bits_of(spectra.mask, j) & specmask::BAD2DFIT) != 0;
      if (bad != (chi2[j] > threshold)) return false;
    }
  return true;
}

std::vector<Bad2dFit> rules_of(const Spectra& spectra, const FrameShape& shape) {
  std::vector<Bad2dFit> rules;
  for (const Bad2dFit rule : {Bad2dFit::relative, Bad2dFit::chi2})
    if (follows(rule, spectra, shape)) rules.push_back(rule);
  return rules;
}

class MaskComparer {
 public:
  MaskComparer(const PipelinePair& pair, const PatchGrid& grid, const BinStates& states,
               Differences& differences)
      : pair_(pair), grid_(grid), states_(states), out_(differences) {}

  void compare() {
    for (long long s = 0; s < pair_.shape.nspec; ++s)
      for (long long w = 0; w < pair_.shape.nwave; ++w) {
        const std::size_t j = pair_.bin(s, w);
        std::uint32_t differing = bits_of(pair_.a.mask, j) ^ bits_of(pair_.b.mask, j);
        for (; differing != 0; differing &= differing - 1)
          compare_bit(differing & (~differing + 1), s, w, j);
      }
  }

 private:
  void compare_bit(std::uint32_t bit, long long s, long long w, std::size_t j) {
    const bool in_ours = (bits_of(pair_.a.mask, j) & bit) != 0;
    const std::string what =
        fmt::format("{} in {} only", name_of_bit(bit), in_ours ? "ours" : "production");
    out_.at("MASK", what, explain(bit, in_ours, s, w, j)).add(0, pair_.fiber(s), [&] {
      return pair_.place("MASK", s, w);
    });
  }

  Reason explain(std::uint32_t bit, bool in_ours, long long s, long long w, std::size_t j) {
    if (bit == specmask::BADCOLUMN && !in_ours) return Reason::bad_columns;
    if (states_.state[j] == BinState::dropped && in_ours) return Reason::ccd_edge;
    if (bit == specmask::NODATA && in_ours && states_.state[j] == BinState::beyond)
      return Reason::overflow;
    if (bit == specmask::BAD2DFIT) return explain_bad_fit();
    if ((bit & pixel_bits) == 0 || !in_ours) return Reason::none;
    const bool some_in_both =
        (bits_of(pair_.a.mask, j) & bits_of(pair_.b.mask, j) & specmask::SOMEBADPIX) != 0;
    if (bit == specmask::ALLBADPIX && some_in_both) return Reason::rounded_fraction;
    return beyond_ccd(s, w) ? Reason::ccd_edge : Reason::none;
  }

  [[nodiscard]] bool beyond_ccd(long long s, long long w) const {
    if (grid_.knows_ccd()) return grid_.reaches_beyond(s, w);
    const auto masked = [&](long long v) {
      return (bits_of(pair_.a.mask, pair_.bin(s, v)) & specmask::SOMEBADPIX) != 0;
    };
    bool to_first = true, to_last = true;
    for (long long v = 0; v <= w; ++v) to_first = to_first && masked(v);
    for (long long v = w; v < pair_.shape.nwave; ++v) to_last = to_last && masked(v);
    return to_first || to_last;
  }

  // The same for all bins: the rules hold for a frame as a whole.
  Reason explain_bad_fit() {
    if (bad_fit_) return *bad_fit_;
    const std::vector<Bad2dFit> a = rules_of(pair_.a, pair_.shape);
    const std::vector<Bad2dFit> b = rules_of(pair_.b, pair_.shape);
    bad_fit_ = Reason::none;
    if (!a.empty() && !b.empty()) {
      const bool same_rule = std::ranges::find_first_of(a, b) != a.end();
      bad_fit_ = same_rule ? Reason::bad2dfit_chi2pix : Reason::bad2dfit_rule;
    }
    return *bad_fit_;
  }

  const PipelinePair& pair_;
  const PatchGrid& grid_;
  const BinStates& states_;
  Differences& out_;
  std::optional<Reason> bad_fit_;
};

}  // namespace

void compare_masks(const PipelinePair& pair, const PatchGrid& grid, const BinStates& states,
                   Differences& differences) {
  MaskComparer(pair, grid, states, differences).compare();
}

}  // namespace spex
