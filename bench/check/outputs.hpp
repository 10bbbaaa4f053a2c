// Checks the frames that a run wrote.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/result/record.hpp"
#include "reference/compare/frame_headers.hpp"

namespace spex::bench {

/// Why a path is not a valid output: it is missing, a link, a device or a folder, has a second
/// name, is on another file system than `folder`, or is larger than any frame; "" if it is valid.
[[nodiscard]] std::string output_fault(const std::string& path, const std::string& folder);

/// Time when a file was last written or renamed, by its file system's clock, in seconds since 1970;
/// nothing if the file is missing.
[[nodiscard]] std::optional<double> last_change(const std::string& path);

/// A frame of a run, and the files that it is compared with.
struct OutputFrame {
  std::string camera;
  std::string path;
  std::string reference;  ///< the CPU extractor's frame of the same input; may be empty in tier ci
  std::string truth;
  std::string method;  ///< of the reference
};

/// Patches that fell back to eigh, and patches that could not be solved, from the frame headers.
struct PatchFailures {
  std::int64_t fell_back = 0, failed = 0;
};

/// Compares the frames of run `run`. Each frame is compared with its reference within `tolerance`,
/// with its headers and tables, with the truth, and with `origin`, how it should have been made;
/// all frames together are compared with the truth. Adds the results to `found`. A frame that fails
/// once stays failed. Returns the patches of all frames that fell back or failed; nothing if a
/// frame cannot be read or does not state them.
[[nodiscard]] std::optional<PatchFailures> compare_outputs(int run,
                                                           const std::vector<OutputFrame>& frames,
                                                           const std::string& tolerance,
                                                           const FrameOrigin& origin,
                                                           ValidationRecord& found);

/// Compares a frame with an expected one, and adds the checks. Returns the first failure, or "".
[[nodiscard]] std::string compare_files(const std::string& result, const std::string& expected,
                                        const std::string& tolerance,
                                        std::vector<CheckRecord>& checks);

}  // namespace spex::bench
