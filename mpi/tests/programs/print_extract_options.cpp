// Reads command lines of an extraction, one JSON list of words per line, and prints spex-cpu's
// parsed options as one JSON object per line, for comparison with production's parser.

#include <iostream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "mpi/programs/exposure_cli.hpp"
#include "mpi/programs/extract_cli.hpp"
#include "reference/core/error.hpp"

namespace {

template <class T>
nlohmann::json or_null(const std::optional<T>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json();
}

// Options by production's names; null if the command line is wrong.
nlohmann::json parsed(std::vector<std::string> words) {
  CLI::App app("", "spex-cpu");
  spex::ExtractArguments one;
  spex::add_extract_options(app, one);
  spex::ExposureArguments many;
  spex::add_exposure_options(app, one, many);
  words.insert(words.begin(), "spex-cpu");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  int status = 0;
  if (!spex::parse_extract_command_line(app, static_cast<int>(argv.size()), argv.data(), false,
                                        status))
    return {};
  const spex::FrameFiles& files = one.job.files;
  const spex::FrameOptions& o = one.request.options;
  nlohmann::json values{{"input", files.input},
                        {"fibermap", or_null(files.fibermap)},
                        {"psf", files.psf},
                        {"output", files.output},
                        {"model", or_null(files.model)},
                        {"specmin", o.specmin},
                        {"nspec", or_null(o.nspec)},
                        {"regularize", o.regularize},
                        {"bundlesize", o.bundlesize},
                        {"nsubbundles", one.request.nsubbundles.value_or(o.nsubbundles)},
                        {"nwavestep", o.nwavestep},
                        {"verbose", one.production.verbose},
                        {"mpi", one.mpi},
                        {"decorrelate_fibers", one.production.decorrelate_fibers},
                        {"no_scores", one.no_scores},
                        {"psferr", or_null(o.psferr)},
                        {"barycentric_correction", one.production.barycentric},
                        {"use_specter", one.production.use_specter},
                        {"no_gpu", one.production.no_gpu},
                        {"pixpad_frac", o.pixpad_frac},
                        {"wavepad_frac", o.wavepad_frac}};
  const std::optional<std::string>& wavelength = one.texts.at("wavelength");
  if (!wavelength) return values;
  try {
    const spex::WaveRange range = spex::parse_wavelength(*wavelength);
    values["wavelength"] = {range.wmin, range.wmax, range.dw};
  } catch (const spex::Error&) {
    return {};
  }
  return values;
}

}  // namespace

int main() {
  for (std::string line; std::getline(std::cin, line);)
    std::cout << parsed(nlohmann::json::parse(line)) << '\n';
  return 0;
}
