#include "reference/sim/outputs.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "reference/core/error.hpp"
#include "reference/fits/file_forms.hpp"
#include "reference/fits/write/atomic_write.hpp"

namespace spex {
namespace {

namespace fs = std::filesystem;

void check_output(const SimOptions& options, const std::string& path) {
  check_writable(path);
  std::error_code ignored;
  for (const std::string& name : forms_of(path)) {
    for (const auto& input : {options.psf, options.spectra})
      if (input && fs::equivalent(name, *input, ignored))
        throw usage_error(name, "would overwrite an input", "another folder or --expid");
    if (!options.overwrite && fs::exists(name, ignored))
      throw usage_error(name, "exists", "another folder or --expid, or --overwrite");
  }
}

}  // namespace

std::string output_name(const SimOptions& options, const std::string& kind, const Camera& camera) {
  const bool packed = kind == "preproc" && options.compress != Compress::none;
  const std::string ending = packed ? "." + to_string(options.compress) : "";
  return fs::path(options.folder) /
         fmt::format("{}-{}-{:08d}.fits{}", kind, camera.name(), options.expid, ending);
}

void check_outputs(const SimOptions& options) {
  for (const Camera& camera : options.cameras) {
    const auto check = [&](const char* kind) {
      check_output(options, output_name(options, kind, camera));
    };
    if (options.files != SimFiles::inputs) check("truth");
    if (options.files == SimFiles::truth) continue;
    check("psf");
    check("preproc");
  }
}

void remove_other_forms(const std::string& path) {
  for (const std::string& name : forms_of(path))
    if (name != path) fs::remove(name);
}

}  // namespace spex
