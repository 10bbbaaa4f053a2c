#include <cmath>
#include <cstdint>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "reference/compare/production/production_report.hpp"
#include "reference/core/version.hpp"

namespace spex {
namespace {

using json = nlohmann::ordered_json;

template <class T>
json or_null(const std::optional<T>& value) {
  return value ? json(*value) : json(nullptr);
}

json text_or_null(const std::string& text) {
  return text.empty() ? json(nullptr) : json(text);
}

json place_json(const std::optional<Place>& place) {
  if (!place) return nullptr;
  return {{"hdu", place->hdu},
          {"fiber", or_null(place->fiber)},
          {"bin", or_null(place->bin)},
          {"wavelength", or_null(place->wavelength)}};
}

json difference_json(const Difference& one) {
  return {{"hdu", one.hdu},
          {"what", one.what},
          {"expected", one.expected()},
          {"reason", one.expected() ? json(name_of(one.reason)) : json(nullptr)},
          {"count", one.count},
          {"limit", one.limit},
          {"largest", one.largest},
          {"fibers", text_or_null(ranges(one.fibers))},
          {"first", place_json(one.first)},
          {"note", text_or_null(one.note)}};
}

// Three digits are enough for a figure.
json rounded(const std::vector<double>& values) {
  json list = json::array();
  for (const double value : values) list.push_back(std::stod(fmt::format("{:.2e}", value)));
  return list;
}

json spectra_json(const std::optional<SpectraComparison>& spectra) {
  if (!spectra) return nullptr;
  json agreements = json::array();
  for (const Agreement& one : spectra->agreements)
    agreements.push_back({{"what", one.what},
                          {"limit", one.limit},
                          {"compared", one.compared},
                          {"equal", one.equal},
                          {"rms", one.rms},
                          {"largest", one.largest},
                          {"histogram", one.histogram}});
  return {{"bins", spectra->bins},
          {"compared", spectra->compared},
          {"agreements", agreements},
          {"steps", spectra->steps},
          {"worst_pulls", rounded(spectra->worst_pulls)}};
}

json frame_json(const PairReport& frame) {
  json differences = json::array();
  for (const Difference& one : frame.differences) differences.push_back(difference_json(one));
  return {{"camera", frame.files.camera},
          {"expid", frame.files.expid},
          {"ours", text_or_null(frame.files.ours)},
          {"production", text_or_null(frame.files.production)},
          {"ok", frame.ok()},
          {"error", text_or_null(frame.error)},
          {"extractor", text_or_null(frame.extractor)},
          {"desispec", text_or_null(frame.desispec)},
          {"psf", text_or_null(frame.psf)},
          {"spectra", spectra_json(frame.spectra)},
          {"differences", differences},
          {"looks_like", frame.looks_like}};
}

}  // namespace

std::string to_json(const ProductionReport& report) {
  json reasons = json::object();
  for (const Reason reason : all_reasons())
    if (reason != Reason::none) reasons[name_of(reason)] = sentence_of(reason);
  json frames = json::array();
  for (const PairReport& frame : report.frames) frames.push_back(frame_json(frame));
  const Tolerance& limits = report.tolerance;
  const json all = {
      {"program", "spex-compare"},
      {"version", version()},
      {"label", report.label},
      {"ok", report.ok()},
      {"production", report.production},
      {"ours", report.ours},
      {"tolerance",
       {{"name", limits.name},
        {"flux_pull", limits.flux_pull},
        {"ivar_rel", limits.ivar_rel},
        {"resolution_abs", limits.resolution_abs},
        {"chi2pix_rel", limits.chi2pix_rel}}},
      {"histogram",
       {{"first", Agreement::histogram_min}, {"bins_a_decade", Agreement::bins_a_decade}}},
      {"reasons", reasons},
      {"frames", frames}};
  // JSON is UTF-8, but a path may contain any bytes.
  return all.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace spex
