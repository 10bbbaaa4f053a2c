#include "reference/compare/production/bin_states.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "reference/compare/tolerance.hpp"
#include "reference/core/median.hpp"
#include "reference/model/mask_bits.hpp"

namespace spex {
namespace {

constexpr double dark_pull = 1e-4;  // limit of the flux that only the prior holds

class StateFinder {
 public:
  StateFinder(const PipelinePair& pair, const PatchGrid& grid, Differences& differences)
      : pair_(pair),
        grid_(grid),
        out_(differences),
        flux_b_(pair.b.flux.value),
        ivar_a_(pair.a.ivar.value),
        ivar_b_(pair.b.ivar.value) {
    states_.state.assign(flux_b_.size(), BinState::both);
    states_.near_dark.assign(flux_b_.size(), false);
  }

  BinStates find() && {
    find_dropped();
    set_dark_limits();
    for (long long s = 0; s < pair_.shape.nspec; ++s)
      for (long long w = 0; w < pair_.shape.nwave; ++w)
        if (states_.state[pair_.bin(s, w)] != BinState::dropped) judge(s, w);
    mark_near_dark();
    return std::move(states_);
  }

 private:
  void differ(Reason reason, const char* what, long long s, long long w) {
    out_.at("IVAR", what, reason).add(0, pair_.fiber(s), [&] { return pair_.place("IVAR", s, w); });
  }

  [[nodiscard]] bool empty_in_production(const FramePatch& patch) const {
    const std::vector<double>& resolution = pair_.b.resolution.value;
    for (long long s = patch.fiber_first; s < patch.fiber_end; ++s)
      for (long long w = patch.bin_first; w < patch.bin_end; ++w) {
        if (flux_b_[pair_.bin(s, w)] != 0 || ivar_b_[pair_.bin(s, w)] != 0) return false;
        for (long long d = 0; d < pair_.shape.ndiagonals; ++d)
          if (resolution[pair_.element(s, d, w)] != 0) return false;
      }
    return true;
  }
  [[nodiscard]] bool has_light_in_ours(const FramePatch& patch) const {
    for (long long s = patch.fiber_first; s < patch.fiber_end; ++s)
      for (long long w = patch.bin_first; w < patch.bin_end; ++w)
        if (ivar_a_[pair_.bin(s, w)] != 0) return true;
    return false;
  }

  void find_dropped() {
    std::map<std::pair<int, int>, std::vector<const FramePatch*>> rows;  // of a subbundle, by step
    for (const FramePatch& patch : grid_.patches())
      rows[{patch.patch.bundle, patch.patch.subbundle}].push_back(&patch);
    for (const auto& [subbundle, row] : rows) {
      std::vector<bool> empty;
      for (const FramePatch* patch : row) empty.push_back(empty_in_production(*patch));
      const auto up_to_an_end = [&](std::size_t k) {
        const auto at = empty.begin() + static_cast<std::ptrdiff_t>(k);
        const auto is_empty = [](bool one) { return one; };
        return !std::all_of(empty.begin(), empty.end(), is_empty) &&
               (std::all_of(empty.begin(), at, is_empty) || std::all_of(at, empty.end(), is_empty));
      };
      for (std::size_t k = 0; k < row.size(); ++k)
        if (empty[k] && has_light_in_ours(*row[k]))
          drop(*row[k], row[k]->is_cut.value_or(up_to_an_end(k)));
    }
  }

  void drop(const FramePatch& patch, bool at_edge) {
    for (long long s = patch.fiber_first; s < patch.fiber_end; ++s)
      for (long long w = patch.bin_first; w < patch.bin_end; ++w) {
        states_.state[pair_.bin(s, w)] = at_edge ? BinState::dropped : BinState::wrong;
        if (at_edge)
          differ(Reason::ccd_edge, "bins of dropped patches", s, w);
        else
          differ(Reason::none, "bins of a patch that production lost", s, w);
      }
  }

  // A bin is dark below 1e-6 of its fiber's median or of the frame's, whichever is larger: a fiber
  // may be dark as a whole.
  void set_dark_limits() {
    std::vector<double> all;
    for (long long s = 0; s < pair_.shape.nspec; ++s) {
      std::vector<double> lit;
      for (long long w = 0; w < pair_.shape.nwave; ++w)
        if (const double ivar = ivar_b_[pair_.bin(s, w)]; std::isfinite(ivar) && ivar > 0)
          lit.push_back(ivar);
      all.push_back(median(std::move(lit)));
    }
    const double of_frame = median(all);
    for (const double of_fiber : all)
      dark_below_.push_back(DarkLimits::dark_ivar * std::max(of_fiber, of_frame));
  }

  void judge(long long s, long long w) {
    const std::size_t j = pair_.bin(s, w);
    BinState& state = states_.state[j];
    if (state == BinState::wrong) return;
    if (finite(pair_.a, s, w) && !finite(pair_.b, s, w) && is_no_data(j)) {
      state = BinState::beyond;
      differ(Reason::overflow, "bins beyond float32", s, w);
      return;
    }
    if (!finite(pair_.a, s, w) || !finite(pair_.b, s, w)) {
      state = BinState::wrong;
      differ(Reason::none,
             finite(pair_.a, s, w) ? "not finite in production, or ivar < 0"
                                   : "not finite in ours, or ivar < 0",
             s, w);
      return;
    }
    const bool light_a = ivar_a_[j] > 0, light_b = ivar_b_[j] > 0;
    if (light_a && light_b) return;
    if (!light_a && !light_b) {
      state = BinState::neither;
    } else if (light_b && is_prior(s, j)) {
      state = BinState::dark;
      differ(Reason::no_light, "bins without a usable pixel", s, w);
    } else {
      state = BinState::wrong;
      differ(Reason::none,
             light_a ? "bins with light in ours only" : "bins with light in production only", s, w);
    }
  }

  [[nodiscard]] bool is_no_data(std::size_t j) const {
    const auto bits = static_cast<std::uint32_t>(pair_.a.mask.value[j]);
    return (bits & specmask::NODATA) != 0 && ivar_a_[j] == 0 && pair_.a.flux.value[j] == 0;
  }

  [[nodiscard]] bool is_prior(long long s, std::size_t j) const {
    const auto bits = static_cast<std::uint32_t>(pair_.a.mask.value[j]);
    return (bits & specmask::ALLBADPIX) != 0 && ivar_b_[j] < dark_below_[s] &&
           std::abs(flux_b_[j]) * std::sqrt(ivar_b_[j]) <= dark_pull;
  }

  [[nodiscard]] bool finite(const Spectra& spectra, long long s, long long w) const {
    const std::size_t j = pair_.bin(s, w);
    for (const FrameImage* image : {&spectra.flux, &spectra.ivar, &spectra.mask, &spectra.chi2pix})
      if (!std::isfinite(image->value[j])) return false;
    for (long long d = 0; d < pair_.shape.ndiagonals; ++d)
      if (!std::isfinite(spectra.resolution.value[pair_.element(s, d, w)])) return false;
    return spectra.ivar.value[j] >= 0;
  }

  void mark_near_dark() {
    const FrameShape& shape = pair_.shape;
    for (long long s = 0; s < shape.nspec; ++s)
      for (long long w = 0; w < shape.nwave; ++w) {
        const std::size_t j = pair_.bin(s, w);
        if (states_.state[j] == BinState::dropped || ivar_b_[j] >= dark_below_[s]) continue;
        for (long long t = std::max(0LL, s - DarkLimits::fibers);
             t <= std::min(shape.nspec - 1, s + DarkLimits::fibers); ++t)
          for (long long v = std::max(0LL, w - DarkLimits::bins);
               v <= std::min(shape.nwave - 1, w + DarkLimits::bins); ++v)
            states_.near_dark[pair_.bin(t, v)] = true;
      }
  }

  const PipelinePair& pair_;
  const PatchGrid& grid_;
  Differences& out_;
  const std::vector<double>&flux_b_, &ivar_a_, &ivar_b_;
  std::vector<double> dark_below_;  // of each fiber
  BinStates states_;
};

}  // namespace

Spectra spectra_of(const FrameFile& file) {
  return {*file.image("FLUX"), *file.image("IVAR"), *file.image("MASK"), *file.image("RESOLUTION"),
          *file.image("CHI2PIX")};
}

BinStates find_bin_states(const PipelinePair& pair, const PatchGrid& grid,
                          Differences& differences) {
  return StateFinder(pair, grid, differences).find();
}

}  // namespace spex
