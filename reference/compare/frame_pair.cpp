#include "reference/compare/frame_pair.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include "reference/core/median.hpp"
#include "reference/model/mask_bits.hpp"

namespace spex {
namespace {

constexpr double wavelength_limit = 1e-6;  // Angstrom
// Upper limit of a golden's ivar, relative to the fiber's median, in bins without light on the CCD.
constexpr double off_ccd_ivar = 1e-6;
constexpr double off_ccd_pixmask = 1 - 1e-6;  // threshold of ALLBADPIX in section 7
// Upper limit of an ivar from the prior alone, relative to the frame's largest ivar. The prior
// gives (1e-4 max q)^2, measured as 2e-9 to 5e-9.
constexpr double prior_ivar = 1e-6;
// Half a unit in the last place of a float32, relative.
constexpr double half_ulp = std::numeric_limits<float>::epsilon() / 2;

bool holds_light(double ivar) {
  return std::isfinite(ivar) && ivar > 0;
}

// A check, and a separate check of the bins near dark bins if these have their own limits.
class Zones {
 public:
  Zones(const char* hdu, const char* what, const Tolerance& tolerance, double Tolerance::*limit,
        double DarkLimits::*dark_limit)
      : clear_{.hdu = hdu, .what = what, .limit = tolerance.*limit} {
    if (tolerance.near_dark)
      dark_ = Check{.hdu = hdu,
                    .what = std::string(what) + ", near dark bins",
                    .limit = *tolerance.near_dark.*dark_limit};
  }
  Check& at(bool near_dark) { return near_dark ? *dark_ : clear_; }
  void append_to(std::vector<Check>& checks) const {
    checks.push_back(clear_);
    if (dark_) checks.push_back(*dark_);
  }

 private:
  Check clear_;
  std::optional<Check> dark_;
};

}  // namespace

template <class Body>
void FramePair::for_chosen(long long fibers, const Body& body) const {
  for (long long s = 0; s < fibers; ++s)
    for (long long w = 0; w < nwave_; ++w)
      if (chosen_[index(s, w)]) body(s, w, index(s, w));
}

void FramePair::choose_bins() {
  const std::vector<double>& ivar_a = a_.image("IVAR")->value;
  const std::vector<double>& ivar_b = b_.image("IVAR")->value;
  Check check{.hdu = "IVAR", .what = "bins with ivar 0 that have light"};
  chosen_.assign(ivar_b.size(), false);
  for (long long s = 0; s < nspec_; ++s) {
    const double tiny = off_ccd_ivar * median_ivar(s);
    for (long long w = 0; w < nwave_; ++w) {
      const std::size_t j = index(s, w);
      ++out_.bins;
      if (!holds_light(ivar_b[j])) {
        ++out_.not_expected;
      } else if (!(ivar_a[j] > 0) && out_.tolerance.golden && ivar_b[j] < tiny && off_ccd(j)) {
        ++out_.off_ccd;
      } else {
        chosen_[j] = ivar_a[j] > 0;
        out_.compared += chosen_[j] ? 1 : 0;
        check.add_equal(chosen_[j], [&] { return place("IVAR", s, w); });
      }
    }
  }
  if (out_.compared == 0)
    check.add_problem(Place{"IVAR", {}, {}, {}}, "no bin has ivar > 0 in both frames");
  out_.checks.push_back(check);
}

void FramePair::find_near_dark() {
  near_dark_.assign(chosen_.size(), false);
  if (!out_.tolerance.near_dark) return;
  const std::vector<double>& ivar = b_.image("IVAR")->value;
  for (long long s = 0; s < nspec_; ++s) {
    const double least = DarkLimits::dark_ivar * median_ivar(s);
    for (long long w = 0; w < nwave_; ++w) {
      const double here = ivar[index(s, w)];
      if (holds_light(here) && here >= least) continue;
      for (long long t = std::max(0LL, s - DarkLimits::fibers);
           t <= std::min(nspec_ - 1, s + DarkLimits::fibers); ++t)
        for (long long v = std::max(0LL, w - DarkLimits::bins);
             v <= std::min(nwave_ - 1, w + DarkLimits::bins); ++v)
          near_dark_[index(t, v)] = true;
    }
  }
}

void FramePair::compare_flux() {
  const Values flux = values("FLUX");
  const std::vector<double>& ivar = b_.image("IVAR")->value;
  Zones zones("FLUX", "flux pull", out_.tolerance, &Tolerance::flux_pull, &DarkLimits::flux_pull);
  for_chosen(nspec_, [&](long long s, long long w, std::size_t j) {
    const double root = std::sqrt(ivar[j]);
    zones.at(near_dark_[j])
        .add(std::abs(flux.a[j] - flux.b[j]) * root, flux.rounding * std::abs(flux.b[j]) * root,
             [&] { return place("FLUX", s, w); });
  });
  zones.append_to(out_.checks);
}

void FramePair::compare_ivar() {
  const Values ivar = values("IVAR");
  Zones zones("IVAR", "ivar, relative", out_.tolerance, &Tolerance::ivar_rel,
              &DarkLimits::ivar_rel);
  for_chosen(nspec_, [&](long long s, long long w, std::size_t j) {
    zones.at(near_dark_[j]).add(std::abs(ivar.a[j] - ivar.b[j]) / ivar.b[j], ivar.rounding, [&] {
      return place("IVAR", s, w);
    });
  });
  zones.append_to(out_.checks);
}

void FramePair::compare_resolution() {
  const Values resolution = values("RESOLUTION");
  Zones zones("RESOLUTION", "resolution", out_.tolerance, &Tolerance::resolution_abs,
              &DarkLimits::resolution_abs);
  const long long fibers = b_.image("RESOLUTION")->shape.front();
  for_chosen(fibers, [&](long long s, long long w, std::size_t j) {
    Check& check = zones.at(near_dark_[j]);
    for (long long d = 0; d < ndiagonals_; ++d) {
      const std::size_t i = resolution_index(s, d, w);
      check.add(std::abs(resolution.a[i] - resolution.b[i]),
                resolution.rounding * std::abs(resolution.b[i]),
                [&] { return place("RESOLUTION", s, w); });
    }
  });
  zones.append_to(out_.checks);
}

bool FramePair::weighted_by_rounding(std::size_t j) const {
  return out_.tolerance.near_dark && b_.image("MASK") != nullptr &&
         (static_cast<std::uint32_t>(b_.image("MASK")->value[j]) & specmask::ALLBADPIX) != 0;
}

void FramePair::compare_chi2pix() {
  if (b_.image("CHI2PIX") == nullptr) return;
  const Values chi2pix = values("CHI2PIX");
  Check check{.hdu = "CHI2PIX", .what = "chi2pix, relative", .limit = out_.tolerance.chi2pix_rel};
  for_chosen(nspec_, [&](long long s, long long w, std::size_t j) {
    if (!std::isfinite(chi2pix.b[j]) || !(chi2pix.b[j] > 0)) return;
    if (weighted_by_rounding(j) && std::isfinite(chi2pix.a[j]) && chi2pix.a[j] >= 0) return;
    check.add(std::abs(chi2pix.a[j] - chi2pix.b[j]) / chi2pix.b[j], chi2pix.rounding,
              [&] { return place("CHI2PIX", s, w); });
  });
  out_.checks.push_back(check);
}

void FramePair::compare_pixmask() {
  const char* hdu = "PIXMASK_FRACTION";
  if (a_.image(hdu) == nullptr || b_.image(hdu) == nullptr) return;
  const Values fraction = values(hdu);
  Check check{.hdu = hdu, .what = "pixmask_fraction", .limit = out_.tolerance.pixmask_abs};
  for (long long s = 0; s < nspec_; ++s)
    for (long long w = 0; w < nwave_; ++w) {
      const std::size_t j = index(s, w);
      if (out_.tolerance.golden && !chosen_[j]) continue;
      check.add(std::abs(fraction.a[j] - fraction.b[j]),
                fraction.rounding * std::abs(fraction.b[j]), [&] { return place(hdu, s, w); });
    }
  out_.checks.push_back(check);
}

void FramePair::compare_mask() {
  if (b_.image("MASK") == nullptr) return;
  const Values mask = values("MASK");
  Check check{.hdu = "MASK", .what = "bins whose mask differs"};
  for (long long s = 0; s < nspec_; ++s)
    for (long long w = 0; w < nwave_; ++w)
      check.add_equal(mask.a[index(s, w)] == mask.b[index(s, w)],
                      [&] { return place("MASK", s, w); });
  out_.checks.push_back(check);
}

void FramePair::compare_unconstrained() {
  if (out_.tolerance.golden) return;
  const std::vector<double>& expected = b_.image("IVAR")->value;
  const std::vector<double>& found = a_.image("IVAR")->value;
  const double most = prior_ivar * *std::max_element(expected.begin(), expected.end());
  Check check{.hdu = "all", .what = "values of bins with expected ivar 0 that are not as expected"};
  for (long long s = 0; s < nspec_; ++s)
    for (long long w = 0; w < nwave_; ++w) {
      if (expected[index(s, w)] != 0) continue;
      const bool rounding = found[index(s, w)] > 0 && found[index(s, w)] <= most;
      const std::string hdu = rounding ? beyond_rounding_of_spots(s, w) : other_than_expected(s, w);
      check.add_equal(hdu.empty(), [&] { return place(hdu.c_str(), s, w); });
    }
  out_.checks.push_back(check);
}

void FramePair::compare_wavelength() {
  const Values wave = values("WAVELENGTH");
  Check check{.hdu = "WAVELENGTH", .what = "wavelength, Angstrom", .limit = wavelength_limit};
  for (std::size_t w = 0; w < wave.a.size(); ++w)
    check.add(std::abs(wave.a[w] - wave.b[w]), 0, [&] {
      return Place{"WAVELENGTH", {}, static_cast<long long>(w), wave.b[w]};
    });
  out_.checks.push_back(check);
}

void FramePair::compare_fibermap() {
  const FrameTable* b = b_.table("FIBERMAP");
  if (b == nullptr) return;
  const FrameTable* a = a_.table("FIBERMAP");
  Check check{.hdu = "FIBERMAP", .what = "rows whose FIBER differs"};
  for (std::size_t s = 0; s < b->fiber.size(); ++s)
    check.add_equal(a->fiber[s] == b->fiber[s], [&] {
      return Place{"FIBERMAP", a_.specmin + static_cast<long long>(s), {}, {}};
    });
  out_.checks.push_back(check);
}

FramePair::Values FramePair::values(const char* hdu) const {
  const FrameImage& a = *a_.image(hdu);
  const FrameImage& b = *b_.image(hdu);
  const int rounded = (a.float32 ? 1 : 0) + (b.float32 && !out_.tolerance.golden ? 1 : 0);
  return {a.value, b.value, rounded * half_ulp};
}

std::size_t FramePair::index(long long s, long long w) const {
  return static_cast<std::size_t>(s * nwave_ + w);
}

std::size_t FramePair::resolution_index(long long s, long long d, long long w) const {
  return static_cast<std::size_t>((s * ndiagonals_ + d) * nwave_ + w);
}

Place FramePair::place(const char* hdu, long long s, long long w) const {
  return bin_place(a_, hdu, s, w);
}

double FramePair::median_ivar(long long s) const {
  const std::vector<double>& ivar = b_.image("IVAR")->value;
  std::vector<double> fiber;
  for (long long w = 0; w < nwave_; ++w)
    if (holds_light(ivar[index(s, w)])) fiber.push_back(ivar[index(s, w)]);
  return median(fiber);
}

bool FramePair::off_ccd(std::size_t j) const {
  const FrameImage* fraction = a_.image("PIXMASK_FRACTION");
  if (fraction != nullptr) return fraction->value[j] > off_ccd_pixmask;
  const auto mask = static_cast<std::uint32_t>(a_.image("MASK")->value[j]);
  return (mask & specmask::ALLBADPIX) != 0;
}

std::string FramePair::other_than_expected(long long s, long long w) const {
  const std::size_t j = index(s, w);
  for (const char* hdu : {"IVAR", "FLUX", "CHI2PIX"})
    if (b_.image(hdu) != nullptr && !same(values(hdu), j)) return hdu;
  const Values resolution = values("RESOLUTION");
  for (long long d = 0; d < ndiagonals_; ++d)
    if (!same(resolution, resolution_index(s, d, w))) return "RESOLUTION";
  return {};
}

std::string FramePair::beyond_rounding_of_spots(long long s, long long w) const {
  const std::size_t j = index(s, w);
  const Tolerance& limits = out_.tolerance;
  const double pull = limits.near_dark ? limits.near_dark->flux_pull : limits.flux_pull;
  const double off_R = limits.near_dark ? limits.near_dark->resolution_abs : limits.resolution_abs;
  const double ivar = a_.image("IVAR")->value[j];
  if (!off_ccd(j)) return "IVAR";
  if (!(std::abs(a_.image("FLUX")->value[j]) * std::sqrt(ivar) <= pull)) return "FLUX";
  if (!(a_.image("CHI2PIX")->value[j] >= 0)) return "CHI2PIX";
  for (long long d = 0; d < ndiagonals_; ++d)
    if (!(std::abs(a_.image("RESOLUTION")->value[resolution_index(s, d, w)]) <= 1 + off_R))
      return "RESOLUTION";
  return {};
}

bool FramePair::same(const Values& values, std::size_t i) {
  return std::abs(values.a[i] - values.b[i]) <= values.rounding * std::abs(values.b[i]);
}

}  // namespace spex
