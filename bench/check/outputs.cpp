#include "bench/check/outputs.hpp"

#include <algorithm>
#include <cmath>
#include <exception>

#include <fitsio.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include "reference/compare/check_truth.hpp"
#include "reference/compare/compare_frames.hpp"
#include "reference/compare/whole_file.hpp"
#include "reference/core/error.hpp"
#include "reference/core/parallel.hpp"
#include "reference/fits/read/fits_file.hpp"

namespace spex::bench {
namespace {

// Ten times a frame of 500 fibers in float64. A sparse file can claim to be larger than its disk,
// and reading it would take hours.
constexpr off_t max_frame_bytes = off_t{4} << 30;

// The threads that may read FITS files at the same time.
int fits_threads() {
  return fits_is_reentrant() != 0 ? default_threads() : 1;
}

std::optional<double> if_finite(double value) {
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

CheckRecord record_of(const Check& check) {
  CheckRecord record{
      check.hdu, check.what, if_finite(check.limit), if_finite(check.largest), check.compared,
      check.bad, {}};
  if (check.first_bad)
    record.first_bad = check.first_bad->hdu + " " + spex::to_string(*check.first_bad);
  return record;
}

// Merges the checks, keeping the worse of each; returns the first failure.
std::string merge_checks(const std::vector<Check>& checks, std::vector<CheckRecord>& merged) {
  std::string failure;
  for (const Check& check : checks) {
    if (!check.ok() && failure.empty()) failure = describe_failure(check);
    const CheckRecord added = record_of(check);
    const auto same = std::find_if(merged.begin(), merged.end(), [&](const CheckRecord& known) {
      return known.hdu == added.hdu && known.what == added.what;
    });
    if (same == merged.end())
      merged.push_back(added);
    else if (!check.ok() || (same->bad == 0 && same->largest && added.largest > same->largest))
      *same = added;
  }
  return failure;
}

TruthRecord record_of(const PullStatistics& pulls) {
  return {pulls.bins, if_finite(pulls.mean), if_finite(pulls.std), if_finite(pulls.half_width),
          if_finite(pulls.correlation)};
}

// Makes all checks of one frame; returns the first fault, and in `pulls` the frame's pulls.
std::string check_frame(const OutputFrame& output, const std::string& tolerance,
                        const FrameOrigin& origin, FrameRecord& record,
                        std::optional<PullStatistics>& pulls) {
  try {
    const FrameFile result = read_frame(output.path);
    std::optional<FrameFile> reference;
    if (!output.reference.empty()) reference = read_frame(output.reference);
    record.reference = reference.has_value();
    // Once compared with the definition, it stays so.
    if (reference && !output.method.empty() && record.method != "eigh")
      record.method = output.method;
    // Without a reference the frame is compared with itself, which checks its structure.
    const Comparison compared =
        compare_frames(result, reference ? *reference : result, read_tolerance(tolerance));
    std::string failure = merge_checks(compared.checks, record.checks);
    const TruthCheck truth = check_truth(result, read_truth(output.truth));
    if (!record.truth) record.truth = record_of(truth.pulls);
    pulls = truth.pulls;
    for (const Check& check : truth.checks)
      if (!check.ok() && failure.empty()) failure = "against the truth: " + describe_failure(check);
    const std::string whole =
        merge_checks(compare_whole_file(result, reference ? &*reference : nullptr, output.camera),
                     record.checks);
    if (failure.empty()) failure = whole;
    if (failure.empty()) failure = wrong_origin(output.path, origin);
    return failure;
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace

std::string output_fault(const std::string& path, const std::string& folder) {
  struct stat about {
  }, of_folder{};
  if (lstat(path.c_str(), &about) != 0) return "is missing";
  if (S_ISLNK(about.st_mode)) return "is a link";
  if (!S_ISREG(about.st_mode)) return "is not a file";
  if (about.st_nlink != 1) return "is a second name of another file";
  if (about.st_size > max_frame_bytes) return "is longer than any frame";
  if (stat(folder.c_str(), &of_folder) != 0 || about.st_dev != of_folder.st_dev)
    return "is on another file system";
  return {};
}

std::optional<double> last_change(const std::string& path) {
  struct stat about {};
  if (lstat(path.c_str(), &about) != 0) return std::nullopt;
  const auto seconds = [](const timespec& time) {
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  return std::max(seconds(about.st_mtim), seconds(about.st_ctim));
}

std::string compare_files(const std::string& result, const std::string& expected,
                          const std::string& tolerance, std::vector<CheckRecord>& checks) {
  try {
    return merge_checks(
        compare_frames(read_frame(result), read_frame(expected), read_tolerance(tolerance)).checks,
        checks);
  } catch (const std::exception& error) {
    return error.what();
  }
}

void compare_outputs(int run, const std::vector<OutputFrame>& frames, const std::string& tolerance,
                     const FrameOrigin& origin, ValidationRecord& found) {
  if (found.frames.empty())
    for (const OutputFrame& frame : frames) found.frames.emplace_back().camera = frame.camera;
  std::vector<std::optional<PullStatistics>> pulls(frames.size());
  parallel_for(fits_threads(), static_cast<int>(frames.size()), [&](int, int i) {
    FrameRecord& record = found.frames[i];
    const std::string failure = check_frame(frames[i], tolerance, origin, record, pulls[i]);
    ++record.compared;
    if (!failure.empty() && !record.failure)
      record.failure = fmt::format("run {}: {}", run, failure);
  });
  std::vector<PullStatistics> all_pulls;
  for (const auto& frame_pulls : pulls)
    if (frame_pulls && frame_pulls->bins > 0) all_pulls.push_back(*frame_pulls);
  if (all_pulls.size() != frames.size()) return;
  const std::string failure = merge_checks(check_together(all_pulls), found.together);
  if (!found.failure && !failure.empty())
    found.failure = fmt::format("run {}: all frames against the truth: {}", run, failure);
}

std::optional<PatchFailures> patch_failures(const std::vector<OutputFrame>& frames) {
  std::vector<PatchFailures> found(frames.size());
  try {
    // A .gz frame is inflated whole.
    parallel_for(fits_threads(), static_cast<int>(frames.size()), [&](int, int i) {
      const FitsReader file(frames[i].path);
      found[i] = {file.get_integer("NFALLBCK"), file.get_integer("NFAILED")};
    });
  } catch (const Error&) {
    return std::nullopt;
  }
  PatchFailures sum;
  for (const PatchFailures& one : found) {
    sum.fell_back += one.fell_back;
    sum.failed += one.failed;
  }
  return sum;
}

}  // namespace spex::bench
