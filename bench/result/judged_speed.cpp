#include "bench/result/judged_speed.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace spex::bench {
namespace {

// Required coverage of an interval that decides; five samples have 93.75%.
constexpr double min_coverage = 0.9;
// A long run whose repeated inputs are faster than its distinct ones by more than this factor does
// not show the speed of distinct inputs.
constexpr double max_soak_gain = 1.25;

std::string interval_text(const JudgedSpeed& speed) {
  const auto text = [&](double value) {
    return speed.is_rate ? fmt::format("{:.0f}", value) : fmt::format("{:.2f}", value);
  };
  const Statistic& found = *speed.found;
  return fmt::format("{} {} ({} to {}, {:.1f}%)", speed.what, text(found.median), text(*found.low),
                     text(*found.high), 100 * *found.coverage);
}

// Why the interval decides nothing; "" if it does. `widest` is relative to the median.
std::string no_interval(const JudgedSpeed& speed, const std::optional<Quiet>& quiet) {
  const Statistic& found = *speed.found;
  if (!found.low || !found.high || found.coverage.value_or(0) < min_coverage)
    return fmt::format("{} has too few samples for an interval of {:g}%", speed.what,
                       100 * min_coverage);
  if (quiet && is_too_wide(found, quiet->width))
    return fmt::format("{}: the interval is {:.0f}% of the median wide, at most {:g}% is judged",
                       interval_text(speed), 100 * width_of(found), 100 * quiet->width);
  return {};
}

void judge(const Threshold& threshold, double reference, const std::optional<Quiet>& quiet,
           JudgedSpeed& speed) {
  const auto end = [&](const char* verdict, const std::string& reason) {
    speed.verdict = verdict;
    if (!reason.empty()) speed.reasons.push_back(reason);
  };
  if (!speed.found) return end("inconclusive", speed.what + " is not known");
  if (const std::string why = no_interval(speed, quiet); !why.empty())
    return end("inconclusive", why);
  const Statistic& found = *speed.found;
  const std::string interval = interval_text(speed);
  if (speed.is_rate) {
    // Slower is a failure. Faster is not, but is doubted above the threshold's margin_above.
    if (const auto& above = threshold.margin_above; above && *found.low > reference * (1 + *above))
      return end("inconclusive",
                 fmt::format("{}, at most {:.0f} expected: the reference is another machine's, or "
                             "something is wrong",
                             interval, reference * (1 + *above)));
    if (*found.low >= speed.limit) return end("pass", "");
    return end(*found.high < speed.limit ? "fail" : "inconclusive",
               fmt::format("{}, at least {:.0f} wanted", interval, speed.limit));
  }
  if (*found.high <= speed.limit) return end("pass", "");
  end(*found.low > speed.limit ? "fail" : "inconclusive",
      fmt::format("{}, at most {:.2f} wanted", interval, speed.limit));
}

// Seconds of an exposure, for which fewer frames may stand.
std::optional<Statistic> seconds_of_exposure(const Record& record,
                                             const std::optional<Figure>& figure) {
  if (!figure) return std::nullopt;
  Statistic seconds = figure->seconds;
  if (!record.work.scaled_to) return seconds;
  const double factor = static_cast<double>(*record.work.scaled_to) / record.work.frames;
  seconds.median *= factor;
  for (std::optional<double>* end : {&seconds.low, &seconds.high})
    if (*end) **end *= factor;
  return seconds;
}

// Why a long run cannot be judged; "" if it can.
std::string unfit_long_run(const Record& record, const char* what, bool soak) {
  const auto& sustain = record.work.sustain;
  if (!sustain) return {};
  for (const Sample* sample : timed_samples(record))
    if (const std::string shortfall = shortfall_of(sustain, *sample); !shortfall.empty())
      return fmt::format("{}: {}", what, shortfall);
  const std::optional<Statistic> distinct = sustained_fpnh_to_judge(record);
  const std::optional<Statistic> all = soak_fpnh_to_judge(record);
  if (soak && distinct && all && all->median > max_soak_gain * distinct->median)
    return fmt::format(
        "{}: {:.0f} over all frames, {:.0f} over distinct inputs: repeated inputs are faster", what,
        all->median, distinct->median);
  return {};
}

}  // namespace

std::optional<double> JudgedSpeed::ratio() const {
  if (!found || !(found->median > 0)) return std::nullopt;
  return is_rate ? found->median / limit : limit / found->median;
}

std::vector<JudgedSpeed> judge_speeds(const Record& record, const Fom& fom) {
  std::vector<JudgedSpeed> speeds;
  if (!record.threshold) return speeds;
  const Threshold& threshold = *record.threshold;
  const auto& quiet = record.timing.quiet;
  const auto at_least = [&](const char* what, const std::optional<Statistic>& fpnh,
                            const std::optional<double>& required, const std::string& unfit = "") {
    if (!required) return;
    JudgedSpeed speed{what, true, fpnh, *required * (1 - threshold.margin), {}, {}};
    if (unfit.empty())
      judge(threshold, *required, quiet, speed);
    else
      speed.verdict = "inconclusive", speed.reasons = {unfit};
    speeds.push_back(speed);
  };
  const auto at_most = [&](const char* what, const std::optional<Figure>& figure,
                           const std::optional<double>& required) {
    if (!required) return;
    JudgedSpeed speed{what, false, seconds_of_exposure(record, figure), *required, {}, {}};
    judge(threshold, *required, quiet, speed);
    speeds.push_back(speed);
  };
  const auto fpnh_of = [](const std::optional<Figure>& figure) {
    return figure ? figure->fpnh : std::nullopt;
  };
  at_least("effective FPNH", fpnh_of(fom.effective), threshold.fpnh_effective);
  at_least("extraction FPNH", fpnh_of(fom.extraction), threshold.fpnh_extraction);
  at_most("effective seconds", fom.effective, threshold.seconds_effective);
  at_most("extraction seconds", fom.extraction, threshold.seconds_extraction);
  at_least("sustained FPNH", sustained_fpnh_to_judge(record), threshold.fpnh_sustained,
           unfit_long_run(record, "sustained FPNH", false));
  at_least("FPNH of all frames", soak_fpnh_to_judge(record), threshold.fpnh_soak,
           unfit_long_run(record, "FPNH of all frames", true));
  return speeds;
}

std::string worst_of(const std::vector<JudgedSpeed>& speeds) {
  for (const char* worst : {"fail", "inconclusive", "pass"})
    if (std::any_of(speeds.begin(), speeds.end(),
                    [&](const JudgedSpeed& speed) { return speed.verdict == worst; }))
      return worst;
  return "not-judged";
}

}  // namespace spex::bench
