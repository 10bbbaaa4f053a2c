#include "reference/compare/tolerance.hpp"

#include <cmath>
#include <fstream>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "reference/core/error.hpp"

namespace spex {
namespace {

constexpr const char* option = "--tolerance";

nlohmann::json read_json(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw data_error(path, "cannot be opened", "a cases.json");
  try {
    return nlohmann::json::parse(file);
  } catch (const nlohmann::json::exception& error) {
    throw data_error(path, fmt::format("is not JSON: {}", error.what()), "a cases.json");
  }
}

double read_limit(const nlohmann::json& limits, const char* key, const std::string& path,
                  const std::string& name) {
  const auto found = limits.find(key);
  if (found == limits.end() || !found->is_number() || !(found->get<double>() >= 0))
    throw data_error(path, fmt::format("case {}: tolerance has no {}", name, key),
                     "a number, 0 or more");
  return found->get<double>();
}

Tolerance read_case(const std::string& path, const std::string& name) {
  const nlohmann::json all = read_json(path);
  if (!all.is_object() || !all.contains("cases") || !all["cases"].is_object())
    throw data_error(path, "has no cases", "a cases.json");
  const nlohmann::json& cases = all["cases"];
  if (!cases.contains(name)) {
    std::vector<std::string> known;
    for (const auto& item : cases.items()) known.push_back(item.key());
    throw usage_error(option, fmt::format("{} has no case '{}'", path, name),
                      fmt::format("{}", fmt::join(known, ", ")));
  }
  const nlohmann::json limits = cases[name].value("tolerance", nlohmann::json::object());
  const auto limit = [&](const char* key) { return read_limit(limits, key, path, name); };
  Tolerance tolerance;
  tolerance.name = path + ":" + name;
  tolerance.flux_pull = limit("flux_pull");
  tolerance.ivar_rel = limit("ivar_rel");
  tolerance.resolution_abs = limit("resolution_abs");
  tolerance.chi2pix_rel = limit("chi2pix_rel");
  tolerance.pixmask_abs = limit("pixmask_abs");
  tolerance.golden = true;
  return tolerance;
}

}  // namespace

Tolerance read_tolerance(const std::string& name) {
  if (name == "production") return {name, 1e-6, 1e-6, 1e-6, 1e-4, 1e-6, false, false};
  if (name == "masked")
    return {name, 1e-6, 1e-6, 1e-6, 1e-4, 1e-6, false, false, DarkLimits{1e-4, 1e-4, 2e-5}};
  if (name == "unpadded") return {name, 5e-3, 1e-3, 1e-3, 1e-2, 1e-6, false, false};
  if (name == "identical") return {name, 0, 0, 0, 0, 0, true, false};
  const std::size_t colon = name.rfind(':');
  if (colon == std::string::npos || colon == 0)
    throw usage_error(option, "unknown tolerance '" + name + "'",
                      "production, masked, unpadded, identical or FILE.json:CASE");
  return read_case(name.substr(0, colon), name.substr(colon + 1));
}

}  // namespace spex
