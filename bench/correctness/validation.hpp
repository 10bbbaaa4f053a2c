// Whether the frames of a run are right. Outside every clock.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "bench/correctness/frame_headers.hpp"
#include "bench/measure/run_log.hpp"
#include "reference/compare/check_truth.hpp"

namespace spex::bench {

/// A frame of a run, and what it is held to.
struct OutputFrame {
  std::string camera;
  std::string path;
  std::string reference;  ///< the CPU extractor's frame of the same input; may be empty in tier ci
  std::string truth;
  std::string reference_sha256, truth_sha256;  ///< which they had when they were made
  FrameOrigin origin;
};

/// One frame of an entry, over all its runs.
struct FrameValidation {
  /// What a run left.
  struct Output {
    int run = 0;
    std::int64_t seed = 0;
    std::string sha256;  ///< empty where there is none
  };
  std::string camera;
  std::vector<Output> outputs;
  std::optional<std::string> expected_from;
  nlohmann::ordered_json checks = nlohmann::ordered_json::array();  ///< the largest of all runs
  nlohmann::ordered_json truth;                                     ///< of the first run
  std::string failure;  ///< the first; empty where there is none

  [[nodiscard]] bool pass() const { return failure.empty(); }
  /// The output of the first run on the input of that seed; null where there is none.
  [[nodiscard]] const Output* first_of(std::int64_t seed) const;
  /// Outputs with the bytes of the first run on the same input.
  [[nodiscard]] int identical() const;
};

/// When a run was, by the clock of the outputs' file system, and a little around it; and which file
/// system that is, as stat says it.
struct RunWindow {
  double began_unix = 0, ended_unix = 0;
  unsigned long device = 0;
};

/// What is known of an entry's frames.
class Validation {
 public:
  Validation() = default;
  /// As a result file has it.
  explicit Validation(const nlohmann::ordered_json& json);

  /// Looks at the outputs of one run on the inputs of `seed`, which is over. Each must be a file of
  /// its own that the run wrote, and nobody since; agree with its reference within `tolerance`, in
  /// its headers and tables, and with the truth, which both must be what they were; say how it was
  /// made as the run log (`logged`) does; its bytes must be those of an earlier run on the same
  /// input. All frames together must agree with the truth. A frame that fails once has failed.
  void look(int run, std::int64_t seed, const std::vector<OutputFrame>& frames,
            const RunWindow& window, const std::string& tolerance,
            const std::vector<RunLog::Frame>& logged);

  [[nodiscard]] const std::vector<FrameValidation>& frames() const { return frames_; }
  [[nodiscard]] bool pass() const;
  /// The first frame's that fails; empty where none does.
  [[nodiscard]] std::string failure() const;
  [[nodiscard]] nlohmann::ordered_json to_json() const;

 private:
  std::vector<FrameValidation> frames_;
  nlohmann::ordered_json together_ = nlohmann::ordered_json::array();
  std::string together_failure_;
};

/// A frame against an expected one, as `checks` of a result file; what fails first, or "".
[[nodiscard]] std::string compare_files(const std::string& result, const std::string& expected,
                                        const std::string& tolerance,
                                        nlohmann::ordered_json& checks);

/// Why a path is no output of a run: it is missing, a link, a device or a folder, has a second
/// name, is on another file system, was written before the run or changed after it; "" where it is
/// one.
[[nodiscard]] std::string why_no_output(const std::string& path, const RunWindow& window);

}  // namespace spex::bench
