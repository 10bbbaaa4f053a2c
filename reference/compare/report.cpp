#include "reference/compare/report.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "reference/core/version.hpp"

namespace spex {
namespace {

using json = nlohmann::ordered_json;

const Check* first_failure(const CompareReport& report) {
  if (report.comparison)
    for (const Check& check : report.comparison->checks)
      if (!check.ok()) return &check;
  if (report.truth)
    for (const Check& check : report.truth->checks)
      if (!check.ok()) return &check;
  return nullptr;
}

std::string line(const Check& check) {
  std::string verdict = check.ok() ? "ok" : "FAIL";
  if (check.ok() && check.largest > check.limit) verdict = "ok (float32)";
  if (!check.ok() && check.first_bad) {
    const std::string where = to_string(*check.first_bad);
    verdict += fmt::format(" {} of {}: {}{}{}", check.bad, check.compared, check.first_bad->hdu,
                           where.empty() ? "" : ", ", where);
  }
  return fmt::format("{:<17}{:<31}{:>10.3g}{:>10.3g}  {}\n", check.hdu, check.what, check.largest,
                     check.limit, verdict);
}

std::string line(const FluxSolvers& solvers) {
  std::string text =
      fmt::format("FLUXSOLV: '{}', expected '{}': the flux of patches is off near their edges",
                  solvers.result, solvers.expected);
  if (solvers.nwavestep > 0)
    text +=
        fmt::format(", every {} bins; rms pull {:.2g} in the bins beside them, {:.2g} elsewhere",
                    solvers.nwavestep, solvers.at_edges, solvers.elsewhere);
  return text + "\n";
}

json solvers_json(const std::optional<FluxSolvers>& solvers) {
  if (!solvers) return nullptr;
  return {{"result", solvers->result},
          {"expected", solvers->expected},
          {"nwavestep", solvers->nwavestep},
          {"rms_pull_at_edges", solvers->at_edges},
          {"rms_pull_elsewhere", solvers->elsewhere}};
}

template <class T>
json or_null(const std::optional<T>& value) {
  return value ? json(*value) : json(nullptr);
}

json text_or_null(const std::string& text) {
  return text.empty() ? json(nullptr) : json(text);
}

json checks_json(const std::vector<Check>& checks) {
  json list = json::array();
  for (const Check& check : checks) {
    json place = nullptr;
    if (check.first_bad)
      place = {{"hdu", check.first_bad->hdu},
               {"fiber", or_null(check.first_bad->fiber)},
               {"bin", or_null(check.first_bad->bin)},
               {"wavelength", or_null(check.first_bad->wavelength)}};
    list.push_back({{"hdu", check.hdu},
                    {"what", check.what},
                    {"limit", check.limit},
                    {"largest", check.largest},
                    {"beyond_rounding", check.beyond_rounding},
                    {"compared", check.compared},
                    {"bad", check.bad},
                    {"ok", check.ok()},
                    {"first_bad", place},
                    {"problem", text_or_null(check.problem)}});
  }
  return list;
}

json comparison_json(const Comparison& comparison) {
  const Tolerance& tolerance = comparison.tolerance;
  return {{"tolerance",
           {{"name", tolerance.name},
            {"flux_pull", tolerance.flux_pull},
            {"ivar_rel", tolerance.ivar_rel},
            {"resolution_abs", tolerance.resolution_abs},
            {"chi2pix_rel", tolerance.chi2pix_rel},
            {"pixmask_abs", tolerance.pixmask_abs}}},
          {"bins",
           {{"expected", comparison.bins},
            {"compared", comparison.compared},
            {"not_expected", comparison.not_expected},
            {"off_ccd", comparison.off_ccd}}},
          {"flux_solvers", solvers_json(comparison.solvers)},
          {"checks", checks_json(comparison.checks)}};
}

json truth_json(const TruthCheck& truth) {
  return {{"file", truth.path},
          {"bins", truth.pulls.bins},
          {"mean", truth.pulls.mean},
          {"std", truth.pulls.std},
          {"half_width", truth.pulls.half_width},
          {"correlation", truth.pulls.correlation},
          {"limits",
           {{"mean", truth.limits.mean},
            {"std", truth.limits.std},
            {"half_width", truth.limits.half_width},
            {"correlation", truth.limits.correlation}}},
          {"min_bins", truth_min_bins},
          {"checks", checks_json(truth.checks)}};
}

}  // namespace

bool CompareReport::ok() const {
  return first_failure(*this) == nullptr;
}

std::string to_table(const CompareReport& report) {
  std::string text = report.label.empty() ? "" : report.label + "\n";
  text += fmt::format("{:<17}{:<31}{:>10}{:>10}\n", "HDU", "what", "largest", "limit");
  std::string counts;
  if (report.comparison) {
    const Comparison& comparison = *report.comparison;
    for (const Check& check : comparison.checks) text += line(check);
    if (comparison.solvers) text += line(*comparison.solvers);
    counts = fmt::format("{} of {} bins compared ({})", comparison.compared, comparison.bins,
                         comparison.tolerance.name);
    if (comparison.not_expected > 0)
      counts += fmt::format(", {} have no expected ivar", comparison.not_expected);
    if (comparison.off_ccd > 0) counts += fmt::format(", {} are off the CCD", comparison.off_ccd);
  }
  if (report.truth) {
    const PullStatistics& pulls = report.truth->pulls;
    for (const Check& check : report.truth->checks) text += line(check);
    counts += fmt::format(
        "{}pulls of {} bins against the truth: mean {:.4f}, std {:.4f}, 68% "
        "half-width {:.4f}, correlation {:.4f}",
        counts.empty() ? "" : "; ", pulls.bins, pulls.mean, pulls.std, pulls.half_width,
        pulls.correlation);
  }
  const Check* failure = first_failure(report);
  if (failure != nullptr) return text + counts + "\nFAIL: " + describe_failure(*failure) + "\n";
  return text + "ok: " + counts + "\n";
}

std::string to_json(const CompareReport& report) {
  const Check* failure = first_failure(report);
  const json all = {
      {"program", "spex-compare"},
      {"version", version()},
      {"label", report.label},
      {"ok", report.ok()},
      {"failure", failure == nullptr ? json(nullptr) : json(describe_failure(*failure))},
      {"result", report.result},
      {"expected", text_or_null(report.expected)},
      {"comparison", report.comparison ? comparison_json(*report.comparison) : json(nullptr)},
      {"truth", report.truth ? truth_json(*report.truth) : json(nullptr)}};
  // JSON is UTF-8, but a path may contain any bytes.
  return all.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace spex
