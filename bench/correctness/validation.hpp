// Whether the frames of a run are right. Outside every clock.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "bench/correctness/dataset.hpp"

namespace spex::bench {

/// What frames are held to: for each camera a frame and who made it.
struct ExpectedFrame {
  std::string path;
  std::string from;  ///< "spex-cpu", or the entry that was the first to make it and passed
};
using ExpectedFrames = std::map<std::string, ExpectedFrame>;

/// One frame of an entry, over all its runs.
struct FrameValidation {
  std::string camera;
  std::string sha256;  ///< of the first run's output; empty where there is none
  int runs = 0;
  int identical = 0;  ///< of the runs, those whose output has this hash
  std::optional<std::string> expected_from;
  nlohmann::ordered_json checks = nlohmann::ordered_json::array();
  nlohmann::ordered_json truth;  ///< null where none could be asked for
  std::string failure;           ///< the first; empty where there is none

  [[nodiscard]] bool pass() const { return failure.empty(); }
};

/// What is known of an entry's frames.
class Validation {
 public:
  Validation() = default;
  /// As a result file has it.
  explicit Validation(const nlohmann::ordered_json& json);

  /// Looks at the outputs of one run, which is over: all of `frames`, in `outputs`. The first run's
  /// are compared with `expected` (with themselves where it has none: the rules of a frame's
  /// structure) within `tolerance`, and with the truth where `with_truth`; later ones must have the
  /// same bytes. A frame that fails once has failed.
  void look(const std::vector<InputFrame>& frames, const std::string& outputs,
            const ExpectedFrames& expected, const std::string& tolerance, bool with_truth);

  [[nodiscard]] const std::vector<FrameValidation>& frames() const { return frames_; }
  [[nodiscard]] bool pass() const;
  /// The first frame's that fails; empty where none does.
  [[nodiscard]] std::string failure() const;
  [[nodiscard]] nlohmann::ordered_json to_json() const;

 private:
  std::vector<FrameValidation> frames_;
};

/// A frame against an expected one, as `checks` of a result file; what fails first, or "".
[[nodiscard]] std::string compare_files(const std::string& result, const std::string& expected,
                                        const std::string& tolerance,
                                        nlohmann::ordered_json& checks);

}  // namespace spex::bench
