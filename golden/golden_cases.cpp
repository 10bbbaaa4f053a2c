#include "golden/golden_cases.hpp"

#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

#include "reference/core/error.hpp"

namespace spex::golden {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

json read_cases(const std::string& path) {
  std::ifstream in(path);
  if (!in || fs::is_directory(path))
    throw data_error(path, "cannot be read", "a file of golden cases");
  try {
    return json::parse(in);
  } catch (const json::exception& error) {
    throw data_error(path, error.what(), "JSON");
  }
}

// The parameters of a case. Numbers are as the file writes them, so that the extractor parses the
// same digits; one that is null is left out.
std::vector<std::string> options_of(const json& c) {
  std::vector<std::string> options{
      "--full-precision",
      "--mask-bits",
      c.value("mask_bits", "all"),
      "--wavelength",
      c.at("wmin").dump() + "," + c.at("wmax").dump() + "," + c.at("dw").dump(),
  };
  const auto add = [&](const char* option, const char* key) {
    if (!c.at(key).is_null()) options.insert(options.end(), {option, c.at(key).dump()});
  };
  add("--specmin", "specmin");
  add("--nspec", "nspec");
  add("--bundlesize", "bundlesize");
  add("--nsubbundles", "nsubbundles");
  add("--nwavestep", "nwavestep");
  add("--wavepad", "wavepad");
  add("--pixpad-frac", "pixpad_frac");
  add("--wavepad-frac", "wavepad_frac");
  add("--regularize", "regularize");
  add("--psferr", "psferr");
  // Cases of production have none of these: --flux patch is the default, and no pixel is rejected.
  if (c.contains("flux"))
    options.insert(options.end(), {"--flux", c.at("flux").get<std::string>()});
  if (c.contains("reject_pixels")) add("--reject-pixels", "reject_pixels");
  return options;
}

}  // namespace

std::vector<std::string> GoldenCase::extract_to(const std::string& output) const {
  std::vector<std::string> all{"--input", preproc, "--psf", psf, "--output", output};
  all.insert(all.end(), options.begin(), options.end());
  return all;
}

std::vector<std::string> golden_case_names(const std::string& path) {
  const json all = read_cases(path);
  if (!all.contains("cases") || !all.at("cases").is_object())
    throw data_error(path, "has no cases", "a file of golden cases");
  std::vector<std::string> names;
  for (const auto& [name, value] : all.at("cases").items()) names.push_back(name);
  return names;
}

GoldenCase read_golden_case(const std::string& path, const std::string& name) {
  const json all = read_cases(path);
  try {
    const json& c = all.at("cases").at(name);
    const json& image = all.at("images").at(c.at("image").get<std::string>());
    const fs::path folder = fs::path(path).parent_path();
    GoldenCase found;
    found.name = name;
    found.preproc = folder / image.at("preproc").get<std::string>();
    found.psf = folder / image.at("psf").get<std::string>();
    found.frame = folder / c.at("frame").get<std::string>();
    found.tolerance = path + ":" + name;
    found.options = options_of(c);
    return found;
  } catch (const json::exception& error) {
    throw data_error(path, name + ": " + error.what(), "a case as golden/README.md describes it");
  }
}

}  // namespace spex::golden
