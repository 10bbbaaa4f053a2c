#include "reference/compare/production/compare_spectra.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "reference/model/mask_bits.hpp"

namespace spex {
namespace {

constexpr double half_ulp = std::numeric_limits<float>::epsilon() / 2;

// The seams of patches, as a fraction of the brightest flux within a padded patch's padding of a
// bin, and the distance in which they fall tenfold (docs/seams.md).
constexpr double seam_fraction = 0.02;
constexpr double seam_decade = 12;
constexpr int seam_reach = 12;

// What specter differs from gpu_specter, twice the largest of simulated r and z frames: the flux as
// a fraction of the brightest flux nearby, ivar relative, R absolute.
constexpr double specter_fraction = 0.03, specter_ivar = 1e-3, specter_resolution = 2e-4;

// A shift of the wavelengths by a bin changes a spectrum by at most about this many times its
// brightest flux near the bin.
constexpr double slope_a_bin = 2;

// At most this part of the bins has another CHI2PIX by the other rule of --chi2-pixels.
constexpr double other_pixels_at_most = 0.25;

enum Quantity { of_flux, of_ivar, of_resolution, of_chi2pix, nquantities };
constexpr std::array hdus{"FLUX", "IVAR", "RESOLUTION", "CHI2PIX"};

class SpectraComparer {
 public:
  SpectraComparer(const PipelinePair& pair, const PatchGrid& grid, const BinStates& states,
                  const Tolerance& tolerance, Differences& differences)
      : pair_(pair), grid_(grid), states_(states), out_(differences) {
    const DarkLimits dark = tolerance.near_dark.value_or(DarkLimits{});
    limits_ = {tolerance.flux_pull, tolerance.ivar_rel, tolerance.resolution_abs,
               tolerance.chi2pix_rel};
    dark_limits_ = {std::max(dark.flux_pull, limits_[of_flux]),
                    std::max(dark.ivar_rel, limits_[of_ivar]),
                    std::max(dark.resolution_abs, limits_[of_resolution]), limits_[of_chi2pix]};
    const double heliocor = pair.production.number("HELIOCOR", 1);
    const double apart = std::abs(pair.ours.number("HELIOCOR", 1) - heliocor);
    shift_ = apart > equal_heliocor && apart <= earth_orientation_limit ? apart : 0;
    without_seams_ = pair.ours.file.flux_solver == "frame";
    by_specter_ = pair.production.by_specter();
    nwavestep_ = pair.ours.file.nwavestep;
    const std::vector<double>& wave = pair.ours.file.image("WAVELENGTH")->value;
    dw_ = wave.size() > 1 ? wave[1] - wave[0] : 1;
  }

  SpectraComparison compare() && {
    result_.bins = pair_.shape.nbins();
    result_.steps = grid_.steps();
    for (int q = 0; q < nquantities; ++q) result_.agreements.push_back({.limit = limits_[q]});
    result_.agreements[of_flux].what = "flux pull";
    result_.agreements[of_ivar].what = "ivar, relative";
    result_.agreements[of_resolution].what = "resolution";
    result_.agreements[of_chi2pix].what = "chi2pix, relative";
    for (const FramePatch& patch : grid_.patches()) {
      worst_ = 0;
      for (long long s = patch.fiber_first; s < patch.fiber_end; ++s)
        for (long long w = patch.bin_first; w < patch.bin_end; ++w)
          if (states_.state[pair_.bin(s, w)] == BinState::both) compare_bin(s, w);
      result_.worst_pulls.push_back(worst_);
    }
    explain_chi2pix();
    for (int q = 0; q < nquantities; ++q) {
      Agreement& one = result_.agreements[q];
      if (one.compared > 0) one.rms = std::sqrt(squares_[q] / static_cast<double>(one.compared));
    }
    return std::move(result_);
  }

 private:
  [[nodiscard]] static double rounding(const FrameImage& a, const FrameImage& b) {
    return half_ulp * ((a.float32 ? 1 : 0) + (b.float32 ? 1 : 0));
  }

  void compare_bin(long long s, long long w) {
    ++result_.compared;
    const std::size_t j = pair_.bin(s, w);
    const Spectra &a = pair_.a, &b = pair_.b;
    const double root = std::sqrt(b.ivar.value[j]);
    const double pull = std::abs(a.flux.value[j] - b.flux.value[j]) * root;
    worst_ = std::max(worst_, pull);
    note(of_flux, pull, rounding(a.flux, b.flux) * std::abs(b.flux.value[j]) * root, s, w);
    note(of_ivar, std::abs(a.ivar.value[j] - b.ivar.value[j]) / b.ivar.value[j],
         rounding(a.ivar, b.ivar), s, w);
    for (long long d = 0; d < pair_.shape.ndiagonals; ++d) {
      const std::size_t i = pair_.element(s, d, w);
      note(of_resolution, std::abs(a.resolution.value[i] - b.resolution.value[i]),
           rounding(a.resolution, b.resolution) * std::abs(b.resolution.value[i]), s, w);
    }
    const double chi2 = b.chi2pix.value[j];
    const double apart = std::abs(a.chi2pix.value[j] - chi2);
    // If production's is 0, the relative difference is 1.
    note(of_chi2pix, apart == 0 ? 0 : apart / (chi2 > 0 ? chi2 : apart),
         rounding(a.chi2pix, b.chi2pix), s, w);
  }

  void note(Quantity q, double value, double rounded, long long s, long long w) {
    result_.agreements[q].add(value, squares_[q]);
    if (value == 0) return;
    const double beyond = std::max(0.0, value - rounded);
    if (beyond == 0)
      add(q, Reason::float32, value, s, w);
    else if (beyond <= limits_[q])
      add(q, Reason::method, value, s, w);
    else if (const Reason reason = explain(q, beyond, s, w);
             reason != Reason::none || q != of_chi2pix)
      add(q, reason, value, s, w);
    else
      unexplained_.push_back({s, w, value});
  }

  void add(Quantity q, Reason reason, double value, long long s, long long w) {
    Difference*& entry = entries_[q][reason];
    if (entry == nullptr) entry = &out_.at(hdus[q], result_.agreements[q].what, reason, limits_[q]);
    entry->add(value, pair_.fiber(s), [&] { return pair_.place(hdus[q], s, w); });
  }

  [[nodiscard]] Reason explain(Quantity q, double beyond, long long s, long long w) const {
    const std::size_t j = pair_.bin(s, w);
    if (states_.near_dark[j] && (beyond <= dark_limits_[q] || (q == of_chi2pix && all_bad(j))))
      return Reason::masked_block;
    if (shift_ > 0) {
      const double bins = shift_ * pair_.ours.file.image("WAVELENGTH")->value[w] / dw_;
      const double pull = slope_a_bin * bins * brightest(s, w);
      if (beyond <= limits_[q] + (q == of_flux      ? pull
                                  : q == of_chi2pix ? change_of_chi2(pull, j)
                                                    : slope_a_bin * bins))
        return Reason::earth_orientation;
    }
    if (without_seams_ && (q == of_flux || q == of_chi2pix) && nwavestep_ > 0) {
      const double pull = seam_fraction * brightest(s, w) *
                          std::pow(10, -static_cast<double>(to_seam(w)) / seam_decade);
      if (beyond <= limits_[q] + (q == of_flux ? pull : change_of_chi2(pull, j)))
        return Reason::seams;
    }
    return by_specter_ && as_by_specter(q, beyond, s, w) ? Reason::other_extractor : Reason::none;
  }

  [[nodiscard]] bool as_by_specter(Quantity q, double beyond, long long s, long long w) const {
    const double pull = specter_fraction * brightest(s, w);
    switch (q) {
      case of_flux:
        return beyond <= pull;
      case of_ivar:
        return beyond <= specter_ivar;
      case of_resolution:
        return beyond <= specter_resolution;
      default:
        return beyond <= change_of_chi2(pull, pair_.bin(s, w));
    }
  }

  [[nodiscard]] bool all_bad(std::size_t j) const {
    return (static_cast<std::uint32_t>(pair_.a.mask.value[j]) & specmask::ALLBADPIX) != 0;
  }

  // chi2pix is a mean of (residual / sigma)^2: a model that moves by `pull` changes it by this
  // part.
  [[nodiscard]] double change_of_chi2(double pull, std::size_t j) const {
    const double chi2 = std::max(pair_.b.chi2pix.value[j], 1e-6);
    return (2 * std::sqrt(chi2) * pull + pull * pull) / chi2;
  }

  // The largest S/N of production within seam_reach bins.
  [[nodiscard]] double brightest(long long s, long long w) const {
    double most = 0;
    const double root = std::sqrt(pair_.b.ivar.value[pair_.bin(s, w)]);
    for (long long v = std::max(0LL, w - seam_reach);
         v <= std::min(pair_.shape.nwave - 1, w + seam_reach); ++v)
      most = std::max(most, std::abs(pair_.b.flux.value[pair_.bin(s, v)]) * root);
    return most;
  }

  // Bins to the nearest edge of a patch. At the ends of the grid, the frame's flux uses other
  // pixels.
  [[nodiscard]] long long to_seam(long long w) const {
    const long long in_patch = w % nwavestep_;
    return std::min({in_patch, nwavestep_ - 1 - in_patch, pair_.shape.nwave - 1 - w});
  }

  struct Unexplained {
    long long s, w;
    double value;
  };

  // What is known of a frame as a whole explains CHI2PIX only.
  void explain_chi2pix() {
    const std::optional<double> psferr = psferr_of_version(pair_.production.version_of("desispec"),
                                                           pair_.ours.find("CAMERA").value_or(""));
    const double own = pair_.ours.number("PSFERR", 0);
    const bool other_psferr = psferr && own > 0 && *psferr != own;
    std::vector<Unexplained> rest;
    for (const Unexplained& one : unexplained_) {
      const std::size_t j = pair_.bin(one.s, one.w);
      // A smaller psferr makes every term of chi2pix larger.
      const bool larger = pair_.b.chi2pix.value[j] > pair_.a.chi2pix.value[j];
      if (other_psferr && larger == (*psferr < own))
        add(of_chi2pix, Reason::psf_error, one.value, one.s, one.w);
      else
        rest.push_back(one);
    }
    const bool other_pixels = !pair_.production.by_specter() &&
                              static_cast<double>(rest.size()) <=
                                  other_pixels_at_most * static_cast<double>(result_.compared);
    for (const Unexplained& one : rest)
      add(of_chi2pix, other_pixels && checks_pixels() ? Reason::chi2_pixels : Reason::none,
          one.value, one.s, one.w);
  }

  // Whether production may count other pixels than ours: not if ours follow the rule of GPUs.
  [[nodiscard]] bool checks_pixels() const { return !pair_.ours.find("CHI2PIXL"); }

  const PipelinePair& pair_;
  const PatchGrid& grid_;
  const BinStates& states_;
  Differences& out_;
  std::array<double, nquantities> limits_{}, dark_limits_{}, squares_{};
  double shift_ = 0;  // difference of the two HELIOCOR
  double dw_ = 1;
  bool without_seams_ = false, by_specter_ = false;
  long long nwavestep_ = 0;
  double worst_ = 0;
  std::array<std::map<Reason, Difference*>, nquantities> entries_;
  std::vector<Unexplained> unexplained_;
  SpectraComparison result_;
};

}  // namespace

void Agreement::add(double difference, double& sum_of_squares) {
  ++compared;
  if (difference == 0) {
    ++equal;
    return;
  }
  sum_of_squares += difference * difference;
  largest = std::max(largest, difference);
  const double at = bins_a_decade * std::log10(difference / histogram_min);
  ++histogram[static_cast<std::size_t>(std::clamp(at, 0.0, histogram_bins - 1.0))];
}

SpectraComparison compare_spectra(const PipelinePair& pair, const PatchGrid& grid,
                                  const BinStates& states, const Tolerance& tolerance,
                                  Differences& differences) {
  return SpectraComparer(pair, grid, states, tolerance, differences).compare();
}

}  // namespace spex
