#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "bench/plan/plan_object.hpp"
#include "mpi/programs/exposure_checks.hpp"
#include "mpi/programs/exposure_cli.hpp"
#include "mpi/programs/extract_cli.hpp"
#include "mpi/programs/gpu_options.hpp"
#include "reference/core/error.hpp"
#include "reference/model/camera.hpp"
#include "reference/model/milestones.hpp"
#include "reference/model/option_table.hpp"

namespace spex::bench {
namespace {

ExtractArguments arguments_of(const Entry& entry) {
  ExtractArguments arguments;
  arguments.device = traits(entry.milestone).device;
  arguments.request.milestone = entry.milestone;
  return arguments;
}

// Options that spex-bench sets by itself, such as files.
bool is_own(const CLI::Option& option) {
  static const std::set<std::string> own{
      "--list",   "--events", "--milestone",       "--exposure", "--outdir",   "--input",   "--psf",
      "--output", "--model",  "--rejected-pixels", "--threads",  "--fibermap", "--loglevel"};
  return own.contains(option.get_name());
}

bool changes_values(const CLI::Option& option) {
  const std::string name = option.get_name();
  return find_option(name) != nullptr || name == "--no-mask" || name == "--no-scores" ||
         name == "--full-precision" || name == "--fibermap-by-row";
}

void parse(CLI::App& app, const Entry& entry, const std::vector<std::string>& options,
           const PlanObject& object) {
  try {
    app.parse(std::vector<std::string>(options.rbegin(), options.rend()));
  } catch (const CLI::ParseError& error) {
    object.fail(fmt::format("{}: {}", entry.id, error.what()), "an extractor's options");
  }
}

void no_files_needed(CLI::App& app) {
  for (const char* name : {"--input", "--psf", "--output"}) app.get_option(name)->required(false);
  app.parse_complete_callback({});
}

}  // namespace

std::shared_ptr<const FrameOptions> default_options() {
  return std::make_shared<const FrameOptions>();
}

std::string Entry::method() const {
  return to_string(extract->method);
}

std::vector<std::string> Entry::result_options() const {
  std::vector<std::string> all = options;
  if (bundles) {
    all.emplace_back("--nspec");
    all.push_back(std::to_string(fibers_a_bundle * *bundles));
  }
  return all;
}

std::vector<std::string> Entry::options_but_method() const {
  std::vector<std::string> wanted = result_options();
  if (const auto own = std::find(wanted.begin(), wanted.end(), "--method"); own != wanted.end())
    wanted.erase(own, wanted.end() - own > 1 ? own + 2 : wanted.end());
  return wanted;
}

std::vector<std::string> Entry::reference_options() const {
  std::vector<std::string> wanted = options_but_method();
  if (const int own = traits(milestone).nsubbundles;
      extract->nsubbundles == own && own != traits(Milestone::cpu_refactor).nsubbundles)
    wanted.insert(wanted.end(), {"--nsubbundles", std::to_string(own)});
  return wanted;
}

bool Reference::has(const std::string& camera) const {
  return cameras.empty() || std::find(cameras.begin(), cameras.end(), camera) != cameras.end();
}

std::string Reference::method_of(const std::string& camera, int run) const {
  const bool named = std::find(by_eigh.begin(), by_eigh.end(), camera) != by_eigh.end();
  return named && run == 0 ? "eigh" : method;
}

bool has_fpnh(const Entry& entry, const Case& plan_case) {
  const FrameOptions& o = *entry.extract;
  const bool all_of_it = !o.wavelength && o.specmin == 0 && !o.nspec;
  return plan_case.size == "full" && !entry.bundles && !entry.alone && all_of_it;
}

FrameOptions parse_options(const Entry& entry, const PlanObject& object) {
  CLI::App app;
  ExtractArguments arguments = arguments_of(entry);
  add_extract_options(app, arguments);
  no_files_needed(app);
  parse(app, entry, entry.result_options(), object);
  for (const CLI::Option* option : app.parse_order())
    if (is_own(*option))
      object.fail(fmt::format("'options' has {}", option->get_name()),
                  "those that change what is computed");
  try {
    return make_job(arguments).settings.options;
  } catch (const Error& error) {
    throw usage_error(object.path(), fmt::format("{}: {}", entry.id, error.what()), "others");
  }
}

void check_run_options(const Entry& entry, const std::string& division, const PlanObject& object) {
  CLI::App app;
  ExtractArguments arguments = arguments_of(entry);
  add_extract_options(app, arguments);
  ExposureArguments many;
  add_exposure_options(app, arguments, many);
  GpuArguments gpu;
  if (entry.on_gpu()) add_gpu_options(app, gpu);
  no_files_needed(app);
  if (division == "optimized") app.allow_extras();
  parse(app, entry, entry.run_options, object);
  for (const CLI::Option* option : app.parse_order())
    if (is_own(*option) || changes_values(*option))
      object.fail(fmt::format("'run_options' has {}", option->get_name()),
                  "those that change nothing that is computed, as --schedule");
  if (const char* option = option_of_many(many); entry.alone && option != nullptr)
    object.fail(fmt::format("{}: 'alone' with {}", entry.id, option), "options of one frame");
  if (!many.schedule.empty()) static_cast<void>(parse_schedule(many.schedule));
}

void check_wavelengths(const Entry& entry, const Case& plan_case, const PlanObject& root) {
  const auto& asked = entry.extract->wavelength;
  if (!asked) return;
  for (const std::string& camera : plan_case.cameras) {
    const WaveRange& seen = find_arm(camera)->grid;
    if (asked->wmin < seen.wmin || asked->wmax > seen.wmax)
      root.fail(fmt::format("{} asks for {:g} to {:g} Angstrom of {}, which sees {:g} to {:g}",
                            entry.id, asked->wmin, asked->wmax, camera, seen.wmin, seen.wmax),
                "wavelengths that every camera of its case sees: b 3600 to 5800, r 5760 to 7620, z "
                "7520 to 9824");
  }
}

}  // namespace spex::bench
