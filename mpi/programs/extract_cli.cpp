#include "mpi/programs/extract_cli.hpp"

#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reference/cli/program.hpp"
#include "reference/core/error.hpp"
#include "reference/fits/same_file.hpp"
#include "reference/fits/write/gzip.hpp"
#include "reference/layout/wavelengths.hpp"

namespace spex {
namespace {

std::string names_for_help(const ExtractOption& option, Device device) {
  std::string text;
  for (const std::string& name : choices_of(option, device))
    text += (text.empty() ? "" : ", ") + name;
  return text;
}

// Numbers are parsed into the request, all other values kept as texts.
void add_option(CLI::App& app, const ExtractOption& option, ExtractArguments& arguments) {
  const std::string flags =
      (option.letter.empty() ? "" : "-" + std::string(option.letter) + ",") + option.flag();
  std::string help(option.help);
  if (option.name == "milestone") help += ": " + names_for_help(option, arguments.device);
  CLI::Option* const added = std::visit(
      [&]<class T>(T* place) {
        if constexpr (std::is_same_v<T, int> || std::is_same_v<T, double> ||
                      std::is_same_v<T, std::optional<int>> ||
                      std::is_same_v<T, std::optional<double>>)
          return app.add_option(flags, *place, help);
        else
          return app.add_option(flags, arguments.texts[std::string(option.name)], help);
      },
      option.value(arguments.request));
  added->group(std::string(option.group));
  const std::vector<std::string> choices = choices_of(option, arguments.device);
  if (choices.size() > 1) added->type_name(fmt::format("{}", fmt::join(choices, "|")));
  const std::string usual = text_of(option, resolve({}, arguments.device));
  if (!usual.empty()) added->default_str(usual);
}

void add_options_of_group(CLI::App& app, const char* group, ExtractArguments& arguments) {
  for (const ExtractOption& option : extract_options())
    if (option.group == group) add_option(app, option, arguments);
}

}  // namespace

void add_extract_options(CLI::App& app, ExtractArguments& arguments) {
  auto& [files, settings] = arguments.job;
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
  app.add_option("--rejected-pixels", files.rejected,
                 "Also write the mask of the pixels that --reject-pixels rejected to this file")
      ->group("Files");
  app.add_flag("--write-f", arguments.request.options.write_f,
               "Also write the HDU F, the fluxes before reconvolution (not on a GPU)")
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
         "Compression of a .gz output: 1 is the fastest; 2 to 9 make files 4% smaller and take "
         "twenty times as long")
      ->check(CLI::Range(fastest_gzip_level, last_gzip_level))
      ->group("Files");

  add_options_of_group(app, "What to extract", arguments);
  add_options_of_group(app, "Algorithm", arguments);
  app.add_flag("--no-mask", settings.no_mask,
               "Accept an image without MASK: all its pixels are good")
      ->group("Algorithm");
  add_options_of_group(app, "Running", arguments);
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
  OptionRequest request = arguments.request;
  for (const auto& [name, text] : arguments.texts)
    if (text) set_option(request, *find_option(name), *text, arguments.device);
  // Reports a bad grid before any file is read.
  if (request.options.wavelength) static_cast<void>(make_wave_grid(*request.options.wavelength));
  FrameOptions& o = job.settings.options;
  o = resolve(request, arguments.device);
  check_production_options(arguments.production, arguments.device);
  job.settings.barycentric = barycentric_settings(arguments.production);
  job.settings.psferr_by_arm =
      arguments.production.psferr_by_arm || arguments.production.as_desi_proc;
  job.settings.roots = roots_of_environment();
  o.model = job.files.model.has_value();
  if (job.files.rejected && !o.reject_pixels)
    throw usage_error("--rejected-pixels", "no pixels are rejected", "also --reject-pixels");
  job.settings.scores = !arguments.no_scores;
  job.settings.checksums = !arguments.no_checksums;
  if (arguments.threads && (*arguments.threads < 1 || *arguments.threads > 4096))
    throw usage_error("--threads", std::to_string(*arguments.threads), "1 to 4096");
  // Names are empty if many frames are requested (exposure_cli.hpp).
  refuse_overwriting(
      {job.files.output, job.files.model.value_or(""), job.files.rejected.value_or("")},
      {job.files.input, job.files.psf, job.files.fibermap.value_or(""), arguments.production.iers});
  return job;
}

}  // namespace spex
