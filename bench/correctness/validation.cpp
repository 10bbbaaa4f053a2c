#include "bench/correctness/validation.hpp"

#include <algorithm>
#include <cmath>
#include <exception>

#include <fitsio.h>
#include <fmt/format.h>

#include "bench/correctness/file_hash.hpp"
#include "reference/compare/check_truth.hpp"
#include "reference/compare/compare_frames.hpp"
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

// Adds the checks; the first failure.
std::string take_checks(const std::vector<Check>& checks, Json& json) {
  std::string failure;
  for (const Check& check : checks) {
    json.push_back(check_json(check));
    if (!check.ok() && failure.empty()) failure = describe_failure(check);
  }
  return failure;
}

std::string compare(const FrameFile& result, const FrameFile& expected,
                    const std::string& tolerance, Json& checks) {
  return take_checks(compare_frames(result, expected, read_tolerance(tolerance)).checks, checks);
}

std::string hold_to_truth(const FrameFile& frame, const std::string& path, Json& json) {
  const TruthCheck truth = check_truth(frame, read_truth(path));
  json = {{"bins", truth.pulls.bins},
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
  for (const Check& check : truth.checks)
    if (!check.ok()) return "against the truth: " + describe_failure(check);
  return {};
}

// The whole look at one frame; what is wrong with it.
std::string judge(FrameValidation& frame, const std::string& output, const ExpectedFrame* expected,
                  const std::string& tolerance, const std::string& truth) {
  try {
    const FrameFile result = read_frame(output);
    std::string failure;
    if (expected != nullptr) {
      frame.expected_from = expected->from;
      failure = compare(result, read_frame(expected->path), tolerance, frame.checks);
    } else {
      failure = compare(result, result, tolerance, frame.checks);
    }
    if (failure.empty() && !truth.empty()) failure = hold_to_truth(result, truth, frame.truth);
    return failure;
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

Validation::Validation(const Json& json) {
  for (const Json& one : json.at("frames")) {
    FrameValidation frame;
    frame.camera = one.at("camera");
    if (!one.at("sha256").is_null()) frame.sha256 = one.at("sha256");
    frame.runs = one.at("runs");
    frame.identical = one.at("identical");
    if (!one.at("expected_from").is_null())
      frame.expected_from = one.at("expected_from").get<std::string>();
    frame.checks = one.at("checks");
    frame.truth = one.at("truth");
    if (!one.at("failure").is_null()) frame.failure = one.at("failure");
    frames_.push_back(std::move(frame));
  }
}

void Validation::look(const std::vector<InputFrame>& frames, const std::string& outputs,
                      const ExpectedFrames& expected, const std::string& tolerance,
                      bool with_truth) {
  const bool first = frames_.empty();
  std::vector<std::string> paths;
  for (const InputFrame& frame : frames) {
    paths.push_back(output_of(outputs, frame.camera));
    if (first) frames_.emplace_back().camera = frame.camera;
  }
  const std::vector<std::optional<std::string>> hashes = hash_files(paths);
  const int threads = fits_is_reentrant() != 0 ? default_threads() : 1;
  parallel_for(threads, static_cast<int>(frames.size()), [&](int, int index) {
    const auto i = static_cast<std::size_t>(index);
    FrameValidation& frame = frames_[i];
    ++frame.runs;
    if (first) {
      frame.sha256 = hashes[i].value_or("");
      const auto found = expected.find(frame.camera);
      frame.failure = judge(frame, paths[i], found == expected.end() ? nullptr : &found->second,
                            tolerance, with_truth ? frames[i].truth : "");
    }
    const bool same = hashes[i] && *hashes[i] == frame.sha256;
    if (same) ++frame.identical;
    if (!same && frame.failure.empty())
      frame.failure = !hashes[i] ? fmt::format("run {} has no output", frame.runs)
                                 : fmt::format("run {} has other bytes than the first", frame.runs);
  });
}

bool Validation::pass() const {
  return !frames_.empty() && std::all_of(frames_.begin(), frames_.end(),
                                         [](const FrameValidation& f) { return f.pass(); });
}

std::string Validation::failure() const {
  if (frames_.empty()) return "no frame was validated";
  for (const FrameValidation& frame : frames_)
    if (!frame.pass()) return frame.camera + ": " + frame.failure;
  return {};
}

Json Validation::to_json() const {
  Json json;
  json["expected"] =
      "the first run's frames: their structure, the expected frame where expected_from names one "
      "(docs/results.md), the simulated truth where truth is not null; every further run: the same "
      "bytes";
  json["pass"] = pass();
  const std::string first = failure();
  json["failure"] = first.empty() ? Json() : Json(first);
  json["frames"] = Json::array();
  for (const FrameValidation& frame : frames_)
    json["frames"].push_back(
        {{"camera", frame.camera},
         {"sha256", frame.sha256.empty() ? Json() : Json(frame.sha256)},
         {"runs", frame.runs},
         {"identical", frame.identical},
         {"expected_from", frame.expected_from ? Json(*frame.expected_from) : Json()},
         {"checks", frame.checks},
         {"truth", frame.truth},
         {"pass", frame.pass()},
         {"failure", frame.failure.empty() ? Json() : Json(frame.failure)}});
  return json;
}

}  // namespace spex::bench
