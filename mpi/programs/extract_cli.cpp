#include "mpi/programs/extract_cli.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "reference/cli/program.hpp"
#include "reference/core/choose.hpp"
#include "reference/core/error.hpp"
#include "reference/fits/same_file.hpp"
#include "reference/fits/write/gzip.hpp"

namespace spex {
namespace {

template <class Choice>
std::string names(const std::vector<Choice>& choices) {
  std::string text;
  for (const Choice choice : choices) text += (text.empty() ? "" : ", ") + to_string(choice);
  return text;
}

std::string method_help(Device device) {
  return device == Device::gpu ? "Linear algebra: eigh or cholesky; default: the milestone's"
                               : "Linear algebra: eigh or cholesky; default: eigh";
}

std::string subbundles_help(Device device) {
  return device == Device::gpu ? "Subbundles in a bundle"
                               : "Subbundles in a bundle; milestone scalar: 1 by default";
}

// Sets the milestone and the method. If only the method is given, takes the first milestone with
// that method.
void choose_way(const ExtractArguments& arguments, ExtractOptions& o) {
  // A GPU milestone implies its method; a CPU milestone supports both methods.
  const std::vector<Milestone> milestones = milestones_of(arguments.device);
  o.milestone = arguments.milestone.empty()
                    ? milestones.front()
                    : choose("--milestone", arguments.milestone, milestones);
  o.method = traits(o.milestone).method;
  if (arguments.method.empty()) return;
  o.method = choose<Method>("--method", arguments.method, {Method::eigh, Method::cholesky});
  if (arguments.device == Device::cpu) return;
  const auto fits = [&](Milestone milestone) { return traits(milestone).method == o.method; };
  if (arguments.milestone.empty())
    o.milestone = *std::find_if(milestones.begin(), milestones.end(), fits);
  else if (!fits(o.milestone))
    throw usage_error("--method",
                      to_string(o.method) + " is not the method of " + to_string(o.milestone),
                      to_string(traits(o.milestone).method));
}

// On the GPU, --flux frame needs the bands of the fiber-by-fiber engine; the other milestones are
// kept as published.
void refuse_frame_flux(const ExtractOptions& o) {
  if (o.flux == FluxSolver::patch) return;
  const MilestoneTraits& milestone = traits(o.milestone);
  if (!milestone.solves_frame)
    throw usage_error("--flux", "frame is not supported by " + to_string(o.milestone),
                      "--milestone direct or pipeline, or --flux patch");
  if (milestone.device == Device::gpu && o.decorrelate == Decorrelate::noise)
    throw usage_error("--flux", "frame needs --decorrelate signal on the GPU",
                      "--decorrelate signal, or spex-cpu");
}

// Parses a finite number like Python's float(): with surrounding blanks and an optional +.
std::optional<double> number_of(std::string_view text) {
  constexpr const char* blanks = " \t\n\r\f\v";
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == text.npos) return {};
  text = text.substr(begin, text.find_last_not_of(blanks) + 1 - begin);
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [after, code] = std::from_chars(text.data(), end, value);
  if (code != std::errc() || after != end || !std::isfinite(value)) return {};
  return value;
}

}  // namespace

WaveRange parse_wavelength(const std::string& text) {
  const auto wrong = [&](const std::string& what) {
    return usage_error("--wavelength", "'" + text + "' " + what, "wmin,wmax,dw in Angstrom");
  };
  double values[3];
  std::string_view rest = text;
  for (int i = 0; i < 3; ++i) {
    const std::size_t comma = rest.find(',');
    if (i < 2 && comma == rest.npos) throw wrong("is not three numbers");
    if (i == 2 && comma != rest.npos) throw wrong("has extra text after the third number");
    const std::optional<double> value = number_of(rest.substr(0, comma));
    if (!value) throw wrong("is not three numbers");
    values[i] = *value;
    rest.remove_prefix(comma == rest.npos ? rest.size() : comma + 1);
  }
  return {values[0], values[1], values[2]};
}

std::uint32_t parse_mask_bits(const std::string& text) {
  if (text == "all") return ~std::uint32_t{0};
  const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  const char* const begin = text.data() + (hexadecimal ? 2 : 0);
  const char* const end = text.data() + text.size();
  std::uint32_t bits = 0;
  const auto [after, code] = std::from_chars(begin, end, bits, hexadecimal ? 16 : 10);
  if (code != std::errc() || after != end)
    throw usage_error("--mask-bits", "'" + text + "' is not a set of bits",
                      "a number such as 767 or 0x2FF, or all");
  return bits;
}

void add_extract_options(CLI::App& app, ExtractArguments& arguments) {
  auto& [files, settings] = arguments.job;
  ExtractOptions& o = settings.options;
  app.option_defaults()->always_capture_default();
  // If an option is repeated, the last value counts, as in production's scripts.
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);

  app.add_option("-i,--input", files.input, "Preprocessed image (.fits, .fits.gz, .fits.fz)")
      ->required()
      ->group("Files");
  app.add_option("-p,--psf", files.psf, "PSF of the same camera")->required()->group("Files");
  app.add_option("-o,--output", files.output, "Frame file to write (.fits, .fits.gz)")
      ->required()
      ->group("Files");
  app.add_option("-m,--model", files.model, "Also write the model image to this file")
      ->group("Files");
  app.add_option("-f,--fibermap", files.fibermap,
                 "Read FIBERMAP from this file instead of the image")
      ->group("Files");
  app.add_flag("--fibermap-by-row", settings.fibermap_by_row,
               "Take the rows of FIBERMAP by their places, like production, not by FIBER")
      ->group("Files");
  app.add_flag("--no-checksums", arguments.no_checksums,
               "Read images and PSFs although their DATASUM or CHECKSUM is wrong")
      ->group("Files");
  app.add_flag("--no-scores", arguments.no_scores, "Omit the HDU SCORES")->group("Files");
  app.add_flag("--full-precision", settings.full_precision,
               "Write float64 and the HDU PIXMASK_FRACTION, for exact comparisons")
      ->group("Files");

  app.add_option(
         "--compress-level", settings.compress_level,
         "Compression of a .gz output: 1 is the fastest; 2 to 9 make files 8% smaller and take "
         "twenty times as long")
      ->check(CLI::Range(fastest_gzip_level, last_gzip_level))
      ->group("Files");

  app.add_option("-w,--wavelength", arguments.wavelength,
                 "Grid wmin,wmax,dw in Angstrom; default: b 3600,5800,0.8, r 5760,7620,0.8, "
                 "z 7520,9824,0.8")
      ->group("What to extract");
  app.add_option("-s,--specmin", o.specmin, "First spectrum, counted from 0")
      ->group("What to extract");
  app.add_option("-n,--nspec", o.nspec, "Number of spectra; default: all from --specmin")
      ->group("What to extract");

  app.add_option("-r,--regularize", o.regularize, "Regularization amount")->group("Algorithm");
  app.add_option("--bundlesize", o.bundlesize, "Spectra in a bundle")->group("Algorithm");
  app.add_option("--nsubbundles", arguments.nsubbundles, subbundles_help(arguments.device))
      ->default_str(std::to_string(o.nsubbundles))
      ->group("Algorithm");
  app.add_option("--nwavestep", o.nwavestep, "Wavelength bins in a patch")->group("Algorithm");
  app.add_option("--wavepad", o.wavepad, "Wavelength bins of padding on each side of a patch")
      ->group("Algorithm");
  app.add_option("--pixpad-frac", o.pixpad_frac, "Fraction of the padding's pixel rows to use")
      ->group("Algorithm");
  app.add_option("--wavepad-frac", o.wavepad_frac, "Relative extension of --wavepad")
      ->group("Algorithm");
  app.add_option("--psferr", o.psferr,
                 "Fractional error of the PSF model, for CHI2PIX; default: from the PSF file")
      ->group("Algorithm");
  app.add_option("--mask-bits", arguments.mask_bits,
                 "Bits of MASK that reject a pixel: a number, or all; default: 0x2FF, without "
                 "BADREADNOISE (256)")
      ->group("Algorithm");
  app.add_flag("--no-mask", settings.no_mask,
               "Accept an image without MASK: all its pixels are good")
      ->group("Algorithm");
  app.add_option("--method", arguments.method, method_help(arguments.device))->group("Algorithm");
  app.add_option("--decorrelate", arguments.decorrelate, "What to decorrelate: signal or noise")
      ->group("Algorithm");
  app.add_option("--flux", arguments.flux,
                 "patch: each patch separately, like production; frame: the whole frame, without "
                 "seams between patches")
      ->group("Algorithm");
  app.add_option("--chi2-pixels", arguments.chi2_pixels,
                 "Pixels that CHI2PIX counts: weighted (all), or bright (positive model), like "
                 "production on GPUs")
      ->group("Algorithm");
  app.add_option("--bad2dfit", arguments.bad2dfit,
                 "Bins that MASK flags BAD2DFIT: relative (to the medians of chi2pix), or chi2 "
                 "(above 100), like production before desispec 0.71")
      ->group("Algorithm");

  app.add_option("--milestone", arguments.milestone,
                 "Implementation: " + names(milestones_of(arguments.device)) +
                     "; default: " + to_string(default_milestone(arguments.device)))
      ->group("Running");
  app.add_option("--threads", arguments.threads,
                 "Threads per rank; default: the rank's share of the node's CPUs")
      ->group("Running");
  app.add_flag("--mpi", arguments.mpi, "Ignored; accepted for production's scripts")
      ->group("Running");
  app.add_option("--loglevel", arguments.loglevel, "debug, info, warn or error")->group("Running");

  add_production_options(app, arguments.production);
}

bool parse_extract_command_line(CLI::App& app, int argc, char** argv, bool speaks, int& status) {
  return parse_abbreviated(app, production_names, argc, argv, speaks, status);
}

FrameJob make_job(const ExtractArguments& arguments) {
  FrameJob job = arguments.job;
  ExtractOptions& o = job.settings.options;
  if (!arguments.wavelength.empty()) {
    o.wavelength = parse_wavelength(arguments.wavelength);
    static_cast<void>(make_wave_grid(*o.wavelength));  // reports a bad grid before any file is read
  }
  if (!arguments.mask_bits.empty()) o.mask_bits = parse_mask_bits(arguments.mask_bits);
  o.decorrelate = choose<Decorrelate>("--decorrelate", arguments.decorrelate,
                                      {Decorrelate::signal, Decorrelate::noise});
  o.flux = choose<FluxSolver>("--flux", arguments.flux, {FluxSolver::patch, FluxSolver::frame});
  o.chi2_pixels = choose<Chi2Pixels>("--chi2-pixels", arguments.chi2_pixels,
                                     {Chi2Pixels::weighted, Chi2Pixels::bright});
  o.bad2dfit =
      choose<Bad2dFit>("--bad2dfit", arguments.bad2dfit, {Bad2dFit::relative, Bad2dFit::chi2});
  choose_way(arguments, o);
  o.nsubbundles = arguments.nsubbundles.value_or(traits(o.milestone).nsubbundles);
  refuse_frame_flux(o);
  check_production_options(arguments.production, arguments.device);
  job.settings.barycentric = barycentric_settings(arguments.production);
  job.settings.psferr_by_arm =
      arguments.production.psferr_by_arm || arguments.production.as_desi_proc;
  job.settings.roots = roots_of_environment();
  o.model = job.files.model.has_value();
  job.settings.scores = !arguments.no_scores;
  job.settings.checksums = !arguments.no_checksums;
  if (arguments.threads && (*arguments.threads < 1 || *arguments.threads > 4096))
    throw usage_error("--threads", std::to_string(*arguments.threads), "1 to 4096");
  // Names are empty if many frames are requested (exposure_cli.hpp).
  refuse_overwriting(
      {job.files.output, job.files.model.value_or("")},
      {job.files.input, job.files.psf, job.files.fibermap.value_or(""), arguments.production.iers});
  return job;
}

}  // namespace spex
