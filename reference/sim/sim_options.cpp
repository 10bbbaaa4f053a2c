#include "reference/sim/sim_options.hpp"

#include <chrono>

#include <fmt/format.h>

#include "reference/core/error.hpp"
#include "reference/fits/write/gzip.hpp"

namespace spex {
namespace {

bool is_date(int night) {
  const std::chrono::year_month_day date =
      std::chrono::year(night / 10000) / (night / 100 % 100) / (night % 100);
  return night >= 19000101 && night <= 99991231 && date.ok();
}

}  // namespace

std::string to_string(IvarOf ivar) {
  return ivar == IvarOf::expected ? "expected" : "observed";
}

std::string to_string(SimFiles files) {
  switch (files) {
    case SimFiles::inputs:
      return "inputs";
    case SimFiles::truth:
      return "truth";
    case SimFiles::all:
      break;
  }
  return "all";
}

std::string to_string(Compress compress) {
  switch (compress) {
    case Compress::gz:
      return "gz";
    case Compress::fz:
      return "fz";
    case Compress::none:
      break;
  }
  return "none";
}

void check_options(const SimOptions& options) {
  constexpr int largest_expid = 99999999;
  constexpr double longest_exptime = 1e5;
  constexpr int max_threads = 4096;
  constexpr double max_shift = 5;
  constexpr double max_cosmics = 100;
  if (options.folder.empty()) throw usage_error("--output", "is empty", "a folder");
  if (options.expid < 0 || options.expid > largest_expid)
    throw usage_error("--expid", std::to_string(options.expid), "0 to 99999999");
  if (options.exposures < 1 || options.expid + options.exposures - 1 > largest_expid)
    throw usage_error("--exposures", std::to_string(options.exposures),
                      "1 or more, up to the exposure 99999999");
  if (!(options.psf_shift >= 0 && options.psf_shift <= max_shift))
    throw usage_error("--psf-shift", fmt::format("{:g}", options.psf_shift),
                      fmt::format("pixels, 0 to {:g}", max_shift));
  if (!is_date(options.night))
    throw usage_error("--night", std::to_string(options.night), "a date as YYYYMMDD");
  if (!(options.exptime > 0) || options.exptime > longest_exptime)
    throw usage_error("--exptime", fmt::format("{:g}", options.exptime),
                      fmt::format("seconds, above 0 and up to {:g}", longest_exptime));
  if (!(options.cosmics.factor >= 0 && options.cosmics.factor <= max_cosmics))
    throw usage_error("--cosmics", fmt::format("{:g}", options.cosmics.factor),
                      fmt::format("0 to {:g}", max_cosmics));
  if (!(options.cosmics.unmasked >= 0 && options.cosmics.unmasked <= 1))
    throw usage_error("--unmasked-cosmics", fmt::format("{:g}", options.cosmics.unmasked),
                      "a fraction, 0 to 1");
  if (options.compress_level < fastest_gzip_level || options.compress_level > last_gzip_level)
    throw usage_error("--compress-level", std::to_string(options.compress_level),
                      fmt::format("{} to {}", fastest_gzip_level, last_gzip_level));
  if (options.threads < 1 || options.threads > max_threads)
    throw usage_error("--threads", std::to_string(options.threads), "1 to 4096");
  if (options.psf && options.cameras.size() != 1)
    throw usage_error("--psf", fmt::format("a PSF for {} cameras", options.cameras.size()),
                      "one camera in --cameras");
  if (options.spectra && options.cameras.size() != 1)
    throw usage_error("--spectra", fmt::format("spectra for {} cameras", options.cameras.size()),
                      "one camera in --cameras");
}

}  // namespace spex
