#include "bench/submission/frame_claims.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reference/compare/check_truth.hpp"
#include "reference/compare/tolerance.hpp"

namespace spex::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr double rounding = 1e-9;

// Of each HDU that an extractor computes, a check that must be there (reference/compare), with its
// limit where that is the tolerance's.
struct NeededCheck {
  const char* hdu;
  const char* what;
  double Tolerance::*limit = nullptr;
};
constexpr std::array<NeededCheck, 7> needed{{
    {"FLUX", "flux pull", &Tolerance::flux_pull},
    {"IVAR", "ivar, relative", &Tolerance::ivar_rel},
    {"RESOLUTION", "resolution", &Tolerance::resolution_abs},
    {"CHI2PIX", "chi2pix, relative", &Tolerance::chi2pix_rel},
    {"MASK", "bins whose mask differs"},
    {"WAVELENGTH", "wavelength, Angstrom"},
    {"all", "HDUs that are not those of the reference"},
}};

std::string wrong_check(const Json& check) {
  const std::string name =
      check.at("hdu").get<std::string>() + ": " + check.at("what").get<std::string>();
  const Json& largest = check.at("largest");
  const Json& limit = check.at("limit");
  if (check.at("bad") != 0) return name + " passes with bad values";
  if (largest.is_number() && limit.is_number() && largest.get<double>() > limit.get<double>())
    return fmt::format("{} passes with {}, beyond its limit {}", name, largest.dump(),
                       limit.dump());
  return {};
}

std::string wrong_truth(const Json& truth) {
  if (truth.is_null()) return "was held to no truth";
  const auto bins = truth.at("bins").get<long long>();
  if (bins < truth_least_bins) return fmt::format("was held to the truth in {} bins", bins);
  const PullLimits limits = pull_limits(bins, bins);
  const auto beyond = [&](const char* what, double expected, double limit) {
    const Json& value = truth.at(what);
    const bool same =
        std::abs(truth.at("limits").at(what).get<double>() - limit) <= rounding * limit;
    return !same || !value.is_number() || !(std::abs(value.get<double>() - expected) <= limit);
  };
  for (const auto& [what, expected, limit] : {std::tuple{"mean", 0.0, limits.mean},
                                              {"std", 1.0, limits.std},
                                              {"half_width", 1.0, limits.half_width}})
    if (beyond(what, expected, limit))
      return fmt::format("passes against the truth with {} {}, or another limit than {:g}", what,
                         truth.at(what).dump(), limit);
  return {};
}

bool is_there(const NeededCheck& one, const Json& checks, const Tolerance& tolerance) {
  return std::any_of(checks.begin(), checks.end(), [&](const Json& check) {
    return check.at("hdu") == one.hdu && check.at("what") == one.what &&
           check.at("compared").get<double>() > 0 &&
           (one.limit == nullptr || check.at("limit") == tolerance.*one.limit);
  });
}

}  // namespace

std::vector<std::string> frame_contradictions(const Json& validation, const Case& one, int frames,
                                              const std::string& tolerance) {
  const Tolerance held_to = read_tolerance(tolerance);
  std::vector<std::string> found, cameras;
  for (const Json& frame : validation.at("frames")) {
    const auto camera = frame.at("camera").get<std::string>();
    cameras.push_back(camera);
    if (frame.at("pass") != true) continue;
    const auto add = [&](const std::string& wrong) {
      if (!wrong.empty()) found.push_back(fmt::format("{} {}", camera, wrong));
    };
    for (const Json& check : frame.at("checks")) add(wrong_check(check));
    add(wrong_truth(frame.at("truth")));
    if (frame.at("expected_from").is_null()) continue;
    for (const NeededCheck& check : needed)
      if (!is_there(check, frame.at("checks"), held_to))
        add(fmt::format("passes, and its {} was not compared within the tolerance {} ({})",
                        check.hdu, tolerance, check.what));
  }
  for (const Json& check : validation.at("together"))
    if (check.at("pass") == true)
      if (const std::string wrong = wrong_check(check); !wrong.empty()) found.push_back(wrong);
  constexpr std::size_t of_all_frames = 2;  // mean and standard deviation of all pulls
  if (validation.at("pass") == true && validation.at("together").size() != of_all_frames)
    found.emplace_back("it passes, and all frames together were not held to the truth");
  std::vector<std::string> wanted = one.camera_list();
  wanted.resize(std::min(wanted.size(), static_cast<std::size_t>(frames)));
  if (!cameras.empty() && cameras != wanted)
    found.push_back(fmt::format("its frames are of {} (expected {})", fmt::join(cameras, ","),
                                fmt::join(wanted, ",")));
  return found;
}

}  // namespace spex::bench
