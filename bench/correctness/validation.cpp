#include "bench/correctness/validation.hpp"

#include <algorithm>
#include <cmath>
#include <exception>

#include <fitsio.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include "bench/correctness/file_hash.hpp"
#include "bench/correctness/frame_tables.hpp"
#include "bench/measure/optional_json.hpp"
#include "reference/compare/compare_frames.hpp"
#include "reference/core/error.hpp"
#include "reference/core/parallel.hpp"

namespace spex::bench {
namespace {

using Json = nlohmann::ordered_json;

Json finite_or_null(double value) {
  return std::isfinite(value) ? Json(value) : Json();
}

Json check_json(const Check& check) {
  Json json;
  json["hdu"] = check.hdu;
  json["what"] = check.what;
  json["limit"] = finite_or_null(check.limit);
  json["largest"] = finite_or_null(check.largest);
  json["compared"] = check.compared;
  json["bad"] = check.bad;
  json["first_bad"] = check.first_bad
                          ? Json(check.first_bad->hdu + " " + spex::to_string(*check.first_bad))
                          : Json();
  json["pass"] = check.ok();
  return json;
}

// Adds the checks; where there are some already, of each that with the larger difference. The first
// failure.
std::string take_checks(const std::vector<Check>& checks, Json& json) {
  std::string failure;
  for (const Check& check : checks) {
    if (!check.ok() && failure.empty()) failure = describe_failure(check);
    const Json added = check_json(check);
    const auto same = std::find_if(json.begin(), json.end(), [&](const Json& one) {
      return one.at("hdu") == added.at("hdu") && one.at("what") == added.at("what");
    });
    if (same == json.end())
      json.push_back(added);
    else if (!check.ok() || (same->at("pass").get<bool>() && !same->at("largest").is_null() &&
                             check.largest > same->at("largest").get<double>()))
      *same = added;
  }
  return failure;
}

// HDUs of one frame that the other has not, or has in another form. Their values are compared
// elsewhere.
Check compare_hdus(const FrameFile& result, const FrameFile& expected) {
  Check check{.hdu = "all", .what = "HDUs that are not those of the reference"};
  const auto compare = [&](const FrameFile& one, const FrameFile& other) {
    for (const FrameImage& image : one.images) {
      const FrameImage* const found = other.image(image.name);
      check.add_equal(found != nullptr && found->shape == image.shape, [&] {
        return Place{image.name, {}, {}, {}};
      });
    }
    for (const FrameTable& table : one.tables) {
      const FrameTable* const found = other.table(table.name);
      check.add_equal(
          found != nullptr && found->nrow == table.nrow && found->columns == table.columns, [&] {
            return Place{table.name, {}, {}, {}};
          });
    }
  };
  compare(expected, result);
  compare(result, expected);
  return check;
}

std::string compare(const FrameFile& result, const FrameFile& expected,
                    const std::string& tolerance, Json& checks) {
  return take_checks(compare_frames(result, expected, read_tolerance(tolerance)).checks, checks);
}

Json truth_json(const TruthCheck& truth) {
  return {{"bins", truth.pulls.bins},
          {"mean", finite_or_null(truth.pulls.mean)},
          {"std", finite_or_null(truth.pulls.std)},
          {"half_width", finite_or_null(truth.pulls.half_width)},
          {"correlation", finite_or_null(truth.pulls.correlation)},
          {"limits",
           {{"mean", truth.limits.mean},
            {"std", truth.limits.std},
            {"half_width", truth.limits.half_width},
            {"correlation", truth.limits.correlation}}},
          {"pass", truth.ok()}};
}

// Throws Error(data) where a file that a frame is held to is not what was made.
void check_unchanged(const std::string& path, const std::string& sha256) {
  if (hash_file(path) != sha256)
    throw data_error(path, "was changed since it was made", "what the frame is held to");
}

// The whole look at one frame; what is wrong with it. Its pulls are added to `pulls`.
std::string judge(FrameValidation& frame, const OutputFrame& output, const std::string& tolerance,
                  std::optional<PullStatistics>& pulls) {
  try {
    const FrameFile result = read_frame(output.path);
    std::optional<FrameFile> reference;
    std::string failure;
    if (output.reference.empty()) {
      // With itself: the rules of a frame's structure.
      failure = compare(result, result, tolerance, frame.checks);
    } else {
      check_unchanged(output.reference, output.reference_sha256);
      reference = read_frame(output.reference);
      frame.expected_from = "spex-cpu";
      failure = compare(result, *reference, tolerance, frame.checks);
      const std::string hdus = take_checks({compare_hdus(result, *reference)}, frame.checks);
      if (failure.empty()) failure = hdus;
    }
    check_unchanged(output.truth, output.truth_sha256);
    const TruthCheck truth = check_truth(result, read_truth(output.truth));
    if (frame.truth.is_null()) frame.truth = truth_json(truth);
    pulls = truth.pulls;
    for (const Check& check : truth.checks)
      if (!check.ok() && failure.empty()) failure = "against the truth: " + describe_failure(check);
    if (failure.empty()) failure = wrong_header(output.path, output.camera, output.reference);
    if (failure.empty())
      failure = wrong_tables(result, output.camera, reference ? &*reference : nullptr);
    return failure;
  } catch (const std::exception& error) {
    return error.what();
  }
}

// Equal bytes do not make the log of a later run right.
std::string judge_origin(const OutputFrame& output, const std::vector<RunLog::Frame>& logged) {
  try {
    return wrong_origin(output.path, output.origin, logged);
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace

std::string compare_files(const std::string& result, const std::string& expected,
                          const std::string& tolerance, Json& checks) {
  try {
    return compare(read_frame(result), read_frame(expected), tolerance, checks);
  } catch (const std::exception& error) {
    return error.what();
  }
}

// Ten times a frame of 500 fibers in float64. A file can be said to be longer than its disk is, and
// would be read for hours.
constexpr off_t most_frame_bytes = off_t{4} << 30;

std::string why_no_output(const std::string& path, const RunWindow& window) {
  struct stat about {};
  if (lstat(path.c_str(), &about) != 0) return "is missing";
  if (S_ISLNK(about.st_mode)) return "is a link";
  if (!S_ISREG(about.st_mode)) return "is no file";
  if (about.st_nlink != 1) return "is a second name of another file";
  if (about.st_size > most_frame_bytes) return "is longer than any frame";
  const auto seconds = [](const timespec& time) {
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  if (about.st_dev != window.device) return "is on another file system";
  // File systems keep times by a clock of coarse ticks.
  constexpr double tick = 0.02;
  if (seconds(about.st_mtim) < window.began_unix - tick) return "was written before the run";
  // A program can set the time of the last writing, but not that of the last change.
  if (std::max(seconds(about.st_mtim), seconds(about.st_ctim)) > window.ended_unix + tick)
    return "was changed after the run";
  return {};
}

const FrameValidation::Output* FrameValidation::first_of(std::int64_t seed) const {
  const auto found = std::find_if(outputs.begin(), outputs.end(),
                                  [&](const Output& one) { return one.seed == seed; });
  return found == outputs.end() ? nullptr : &*found;
}

int FrameValidation::identical() const {
  return static_cast<int>(std::count_if(outputs.begin(), outputs.end(), [&](const Output& one) {
    return !one.sha256.empty() && first_of(one.seed)->sha256 == one.sha256;
  }));
}

Validation::Validation(const Json& json) {
  for (const Json& one : json.at("frames")) {
    FrameValidation frame;
    frame.camera = one.at("camera");
    for (const Json& output : one.at("outputs"))
      frame.outputs.push_back({output.at("run"), output.at("seed"),
                               optional_at<std::string>(output, "sha256").value_or("")});
    frame.expected_from = optional_at<std::string>(one, "expected_from");
    frame.checks = one.at("checks");
    frame.truth = one.at("truth");
    frame.failure = optional_at<std::string>(one, "failure").value_or("");
    frames_.push_back(std::move(frame));
  }
  together_ = json.at("together");
  // A failure that is no frame's is that of all together.
  if (failure().empty()) together_failure_ = optional_at<std::string>(json, "failure").value_or("");
}

void Validation::look(int run, std::int64_t seed, const std::vector<OutputFrame>& frames,
                      const RunWindow& window, const std::string& tolerance,
                      const std::vector<RunLog::Frame>& logged) {
  if (frames_.empty())
    for (const OutputFrame& frame : frames) frames_.emplace_back().camera = frame.camera;
  std::vector<std::optional<PullStatistics>> pulls(frames.size());
  const int threads = fits_is_reentrant() != 0 ? default_threads() : 1;
  parallel_for(threads, static_cast<int>(frames.size()), [&](int, int index) {
    const std::size_t i = index;
    FrameValidation& frame = frames_[i];
    std::string failure = why_no_output(frames[i].path, window);
    std::string hash;
    if (failure.empty()) hash = hash_file(frames[i].path).value_or("");
    const FrameValidation::Output* const first = frame.first_of(seed);
    if (failure.empty() && first == nullptr)
      failure = judge(frame, frames[i], tolerance, pulls[i]);
    else if (failure.empty() && first->sha256 != hash)
      failure = fmt::format("has other bytes than run {} of the same input", first->run);
    if (failure.empty()) failure = judge_origin(frames[i], logged);
    // What was looked at is what the run left.
    if (failure.empty()) failure = why_no_output(frames[i].path, window);
    frame.outputs.push_back({run, seed, hash});
    if (!failure.empty() && frame.failure.empty())
      frame.failure = fmt::format("run {}: {}", run, failure);
  });

  std::vector<PullStatistics> known;
  for (const auto& one : pulls)
    if (one && one->bins > 0) known.push_back(*one);
  if (known.size() != frames.size()) return;
  const std::string failure = take_checks(check_together(known), together_);
  if (together_failure_.empty() && !failure.empty())
    together_failure_ = fmt::format("run {}: all frames against the truth: {}", run, failure);
}

bool Validation::pass() const {
  return !frames_.empty() && failure().empty();
}

std::string Validation::failure() const {
  if (frames_.empty()) return "no frame was validated";
  for (const FrameValidation& frame : frames_)
    if (!frame.pass()) return frame.camera + ": " + frame.failure;
  return together_failure_;
}

Json Validation::to_json() const {
  Json json;
  json["expected"] =
      "every frame of every run: a file that the run wrote, the CPU extractor's frame of the same "
      "input where expected_from names it, the simulated truth, and the bytes of an earlier run on "
      "the same input (docs/benchmark.md)";
  json["pass"] = pass();
  const std::string first = failure();
  json["failure"] = first.empty() ? Json() : Json(first);
  json["together"] = together_;
  json["frames"] = Json::array();
  for (const FrameValidation& frame : frames_) {
    Json outputs = Json::array();
    for (const FrameValidation::Output& output : frame.outputs)
      outputs.push_back({{"run", output.run},
                         {"seed", output.seed},
                         {"sha256", output.sha256.empty() ? Json() : Json(output.sha256)}});
    json["frames"].push_back({{"camera", frame.camera},
                              {"sha256", outputs.empty() ? Json() : outputs.front().at("sha256")},
                              {"runs", frame.outputs.size()},
                              {"identical", frame.identical()},
                              {"outputs", outputs},
                              {"expected_from", value_or_null(frame.expected_from)},
                              {"checks", frame.checks},
                              {"truth", frame.truth},
                              {"pass", frame.pass()},
                              {"failure", frame.failure.empty() ? Json() : Json(frame.failure)}});
  }
  return json;
}

}  // namespace spex::bench
