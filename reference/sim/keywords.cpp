#include "reference/sim/keywords.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <iterator>
#include <string>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "reference/core/version.hpp"
#include "reference/sim/read_noise.hpp"
#include "reference/sim/targets.hpp"

namespace spex {
namespace {

constexpr double seconds_a_day = 24 * 3600;
constexpr double seconds_between_exposures = 120;
constexpr int mjd_of_1970 = 40587;

// The modified Julian date of the exposure's start: 3:00 UT of the next morning.
double mjd_of(int night) {
  const std::chrono::sys_days day{std::chrono::year(night / 10000) / (night / 100 % 100) /
                                  (night % 100)};
  return mjd_of_1970 + static_cast<double>(day.time_since_epoch().count()) + 1.125;
}

// The date in FITS format, to the second. Uses gmtime: some versions of fmt format time points in
// the local time zone, and the output must not depend on the time zone.
std::string date_text(double mjd) {
  const auto seconds = static_cast<std::time_t>(std::llround((mjd - mjd_of_1970) * seconds_a_day));
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}", fmt::gmtime(seconds));
}

std::vector<HeaderKeyword> exposure_keywords(const SimOptions& options, const Camera& camera,
                                             double mjd) {
  constexpr long long tileid = 1000;
  return {{"NIGHT", static_cast<long long>(options.night), "YYYYMMDD of the evening"},
          {"EXPID", static_cast<long long>(options.expid), "number of the exposure"},
          {"CAMERA", camera.name(), "camera"},
          {"SPECGRPH", static_cast<long long>(camera.spectrograph), "spectrograph"},
          {"DETECTOR", std::string("SIM"), "what desispec takes simulated CCDs to be"},
          {"EXPTIME", options.exptime, "s"},
          {"MJD-OBS", mjd, "modified Julian date of the start"},
          {"DATE-OBS", date_text(mjd), "the same, UTC"},
          {"TARGTRA", field_ra, "degrees, center of the field"},
          {"TARGTDEC", field_dec, "degrees, center of the field"},
          {"FLAVOR", header_flavor(options.flavor), "kind of exposure"},
          {"OBSTYPE", obstype(options.flavor), "kind of exposure"},
          {"TILEID", tileid, "number of the field"},
          {"SIMIVAR", to_string(options.ivar), "which electrons IVAR describes"},
          {"SIMCOSMI", options.cosmics.factor, "cosmic rays, times those of 900 s"},
          {"SIMUNMAS", options.cosmics.unmasked, "fraction of them that MASK misses"}};
}

// The file of the spectra, where they are not simulated.
std::vector<HeaderKeyword> spectra_keywords(const SimOptions& options) {
  if (!options.spectra) return {};
  return {{"SIMSPECT", std::filesystem::path(*options.spectra).filename().string(),
           "file of the spectra"}};
}

// The part of the CCD that each amplifier reads, in pixels counted from 1, and its read noise.
std::vector<HeaderKeyword> amplifier_keywords(int nx, int ny) {
  std::vector<HeaderKeyword> keywords;
  for (std::size_t i = 0; i < amplifiers.size(); ++i) {
    const Amplifier& amplifier = amplifiers[i];
    const CcdSection part = section_of(static_cast<int>(i), nx, ny);
    keywords.push_back({fmt::format("CCDSEC{}", amplifier.name),
                        fmt::format("[{}:{},{}:{}]", part.x0 + 1, part.x1, part.y0 + 1, part.y1),
                        "pixels of the amplifier"});
    keywords.push_back(
        {fmt::format("OBSRDN{}", amplifier.name), amplifier.noise, "electron, its read noise"});
  }
  return keywords;
}

}  // namespace

std::vector<HeaderKeyword> origin_keywords(const SimOptions& options) {
  std::vector<HeaderKeyword> keywords{{"SIMPROG", options.program, "program that simulated this"},
                                      {"SIMVERS", version(), "and its version"}};
  if (options.files != SimFiles::inputs)
    keywords.push_back({"SIMSEED", std::to_string(options.seed), "seed of the random numbers"});
  return keywords;
}

std::vector<HeaderKeyword> image_keywords(const SimOptions& options, const Camera& camera,
                                          int index, int nx, int ny) {
  const double mjd =
      mjd_of(options.night) + index * (options.exptime + seconds_between_exposures) / seconds_a_day;
  std::vector<HeaderKeyword> keywords = exposure_keywords(options, camera, mjd);
  for (auto more :
       {amplifier_keywords(nx, ny), spectra_keywords(options), origin_keywords(options)})
    std::ranges::move(more, std::back_inserter(keywords));
  return keywords;
}

}  // namespace spex
