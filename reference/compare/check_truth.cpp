#include "reference/compare/check_truth.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "reference/compare/structure.hpp"
#include "reference/core/all_finite.hpp"
#include "reference/core/error.hpp"
#include "reference/fits/read/fits_file.hpp"

namespace spex {
namespace {

constexpr double grid_limit = 1e-6;        // fraction of the grid's step
constexpr double low_percentile = 15.865;  // these percentiles enclose the central 68.27 %
constexpr double high_percentile = 84.135;
constexpr const char* on_grid = "a truth on the extraction's grid (spex-sim --on-grid)";

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// As NumPy's percentile: linear interpolation between sorted values.
double percentile(const std::vector<double>& sorted, double percent) {
  const double at = percent / 100 * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

// Pearson's correlation of x and y.
double correlation(const std::vector<double>& x, const std::vector<double>& y) {
  const double mean_x = mean_of(x);
  const double mean_y = mean_of(y);
  double xx = 0, yy = 0, xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    yy += (y[i] - mean_y) * (y[i] - mean_y);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
  }
  return xy / std::sqrt(xx * yy);
}

// The truth's bin at the frame's first wavelength.
long long first_bin(const std::vector<double>& wave, const TruthFile& truth) {
  const double step = wave[1] - wave[0];
  const double at = std::round((wave.front() - truth.wave.front()) / step);
  const auto nwave = static_cast<double>(wave.size());
  if (!(at >= 0 && at + nwave <= static_cast<double>(truth.wave.size())))
    throw data_error(truth.path,
                     fmt::format("does not cover the frame's {:.2f} to {:.2f} Angstrom in its "
                                 "steps of {:.4g}",
                                 wave.front(), wave.back(), step),
                     on_grid);
  const auto first = static_cast<long long>(at);
  for (std::size_t w = 0; w < wave.size(); ++w) {
    const double other = truth.wave[static_cast<std::size_t>(first) + w];
    if (!(std::abs(other - wave[w]) <= grid_limit * std::abs(step)))
      throw data_error(
          truth.path,
          fmt::format("has a bin at {:.4f} Angstrom, the frame at {:.4f}", other, wave[w]),
          on_grid);
  }
  return first;
}

// Pulls of all bins, and flags of the bins that are used.
struct Pulls {
  std::vector<double> value;
  std::vector<double> signal;  // R truth sqrt(ivar), the expected signal to noise
  std::vector<bool> used;
  long long nwave = 0;
};

Pulls make_pulls(const FrameFile& frame, const TruthFile& truth, const FrameShape& shape) {
  const auto& flux = frame.image("FLUX")->value;
  const auto& ivar = frame.image("IVAR")->value;
  const auto& mask = frame.image("MASK")->value;
  const auto& resolution = frame.image("RESOLUTION")->value;
  const long long first = first_bin(frame.image("WAVELENGTH")->value, truth);
  const long long ndiag = shape.ndiagonals / 2;
  const std::size_t nbins = flux.size();
  Pulls pulls{std::vector<double>(nbins), std::vector<double>(nbins),
              std::vector<bool>(nbins, false), shape.nwave};
  for (long long s = 0; s < shape.nspec; ++s) {
    const std::vector<double> expected = apply_resolution(
        resolution.data() + s * shape.ndiagonals * shape.nwave, shape.ndiagonals,
        truth.flux.data() + (frame.specmin + s) * truth.nwave + first, shape.nwave);
    for (long long w = ndiag; w < shape.nwave - ndiag; ++w) {
      const auto j = static_cast<std::size_t>(s * shape.nwave + w);
      pulls.used[j] = mask[j] == 0 && ivar[j] > 0;
      if (!pulls.used[j]) continue;
      pulls.signal[j] = expected[static_cast<std::size_t>(w)] * std::sqrt(ivar[j]);
      pulls.value[j] = flux[j] * std::sqrt(ivar[j]) - pulls.signal[j];
    }
  }
  return pulls;
}

// Statistics of the fibers [first, end).
PullStatistics make_statistics(const Pulls& pulls, long long first, long long end) {
  std::vector<double> chosen, here, next;
  for (long long s = first; s < end; ++s)
    for (long long w = 0; w < pulls.nwave; ++w) {
      const auto j = static_cast<std::size_t>(s * pulls.nwave + w);
      if (!pulls.used[j]) continue;
      chosen.push_back(pulls.value[j]);
      if (w + 1 == pulls.nwave || !pulls.used[j + 1]) continue;
      here.push_back(pulls.value[j]);
      next.push_back(pulls.value[j + 1]);
    }
  PullStatistics statistics;
  statistics.bins = static_cast<long long>(chosen.size());
  statistics.pairs = static_cast<long long>(here.size());
  // NaN would make sorting undefined; check_finite reports its location.
  if (chosen.size() < 2 || here.size() < 2 || !all_finite(chosen)) return statistics;
  statistics.mean = mean_of(chosen);
  double squares = 0;
  for (const double pull : chosen) squares += (pull - statistics.mean) * (pull - statistics.mean);
  statistics.std = std::sqrt(squares / static_cast<double>(chosen.size()));
  statistics.correlation = correlation(here, next);
  std::sort(chosen.begin(), chosen.end());
  statistics.half_width =
      (percentile(chosen, high_percentile) - percentile(chosen, low_percentile)) / 2;
  return statistics;
}

// Standard deviations of statistics of n unit normal pulls, times sqrt(n): of the standard
// deviation, and of half the distance between the percentiles p = 15.865 and 84.135. A percentile
// has variance p (1 - p) / density^2; the two percentiles have covariance p^2 / density^2.
constexpr double spread_of_std = 0.70711;
constexpr double spread_of_half_width = 0.9618;

std::vector<Check> judge_all(const PullStatistics& pulls, const PullLimits& limits) {
  const Place place{"FLUX", {}, {}, {}};
  const auto within = [&](const char* what, double value, double expected, double limit) {
    Check check{.hdu = "FLUX", .what = what, .limit = limit};
    check.add(std::abs(value - expected), 0, [&]() -> const Place& { return place; });
    return check;
  };
  Check enough{.hdu = "FLUX", .what = "too few unmasked bins"};
  enough.compared = pulls.bins;
  if (pulls.bins < truth_min_bins)
    enough.add_problem(place, fmt::format("{} unmasked bins to compare with the truth (expected "
                                          "at least {})",
                                          pulls.bins, truth_min_bins));
  return {enough, within("|mean pull|", pulls.mean, 0, limits.mean),
          within("|std of pull - 1|", pulls.std, 1, limits.std),
          within("|68% half-width of pull - 1|", pulls.half_width, 1, limits.half_width),
          within("|correlation of neighbors|", pulls.correlation, 0, limits.correlation)};
}

// What the errors at the edges of patches may add to the standard deviation of a fiber's pulls.
double allowance_of_seams(const FrameFile& frame, const Pulls& pulls, long long fiber) {
  if (frame.flux_solver == "frame" || frame.nwavestep <= 0) return 0;
  double squares = 0, bins = 0;
  for (long long w = 0; w < pulls.nwave; ++w) {
    const auto j = static_cast<std::size_t>(fiber * pulls.nwave + w);
    if (!pulls.used[j]) continue;
    squares += pulls.signal[j] * pulls.signal[j];
    bins += 1;
  }
  const double edges = PullLimits::seam_nwavestep / static_cast<double>(frame.nwavestep);
  return std::sqrt(1 + PullLimits::seam * PullLimits::seam * edges * squares / bins) - 1;
}

// How far a value lies outside of [1, 1 + allowance]; NaN of NaN.
double distance(double value, double allowance) {
  return std::abs(value - std::clamp(value, 1.0, 1 + allowance));
}

// Checks each fiber separately, in standard deviations of its statistics.
std::vector<Check> judge_fibers(const FrameFile& frame, const Pulls& pulls,
                                const FrameShape& shape) {
  Check coverage{.hdu = "FLUX", .what = "fibers with too few unmasked bins"};
  Check mean{.hdu = "FLUX", .what = "|mean pull| of a fiber, sigmas"};
  Check std{.hdu = "FLUX", .what = "|std of pull - 1| of a fiber, sigmas"};
  Check half_width{.hdu = "FLUX", .what = "|68% half-width - 1| of a fiber, sigmas"};
  Check correlation{.hdu = "FLUX", .what = "|correlation| of a fiber, sigmas"};
  for (Check* check : {&mean, &std, &half_width, &correlation}) check->limit = PullLimits::sigmas;
  const auto inner = static_cast<double>(shape.nwave - shape.ndiagonals + 1);
  for (long long s = 0; s < shape.nspec; ++s) {
    const PullStatistics fiber = make_statistics(pulls, s, s + 1);
    const auto place = [&] { return Place{"FLUX", frame.specmin + s, {}, {}}; };
    const auto bins = static_cast<double>(fiber.bins);
    coverage.add_equal(bins >= truth_min_of_fiber * inner, place);
    if (fiber.bins < truth_bins_of_fiber || fiber.pairs < truth_bins_of_fiber) continue;
    const double root = std::sqrt(bins);
    mean.add(std::abs(fiber.mean) * root, PullLimits::pull_bias * root, place);
    const double seams = allowance_of_seams(frame, pulls, s);
    std.add(distance(fiber.std, seams) * root / spread_of_std, 0, place);
    half_width.add(distance(fiber.half_width, seams) * root / spread_of_half_width, 0, place);
    correlation.add(std::abs(fiber.correlation) * std::sqrt(static_cast<double>(fiber.pairs)), 0,
                    place);
  }
  return {coverage, mean, std, half_width, correlation};
}

}  // namespace

TruthFile read_truth(const std::string& path, bool checksums) {
  FitsReader reader(path, {.checksums = checksums});
  int status = 0;
  int simulated_on_grid = 0;
  fits_read_key(reader.get(), TLOGICAL, "ONGRID", &simulated_on_grid, nullptr, &status);
  if (status != 0) throw data_error(path, "has no keyword ONGRID", "a truth file of spex-sim");
  if (simulated_on_grid == 0)
    throw data_error(path, "its spectra are not on the extraction's grid (ONGRID is F)", on_grid);
  TruthFile truth;
  truth.path = path;
  reader.move_to_hdu("WAVELENGTH");
  truth.wave = reader.read_doubles();
  truth.nwave = static_cast<long long>(truth.wave.size());
  reader.move_to_hdu("FLUX");
  const std::vector<long long> axes = reader.image_axes();
  if (truth.nwave == 0 || axes.size() != 2 || axes[0] != truth.nwave)
    throw data_error(path, "HDU FLUX does not fit WAVELENGTH",
                     fmt::format("[nfiber, {}]", truth.nwave));
  truth.nfiber = axes[1];
  truth.flux = reader.read_doubles();
  if (!all_finite(truth.flux) || !all_finite(truth.wave))
    throw data_error(path, "holds values that are not finite");
  return truth;
}

std::vector<double> apply_resolution(const double* resolution, long long ndiagonals,
                                     const double* flux, long long nwave) {
  const long long ndiag = ndiagonals / 2;
  std::vector<double> out(static_cast<std::size_t>(nwave), 0.0);
  for (long long d = 0; d < ndiagonals; ++d)
    for (long long j = 0; j < nwave; ++j) {
      const long long row = j - ndiag + d;
      if (row >= 0 && row < nwave)
        out[static_cast<std::size_t>(row)] += resolution[d * nwave + j] * flux[j];
    }
  return out;
}

PullLimits pull_limits(long long bins, long long pairs) {
  const double sigma = PullLimits::sigmas / std::sqrt(static_cast<double>(std::max(1LL, bins)));
  return {.mean = PullLimits::pull_bias + sigma,
          .std = spread_of_std * sigma,
          .half_width = spread_of_half_width * sigma,
          .correlation = PullLimits::sigmas / std::sqrt(static_cast<double>(std::max(1LL, pairs)))};
}

std::vector<Check> check_together(const std::vector<PullStatistics>& frames) {
  double bins = 0, sum = 0, squares = 0;
  for (const PullStatistics& frame : frames) {
    const auto n = static_cast<double>(frame.bins);
    bins += n;
    sum += n * frame.mean;
    squares += n * (frame.std * frame.std + frame.mean * frame.mean);
  }
  const double mean = sum / bins;
  const double std = std::sqrt(squares / bins - mean * mean);
  const PullLimits limits = pull_limits(static_cast<long long>(bins), 0);
  const auto within = [](const char* what, double value, double limit) {
    Check check{.hdu = "all", .what = what, .limit = limit};
    check.add(value, 0, [] { return Place{}; });
    return check;
  };
  return {within("|mean pull| of all frames", std::abs(mean), limits.mean),
          within("|std of pull - 1| of all frames", std::abs(std - 1), limits.std)};
}

bool TruthCheck::ok() const {
  return std::all_of(checks.begin(), checks.end(), [](const Check& check) { return check.ok(); });
}

TruthCheck check_truth(const FrameFile& frame, const TruthFile& truth) {
  TruthCheck out;
  out.path = truth.path;
  const FrameShape shape = frame_shape(frame).value_or(FrameShape{});
  out.checks.push_back(
      check_hdus(frame, {"FLUX", "IVAR", "MASK", "WAVELENGTH", "RESOLUTION"}, shape));
  out.checks.push_back(check_finite(frame));
  if (!out.ok()) return out;
  if (frame.specmin < 0 || frame.specmin + shape.nspec > truth.nfiber)
    throw data_error(
        truth.path, fmt::format("has {} fibers", truth.nfiber),
        fmt::format("the frame's, {} to {}", frame.specmin, frame.specmin + shape.nspec - 1));
  // A shorter grid has no usable bin, and may have no step.
  const auto nbins = static_cast<std::size_t>(shape.nbins());
  Pulls pulls{std::vector<double>(nbins), std::vector<double>(nbins),
              std::vector<bool>(nbins, false), shape.nwave};
  if (shape.nwave > std::max(1LL, shape.ndiagonals - 1)) pulls = make_pulls(frame, truth, shape);
  out.pulls = make_statistics(pulls, 0, shape.nspec);
  out.limits = pull_limits(out.pulls.bins, out.pulls.pairs);
  for (Check& check : judge_all(out.pulls, out.limits)) out.checks.push_back(std::move(check));
  for (Check& check : judge_fibers(frame, pulls, shape)) out.checks.push_back(std::move(check));
  return out;
}

}  // namespace spex
