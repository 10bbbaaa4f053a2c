#include "bench/accept/judgment.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "bench/accept/units.hpp"
#include "bench/result/judged_speed.hpp"
#include "bench/result/utc.hpp"
#include "reference/core/error.hpp"
#include "reference/core/exit_status.hpp"
#include "reference/core/median.hpp"

namespace spex::bench {
namespace {

// A GPU that is slower than the median of all by more than this part is odd.
constexpr double odd_gpu = 0.05;
// A target that is passed this many times faster tells nothing about the speed of the machine.
constexpr double toothless = 5;

AcceptedSpeed accepted(const Record& record, const JudgedSpeed& judged) {
  AcceptedSpeed speed;
  speed.entry = record.entry;
  speed.what = judged.what;
  speed.unit = judged.is_rate ? "FPNH" : "s";
  speed.limit = judged.limit;
  speed.ratio = judged.ratio();
  speed.verdict = judged.verdict;
  speed.frames = record.work.scaled_to.value_or(record.work.frames);
  if (!judged.found) return speed;
  const Statistic& found = *judged.found;
  speed.measured = found.median;
  speed.low = found.low;
  speed.high = found.high;
  speed.coverage = found.coverage;
  speed.runs = static_cast<int>(found.samples.size());
  if (judged.is_rate)
    speed.fpnh = found.median;
  else if (record.work.has_fpnh)
    speed.fpnh = seconds_per_hour * speed.frames / (found.median * record.launch.nodes);
  return speed;
}

// Whether each run that may count has the CPU time of other processes.
bool knows_other_work(const Record& record) {
  return std::ranges::all_of(timed_samples(record),
                             [](const Sample* sample) { return sample->other_cpu_s.has_value(); });
}

// Too few runs that count, or too much scatter.
std::string why_inconclusive(const Judgment& judgment, const AcceptedSpeed* speed) {
  const bool few = speed == nullptr || !speed->low;
  return few && !judgment.reasons.empty() ? judgment.reasons.front() : "too scattered to judge";
}

}  // namespace

std::string readable(double value) {
  std::string digits =
      std::abs(value) >= 100 ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value);
  const std::size_t first = digits.starts_with('-') ? 1 : 0;
  std::size_t place = std::min(digits.find_first_of(".e"), digits.size());
  while (place > first + 3) digits.insert(place -= 3, ",");
  return digits;
}

std::string speed_text(const AcceptedSpeed& speed) {
  std::string text = "nothing measured";
  const bool is_time = speed.unit == "s";
  if (speed.measured) {
    text = readable(*speed.measured) + (!is_time ? " FPNH"
                                        : speed.frames == frames_of_exposure
                                            ? " s an exposure"
                                            : fmt::format(" s for {} frame(s)", speed.frames));
    const bool of_runs =
        speed.what.starts_with("effective") || speed.what.starts_with("extraction");
    if (speed.low && speed.high)
      text += fmt::format(" ({} to {}, {} {})", readable(*speed.low), readable(*speed.high),
                          speed.runs, of_runs ? "runs" : "parts of a run");
  }
  return text + (is_time ? fmt::format(", at most {} s wanted", readable(speed.limit))
                         : fmt::format(", at least {} FPNH wanted", readable(speed.limit)));
}

std::string word_of_status(int exit_status) {
  if (exit_status == status::done) return "ACCEPT";
  const bool rejects = exit_status == status::incorrect || exit_status == status::slow ||
                       exit_status == status::unhealthy;
  return rejects ? "REJECT" : "REPEAT";
}

std::vector<AcceptedSpeed> compare_gpus(const std::vector<Record>& records) {
  std::vector<const Record*> alone;
  std::vector<double> rates;
  for (const Record& record : records) {
    const std::optional<Statistic> rate = soak_fpnh_to_judge(record);
    if (!record.entry.starts_with("gpu-") || record.launch.gpus_per_node != 1 || !rate) continue;
    alone.push_back(&record);
    rates.push_back(rate->median);
  }
  std::vector<AcceptedSpeed> speeds;
  if (alone.size() < 2) return speeds;
  const double least = (1 - odd_gpu) * median(rates);
  for (const Record* record : alone) {
    JudgedSpeed judged{
        "FPNH beside the other GPUs", true, soak_fpnh_to_judge(*record), least, {}, {}};
    const Statistic& found = *judged.found;
    judged.verdict = found.high.value_or(found.median) < least ? "fail" : "pass";
    speeds.push_back(accepted(*record, judged));
  }
  return speeds;
}

Judgment judge_acceptance(const std::vector<Record>& records, int exit_status,
                          const std::string& target) {
  Judgment judgment;
  judgment.utc = utc_text(unix_now());
  judgment.target = target;
  for (const Record& record : records) {
    const Derived derived = derive(record);
    for (const std::string& reason : derived.verdict.reasons)
      (derived.verdict.exit_status == status::done ? judgment.notes : judgment.reasons)
          .push_back(record.entry + ": " + printable(reason));
    if (record.timing.quiet && !knows_other_work(record))
      judgment.notes.push_back(record.entry +
                               ": what other programs took of the CPUs is not known");
    if (derived.verdict.performance == "not-judged") continue;
    if (!record.work.has_fpnh)
      judgment.notes.push_back(record.entry +
                               ": parts of frames, or a frame alone, do not show the time of an "
                               "exposure");
    for (const JudgedSpeed& judged : judge_speeds(record, derived.fom))
      judgment.speeds.push_back(accepted(record, judged));
  }
  std::vector<int> statuses{exit_status};
  for (const AcceptedSpeed& speed : compare_gpus(records)) {
    judgment.speeds.push_back(speed);
    if (speed.verdict == "pass") continue;
    statuses.push_back(status::slow);
    judgment.reasons.push_back(
        fmt::format("{}: slower alone than the other GPUs: {}", speed.entry, speed_text(speed)));
  }
  judgment.exit_status = combined_status(statuses);
  judgment.word = word_of_status(judgment.exit_status);
  const AcceptedSpeed* const decides = deciding(judgment);
  if (judgment.exit_status == status::done && decides != nullptr &&
      decides->ratio.value_or(0) > toothless)
    judgment.notes.push_back(
        fmt::format("the machine is {} times as fast as the target: nearly every machine reaches "
                    "it, so this accepts the machine's answers and health, not its speed",
                    readable(*decides->ratio)));
  return judgment;
}

const AcceptedSpeed* deciding(const Judgment& judgment) {
  const AcceptedSpeed* found = nullptr;
  for (const char* verdict : {"fail", "inconclusive", "pass"}) {
    for (const AcceptedSpeed& speed : judgment.speeds)
      if (speed.verdict == verdict &&
          (found == nullptr || speed.ratio.value_or(0) < found->ratio.value_or(0)))
        found = &speed;
    if (found != nullptr) return found;
  }
  return found;
}

std::string last_line(const Judgment& judgment) {
  const AcceptedSpeed* const speed = deciding(judgment);
  std::string text = judgment.word + ": ";
  const bool is_speed = judgment.exit_status == status::done ||
                        judgment.exit_status == status::slow ||
                        judgment.exit_status == status::inconclusive;
  if (!is_speed || speed == nullptr)
    text += judgment.reasons.empty() ? "no speed was judged" : judgment.reasons.front();
  else
    text += speed->entry + ": " + speed_text(*speed);
  if (is_speed && speed != nullptr && speed->ratio)
    text += fmt::format(": {} times as fast as required", readable(*speed->ratio));
  if (is_speed && speed != nullptr && speed->unit == "s" && speed->fpnh)
    text += fmt::format("; {} FPNH", readable(*speed->fpnh));
  if (judgment.exit_status == status::inconclusive)
    text += fmt::format("; {}: quiet the machine, and add runs by --resume --repeats N",
                        why_inconclusive(judgment, speed));
  return text;
}

}  // namespace spex::bench
