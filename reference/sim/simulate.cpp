#include "reference/sim/simulate.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <utility>

#include <fitsio.h>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include "reference/core/count.hpp"
#include "reference/core/error.hpp"
#include "reference/core/parallel.hpp"
#include "reference/core/progress.hpp"
#include "reference/core/version.hpp"
#include "reference/fits/write/atomic_write.hpp"
#include "reference/io/read_psf.hpp"
#include "reference/sim/desi_psf.hpp"
#include "reference/sim/expected_image.hpp"
#include "reference/sim/random.hpp"
#include "reference/sim/read_noise.hpp"
#include "reference/sim/write_files.hpp"

namespace spex {
namespace {

namespace fs = std::filesystem;

constexpr double seconds_a_day = 24 * 3600;
constexpr double seconds_between_exposures = 120;
// Maximal number of frames simulated at once; each takes 0.7 GB.
constexpr int most_side_by_side = 4;

std::chrono::year_month_day date_of(int night) {
  return std::chrono::year(night / 10000) / (night / 100 % 100) / (night % 100);
}

constexpr int mjd_of_1970 = 40587;

// The modified Julian date of the exposure's start: 3:00 UT of the next morning.
double mjd_of(int night) {
  const std::chrono::sys_days day{date_of(night)};
  return mjd_of_1970 + static_cast<double>(day.time_since_epoch().count()) + 1.125;
}

// The date in FITS format, to the second. Uses gmtime: some versions of fmt format time points in
// the local time zone, and the output must not depend on the time zone.
std::string date_text(double mjd) {
  const auto seconds = static_cast<std::time_t>(std::llround((mjd - mjd_of_1970) * seconds_a_day));
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}", fmt::gmtime(seconds));
}

// Keywords that identify the simulation.
std::vector<HeaderKeyword> origin_keywords(const SimOptions& options) {
  std::vector<HeaderKeyword> keywords{{"SIMPROG", options.program, "program that simulated this"},
                                      {"SIMVERS", version(), "and its version"}};
  if (options.files != SimFiles::inputs)
    keywords.push_back({"SIMSEED", std::to_string(options.seed), "seed of the random numbers"});
  return keywords;
}

std::vector<HeaderKeyword> exposure_keywords(const SimOptions& options, const Camera& camera,
                                             double mjd) {
  constexpr long long tileid = 1000;
  std::vector<HeaderKeyword> keywords{
      {"NIGHT", static_cast<long long>(options.night), "YYYYMMDD of the evening"},
      {"EXPID", static_cast<long long>(options.expid), "number of the exposure"},
      {"CAMERA", camera.name(), "camera"},
      {"SPECGRPH", static_cast<long long>(camera.spectrograph), "spectrograph"},
      {"DETECTOR", std::string("SIM"), "what desispec takes simulated CCDs to be"},
      {"EXPTIME", options.exptime, "s"},
      {"MJD-OBS", mjd, "modified Julian date of the start"},
      {"DATE-OBS", date_text(mjd), "the same, UTC"},
      {"TARGTRA", field_ra, "degrees, centre of the field"},
      {"TARGTDEC", field_dec, "degrees, centre of the field"},
      {"FLAVOR", header_flavor(options.flavor), "kind of exposure"},
      {"OBSTYPE", obstype(options.flavor), "kind of exposure"},
      {"TILEID", tileid, "number of the field"},
      {"SIMIVAR", to_string(options.ivar), "electrons that IVAR is of"}};
  for (HeaderKeyword& keyword : origin_keywords(options)) keywords.push_back(std::move(keyword));
  return keywords;
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

std::string preproc_name(const SimOptions& options, const Camera& camera) {
  const std::string ending =
      options.compress == Compress::none ? "" : "." + to_string(options.compress);
  return file_name(options, "preproc", camera) + ending;
}

void make_folder(const std::string& folder) {
  std::error_code code;
  if (fs::is_directory(folder, code)) return;
  if (fs::exists(folder, code)) throw data_error(folder, "is a file", "a folder");
  if (!fs::create_directory(folder, code))
    throw data_error(folder, "cannot be created: " + code.message(),
                     "a folder whose parent exists");
}

// The options of exposure number `index` alone.
SimOptions exposure_of(const SimOptions& options, int index) {
  SimOptions one = options;
  one.expid += index;
  one.exposures = 1;
  return one;
}

void check_outputs(const SimOptions& options) {
  for (const Camera& camera : options.cameras)
    for (const std::string& name :
         {file_name(options, "psf", camera), file_name(options, "truth", camera),
          preproc_name(options, camera)}) {
      check_writable(name);
      std::error_code ignored;
      if (options.psf && fs::equivalent(name, *options.psf, ignored))
        throw usage_error(name, "would overwrite an input", "another folder or --expid");
    }
}

Psf psf_from_file(const std::string& path, const Camera& camera) {
  Psf psf = read_psf(path);
  psf.in_psf = fs::path(path).filename().string();
  psf.fibermin = camera.fibermin();
  return psf;
}

// Shifts the spots of an exposure, by as much as DESI shifts the PSF for each exposure.
void shift_spots(Psf& psf, const SimOptions& options, const Camera& camera) {
  Random random(Stream::shift,
                {options.seed, key_of(camera.name()), static_cast<std::uint64_t>(options.expid)});
  for (Trace* trace : {&psf.xtrace, &psf.ytrace}) {
    const double shift = random.uniform(-options.psf_shift, options.psf_shift);
    for (int s = 0; s < psf.nfiber; ++s) trace->coeff[count_of(s, trace->ncoeff)] += shift;
  }
}

void write_frame_files(const SimOptions& options, const Camera& camera, const SimFrame& frame,
                       double mjd) {
  const std::vector<HeaderKeyword> origin = origin_keywords(options);
  if (options.files != SimFiles::inputs)
    write_truth(file_name(options, "truth", camera), frame.truth, frame.cosmics, origin);
  if (options.files == SimFiles::truth) return;
  write_psf(file_name(options, "psf", camera), frame.psf, camera.name(), origin);
  std::vector<HeaderKeyword> keywords = exposure_keywords(options, camera, mjd);
  for (HeaderKeyword& keyword : amplifier_keywords(frame.ccd.nx, frame.ccd.ny))
    keywords.push_back(std::move(keyword));
  write_preproc(preproc_name(options, camera), frame.ccd, frame.targets, keywords, options.flavor,
                {options.compress_level, options.threads});
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
  constexpr int most_threads = 4096;
  constexpr double most_shift = 5;
  constexpr double most_cosmics = 100;
  if (options.folder.empty()) throw usage_error("--output", "is empty", "a folder");
  if (options.expid < 0 || options.expid > largest_expid)
    throw usage_error("--expid", std::to_string(options.expid), "0 to 99999999");
  if (options.exposures < 1 || options.expid + options.exposures - 1 > largest_expid)
    throw usage_error("--exposures", std::to_string(options.exposures),
                      "1 or more, up to the exposure 99999999");
  if (!(options.psf_shift >= 0 && options.psf_shift <= most_shift))
    throw usage_error("--psf-shift", fmt::format("{:g}", options.psf_shift),
                      fmt::format("pixels, 0 to {:g}", most_shift));
  if (options.night < 19000101 || options.night > 99991231 || !date_of(options.night).ok())
    throw usage_error("--night", std::to_string(options.night), "a date as YYYYMMDD");
  if (!(options.exptime > 0) || options.exptime > longest_exptime)
    throw usage_error("--exptime", fmt::format("{:g}", options.exptime),
                      fmt::format("seconds, above 0 and up to {:g}", longest_exptime));
  if (!(options.cosmics.factor >= 0 && options.cosmics.factor <= most_cosmics))
    throw usage_error("--cosmics", fmt::format("{:g}", options.cosmics.factor),
                      fmt::format("0 to {:g}", most_cosmics));
  if (!(options.cosmics.unmasked >= 0 && options.cosmics.unmasked <= 1))
    throw usage_error("--unmasked-cosmics", fmt::format("{:g}", options.cosmics.unmasked),
                      "a fraction, 0 to 1");
  if (options.compress_level < fastest_gzip_level || options.compress_level > last_gzip_level)
    throw usage_error("--compress-level", std::to_string(options.compress_level),
                      fmt::format("{} to {}", fastest_gzip_level, last_gzip_level));
  if (options.threads < 1 || options.threads > most_threads)
    throw usage_error("--threads", std::to_string(options.threads), "1 to 4096");
  if (options.psf && options.cameras.size() != 1)
    throw usage_error("--psf", fmt::format("a PSF for {} cameras", options.cameras.size()),
                      "one camera in --cameras");
}

SimFrame simulate_camera(const SimOptions& options, const Camera& camera, const Psf& psf,
                         const std::string& psf_name) {
  const WaveRange grid = default_wave_range(camera.name(), psf_name);
  SimFrame frame;
  frame.psf = cut_psf(psf, options.size, grid, psf_name);
  if (options.psf_shift > 0) shift_spots(frame.psf, options, camera);
  frame.truth = make_truth_grid(frame.psf, grid, options.on_grid, psf_name);
  frame.targets = make_targets(options.seed, camera.fibermin(), frame.psf.nfiber);
  if (options.flavor == Flavor::sky)
    for (Target& target : frame.targets) target.kind = TargetKind::sky;
  fill_spectra(frame.truth, camera, frame.targets, options.seed, options.exptime, options.threads,
               options.flavor);
  const ExposureKey key{options.seed, static_cast<std::uint64_t>(options.expid), camera};
  const int nx = frame.psf.npix_x, ny = frame.psf.npix_y;
  frame.cosmics = make_cosmics(nx, ny, key, options.cosmics);
  if (options.files == SimFiles::truth) return frame;
  const std::vector<double> expected = expected_image(frame.psf, frame.truth, options.threads);
  frame.ccd = expose(expected, nx, ny, key, frame.cosmics, options.ivar, options.threads);
  return frame;
}

std::string file_name(const SimOptions& options, const std::string& kind, const Camera& camera) {
  const std::string name = fmt::format("{}-{}-{:08d}.fits", kind, camera.name(), options.expid);
  return (fs::path(options.folder) / name).string();
}

void simulate(const SimOptions& options) {
  check_options(options);
  std::optional<Psf> given;
  if (options.psf) given = psf_from_file(*options.psf, options.cameras.front());
  make_folder(options.folder);
  for (int index = 0; index < options.exposures; ++index)
    check_outputs(exposure_of(options, index));
  Progress progress("simulate", "frames",
                    static_cast<long>(options.cameras.size()) * options.exposures,
                    options.show_progress);
  // Simulate several frames at once, because writing a file is single-threaded.
  const int frames = static_cast<int>(options.cameras.size()) * options.exposures;
  const int most = fits_is_reentrant() == 0 ? 1 : std::min(options.threads, most_side_by_side);
  const int side_by_side = threads_used(most, frames);
  parallel_for(side_by_side, frames, [&](int /*thread*/, int k) {
    const Camera& camera = options.cameras[k / options.exposures];
    const int index = k % options.exposures;
    const Psf psf = given ? *given : make_desi_psf(camera);
    SimOptions one = exposure_of(options, index);
    one.threads = options.threads / side_by_side;
    const SimFrame frame =
        simulate_camera(one, camera, psf, options.psf.value_or("PSF of " + camera.name()));
    const double mjd = mjd_of(options.night) +
                       index * (options.exptime + seconds_between_exposures) / seconds_a_day;
    write_frame_files(one, camera, frame, mjd);
    progress.advance();
  });
}

}  // namespace spex
