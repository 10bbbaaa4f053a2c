// The frames that a run leaves.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/result/record.hpp"
#include "reference/compare/frame_headers.hpp"

namespace spex::bench {

/// Why a path is no output of a run: it is missing, a link, a device or a folder, has a second
/// name, is on another file system than `folder`, or longer than any frame; "" where it is one.
[[nodiscard]] std::string why_no_output(const std::string& path, const std::string& folder);

/// When a file was last changed, written or renamed, by its file system's clock; nothing where the
/// file is missing.
[[nodiscard]] std::optional<double> last_change(const std::string& path);

/// A frame of a run, and what it is compared with.
struct OutputFrame {
  std::string camera;
  std::string path;
  std::string reference;  ///< the CPU extractor's frame of the same input; may be empty in tier ci
  std::string truth;
};

/// Compares the frames of run `run`: each with its reference within `tolerance`, in its headers and
/// tables, and with the truth; all together with the truth. It must say how it was made (`origin`).
/// Adds what is found to `found`. A frame that fails once has failed.
void compare_outputs(int run, const std::vector<OutputFrame>& frames, const std::string& tolerance,
                     const FrameOrigin& origin, ValidationRecord& found);

/// A frame against an expected one; adds the checks. What fails first, or "".
[[nodiscard]] std::string compare_files(const std::string& result, const std::string& expected,
                                        const std::string& tolerance,
                                        std::vector<CheckRecord>& checks);

/// Patches of frames that fell back to eigh, and that could not be solved, by their headers.
struct PatchFailures {
  std::int64_t fell_back = 0, failed = 0;
};
/// The sum over `frames`; nothing where one cannot be read, or has no such keyword.
[[nodiscard]] std::optional<PatchFailures> patch_failures(const std::vector<OutputFrame>& frames);

}  // namespace spex::bench
