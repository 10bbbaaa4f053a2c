#include "bench/check/outputs.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <utility>

#include <fitsio.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include "reference/compare/check_truth.hpp"
#include "reference/compare/compare_frames.hpp"
#include "reference/compare/whole_file.hpp"
#include "reference/core/error.hpp"
#include "reference/core/parallel.hpp"
#include "reference/fits/header_cards.hpp"

namespace spex::bench {
namespace {

// Ten times a frame of 500 fibers in float64. A sparse file can claim to be larger than its disk,
// and reading it would take hours.
constexpr off_t max_frame_bytes = off_t{4} << 30;

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

// What one frame adds to that of all frames; nothing of a frame that cannot be read.
struct FrameFindings {
  std::optional<PullStatistics> pulls;
  std::optional<PatchFailures> patches;
};

std::optional<PatchFailures> patch_failures(const FrameFile& frame) {
  const auto fell_back = card_number(frame.cards, "NFALLBCK", frame.path);
  const auto failed = card_number(frame.cards, "NFAILED", frame.path);
  if (!fell_back || !failed) return std::nullopt;
  return PatchFailures{std::llround(*fell_back), std::llround(*failed)};
}

// Makes all checks of one frame; returns the first fault.
std::string check_frame(const OutputFrame& output, const std::string& tolerance,
                        const FrameOrigin& origin, FrameRecord& record, FrameFindings& findings) {
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
    findings.pulls = truth.pulls;
    for (const Check& check : truth.checks)
      if (!check.ok() && failure.empty()) failure = "against the truth: " + describe_failure(check);
    const std::string whole =
        merge_checks(compare_whole_file(result, reference ? &*reference : nullptr, output.camera),
                     record.checks);
    if (failure.empty()) failure = whole;
    if (failure.empty()) failure = wrong_origin(result, origin);
    findings.patches = patch_failures(result);
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

std::optional<PatchFailures> compare_outputs(int run, const std::vector<OutputFrame>& frames,
                                             const std::string& tolerance,
                                             const FrameOrigin& origin, ValidationRecord& found) {
  if (found.frames.empty())
    for (const OutputFrame& frame : frames) found.frames.emplace_back().camera = frame.camera;
  std::vector<FrameFindings> findings(frames.size());
  const int threads = fits_is_reentrant() != 0 ? default_threads() : 1;
  parallel_for(threads, static_cast<int>(frames.size()), [&](int, int i) {
    FrameRecord& record = found.frames[i];
    const std::string failure = check_frame(frames[i], tolerance, origin, record, findings[i]);
    ++record.compared;
    if (!failure.empty() && !record.failure)
      record.failure = fmt::format("run {}: {}", run, failure);
  });
  std::vector<PullStatistics> all_pulls;
  std::optional<PatchFailures> sum(std::in_place);
  for (const auto& [pulls, patches] : findings) {
    if (pulls && pulls->bins > 0) all_pulls.push_back(*pulls);
    if (!patches) sum.reset();
    if (!sum) continue;
    sum->fell_back += patches->fell_back;
    sum->failed += patches->failed;
  }
  if (all_pulls.size() != frames.size()) return sum;
  const std::string failure = merge_checks(check_together(all_pulls), found.together);
  if (!found.failure && !failure.empty())
    found.failure = fmt::format("run {}: all frames against the truth: {}", run, failure);
  return sum;
}

}  // namespace spex::bench
