// What a comparison found, as a table for people and as JSON for programs.
#pragma once

#include <optional>
#include <string>

#include "reference/compare/check_truth.hpp"
#include "reference/compare/compare_frames.hpp"

namespace spex {

/// What spex-compare has to say.
struct CompareReport {
  std::string label;                     ///< free text; may be empty
  std::string result;                    ///< path of the frame under test
  std::string expected;                  ///< path of the other frame; empty where there is none
  std::optional<Comparison> comparison;  ///< with the other frame, where there is one
  std::optional<TruthCheck> truth;       ///< with the truth, where there is one

  /// Whether all that was compared passes.
  [[nodiscard]] bool ok() const;
};

/// A line a check; the last line is "ok: ..." or "FAIL: ..." with the first bad place.
[[nodiscard]] std::string to_table(const CompareReport& report);

/// The report as JSON:
///
///     program, version   "spex-compare" and the project's version
///     label              the label given, or ""
///     ok                 whether everything passes
///     failure            the text after "FAIL: ", or null
///     result, expected   paths; expected is null without one
///     comparison         null without an expected frame; else
///       tolerance        name, flux_pull, ivar_rel, resolution_abs, chi2pix_rel, pixmask_abs
///       bins             expected, compared, not_expected (no ivar in the expected frame), off_ccd
///       checks           a list, below
///     truth              null without a truth; else
///       file             path
///       bins, mean, std, half_width, correlation    of the pulls
///       limits           how far these four may be from 0, 1, 1 and 0
///       least_bins       how many bins there must be
///       checks           a list, below
///
/// A check is hdu ("all": the file), what, limit, largest (of the values in the files),
/// beyond_rounding (the same less what storing as float32 explains; this is held to the limit),
/// compared, bad (how many), ok, first_bad (null, or hdu, fiber, bin, wavelength; each null where
/// it has no meaning) and problem (words, or null). Numbers that are not finite are null.
[[nodiscard]] std::string to_json(const CompareReport& report);

}  // namespace spex
