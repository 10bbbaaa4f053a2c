// The report of a comparison, as a table for people and as JSON for programs.
#pragma once

#include <optional>
#include <string>

#include "reference/compare/check_truth.hpp"
#include "reference/compare/compare_frames.hpp"

namespace spex {

/// The results of spex-compare.
struct CompareReport {
  std::string label;                     ///< free text; may be empty
  std::string result;                    ///< path of the frame under test
  std::string expected;                  ///< path of the other frame; empty if none
  std::optional<Comparison> comparison;  ///< comparison with the other frame, if any
  std::optional<TruthCheck> truth;       ///< comparison with the truth, if any

  /// Whether all comparisons pass.
  [[nodiscard]] bool ok() const;
};

/// One line per check; the last line is "ok: ..." or "FAIL: ..." with the first bad place.
[[nodiscard]] std::string to_table(const CompareReport& report);

/// The report as JSON:
///
///    program, version   "spex-compare" and the project's version
///    label              the given label, or ""
///    ok                 whether everything passes
///    failure            the text after "FAIL: ", or null
///    result, expected   paths; expected is null if there is none
///    comparison         null without an expected frame; else
///      tolerance        name, flux_pull, ivar_rel, resolution_abs, chi2pix_rel, pixmask_abs
///      bins             expected, compared, not_expected (no ivar in the expected frame), off_ccd
///      checks           a list, below
///    truth              null without a truth; else
///      file             path
///      bins, mean, std, half_width, correlation    statistics of the pulls
///      limits           allowed deviations of these four from 0, 1, 1 and 0
///      min_bins       minimal number of bins
///      checks           a list, below
///
/// A check has hdu ("all": the file), what, limit, largest (difference of the stored values),
/// beyond_rounding (the same minus the float32 rounding allowance; compared with the limit),
/// compared, bad (counts), ok, first_bad (null, or hdu, fiber, bin, wavelength, each null if not
/// applicable) and problem (text or null). Non-finite numbers are null.
[[nodiscard]] std::string to_json(const CompareReport& report);

}  // namespace spex
