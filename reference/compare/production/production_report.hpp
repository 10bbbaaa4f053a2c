// The report of a comparison with DESI's pipeline, as a table for people and as JSON for programs.
#pragma once

#include <string>
#include <vector>

#include "reference/compare/production/compare_pair.hpp"

namespace spex {

/// The results of `spex-compare --production`.
struct ProductionReport {
  std::string label;               ///< free text; may be empty
  std::string production;          ///< the folder
  std::vector<std::string> ours;   ///< files and folders
  Tolerance tolerance;             ///< limits of two methods
  bool skip_missing = false;       ///< frames of one side alone are no failure
  std::vector<PairReport> frames;  ///< by exposure and camera

  /// Number of frames of which both files exist.
  [[nodiscard]] long long pairs() const;
  /// Whether a file could not be compared.
  [[nodiscard]] bool has_errors() const;
  /// Whether all differences are expected and, unless skipped, no frame is missing.
  [[nodiscard]] bool ok() const;
  /// Exit status: 1 if a file could not be compared, 3 if not ok, 7 if frames that are missing were
  /// skipped, else 0.
  [[nodiscard]] int status() const;
};

/// A line for each frame, a line for each kind of difference, and what may have caused those that
/// are not expected. The last line is "ok: ..." or "FAIL: ...".
[[nodiscard]] std::string to_table(const ProductionReport& report);

/// The report as JSON (results.md).
[[nodiscard]] std::string to_json(const ProductionReport& report);

}  // namespace spex
